import type { Runner } from './connect.ts'

export type KeyRow = {
  id: number
  accountId: number
  name: string
  livemode: boolean
  lastFour: string
  createdAt: Date
  revokedAt: Date | null
}

const columns = (sql: Runner) => sql`
  id, account_id as "accountId", name, livemode, last_four as "lastFour", created_at as "createdAt",
  revoked_at as "revokedAt"`

/** No row back: no such account. */
export async function insertKey(
  sql: Runner,
  key: { accountId: number; name: string; livemode: boolean; hash: Buffer; lastFour: string },
): Promise<KeyRow | undefined> {
  const [row] = await sql<KeyRow[]>`
    insert into api_keys (account_id, name, livemode, hash, last_four)
    select id, ${key.name}, ${key.livemode}, ${key.hash}, ${key.lastFour} from accounts where id = ${key.accountId}
    returning ${columns(sql)}`
  return row
}

/** An account's keys, oldest first, the revoked ones too. */
export async function listKeys(sql: Runner, accountId: number): Promise<KeyRow[]> {
  return await sql<KeyRow[]>`select ${columns(sql)} from api_keys where account_id = ${accountId} order by id`
}

/** Revokes a key for good; revoking it again keeps the first time. No row back: no such key. */
export async function revokeKey(sql: Runner, id: number): Promise<KeyRow | undefined> {
  const [row] = await sql<KeyRow[]>`
    update api_keys set revoked_at = coalesce(revoked_at, now()) where id = ${id} returning ${columns(sql)}`
  return row
}
