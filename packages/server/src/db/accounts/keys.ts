import type { KeyRestrictions } from '@mediamill/contract/domain/key-restrictions'
import type { Runner } from '../connection/connect.ts'
import { json } from '../connection/json.ts'
import { today } from '../today.ts'

export type KeyRow = {
  id: number
  accountId: number
  name: string
  livemode: boolean
  lastFour: string
  createdAt: Date
  revokedAt: Date | null
  /** The last day (UTC) with a call, `YYYY-MM-DD`. `null` if the key was never used. */
  lastUsedOn: string | null
  restrictions: KeyRestrictions | null
}

const columns = (sql: Runner) => sql`
  id, account_id as "accountId", name, livemode, last_four as "lastFour", created_at as "createdAt",
  revoked_at as "revokedAt", restrictions, to_char(last_used_on, 'YYYY-MM-DD') as "lastUsedOn"`

export async function insertKey(
  sql: Runner,
  key: {
    accountId: number
    name: string
    livemode: boolean
    hash: Buffer
    lastFour: string
    restrictions: KeyRestrictions | null
  },
): Promise<KeyRow | undefined> {
  const [row] = await sql<KeyRow[]>`
    insert into api_keys (account_id, name, livemode, hash, last_four, restrictions)
    select id, ${key.name}, ${key.livemode}, ${key.hash}, ${key.lastFour}, ${json(key.restrictions)}::jsonb from accounts where id = ${key.accountId}
    returning ${columns(sql)}`
  return row
}

export async function findKey(sql: Runner, hash: Buffer): Promise<KeyRow | undefined> {
  const [row] = await sql<KeyRow[]>`select ${columns(sql)} from api_keys where hash = ${hash}`
  return row
}

export async function listKeys(sql: Runner, accountId: number): Promise<KeyRow[]> {
  return await sql<KeyRow[]>`select ${columns(sql)} from api_keys where account_id = ${accountId} order by id`
}

export async function countActiveKeys(sql: Runner, accountId: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from api_keys where account_id = ${accountId} and revoked_at is null`
  return row?.count ?? 0
}

export async function revokeKey(sql: Runner, id: number, accountId: number | null = null): Promise<KeyRow | undefined> {
  const [row] = await sql<KeyRow[]>`
    update api_keys set revoked_at = coalesce(revoked_at, now())
    where id = ${id} and (${accountId}::bigint is null or account_id = ${accountId})
    returning ${columns(sql)}`
  return row
}

export async function noteKeyUse(sql: Runner, hash: string): Promise<void> {
  await sql`
    update api_keys set last_used_on = ${today(sql)}
    where hash = decode(${hash}, 'hex') and last_used_on is distinct from ${today(sql)}`
}

export async function isAnyKeyWithOrigins(sql: Runner): Promise<boolean> {
  const rows = await sql`
    select from api_keys where restrictions -> 'origins' is not null and revoked_at is null limit 1`
  return rows.length > 0
}

/** Adds `hold` to the key's spend of today (UTC), and returns the sum. The caller must have locked the account. */
export async function addSpending(tx: Runner, keyId: number, hold: number): Promise<number> {
  const [row] = await tx<{ spent: number }[]>`
    update api_keys set spent_on = ${today(tx)}, spent = case when spent_on = ${today(tx)} then spent else 0 end + ${hold}::bigint
    where id = ${keyId} returning spent`
  return row?.spent ?? 0
}

/**
 * Adds `raise` to the spend of the request's key, and returns the sum. If the key stores the spend of another day,
 * changes nothing and returns `raise`.
 */
export async function raiseSpending(tx: Runner, requestId: number, raise: number): Promise<number> {
  const [row] = await tx<{ spent: number }[]>`
    update api_keys k set spent = k.spent + ${raise}::bigint
    from requests r
    where r.id = ${requestId} and k.id = r.key_id and k.spent_on = (r.created_at at time zone 'utc')::date
    returning k.spent`
  return row?.spent ?? raise
}

export async function findKeyOfRequest(
  sql: Runner,
  requestId: number,
): Promise<{ id: number; restrictions: KeyRestrictions; hold: number } | undefined> {
  const [row] = await sql<{ id: number; restrictions: KeyRestrictions; hold: number }[]>`
    select k.id, k.restrictions, r.hold from requests r join api_keys k on k.id = r.key_id
    where r.id = ${requestId} and k.restrictions is not null`
  return row
}
