import type { Runner } from '../connection/connect.ts'

type SessionKind = 'account' | 'key' | 'operator'

export type SessionRow = {
  id: number
  kind: SessionKind
  accountId: number | null
  keyLivemode: boolean | null
  suspended: boolean
  name: string | null
  client: string | null
  userAgent: string
  createdAt: Date
  lastUsedAt: Date
}

const columns = (sql: Runner) => sql`
  s.id, s.kind, s.account_id as "accountId", k.livemode as "keyLivemode",
  s.kind <> 'operator' and coalesce(a.suspended, false) as suspended, s.name, s.client, s.user_agent as "userAgent",
  s.created_at as "createdAt", s.last_used_at as "lastUsedAt"`

const joined = (sql: Runner) => sql`
  left join api_keys k on k.id = s.key_id left join accounts a on a.id = s.account_id`

/** Selects open sessions: used in the last 30 days, and created at most 90 days ago (console.sessions.1). */
const alive = (sql: Runner) => sql`
  s.revoked_at is null and s.last_used_at > now() - interval '30 days' and s.created_at > now() - interval '90 days'`

const hasItsKey = (sql: Runner) => sql`(s.key_id is null or (k.id is not null and k.revoked_at is null))`

export async function insertSession(
  sql: Runner,
  session: Pick<SessionRow, 'kind' | 'accountId' | 'name' | 'client' | 'userAgent'> & {
    hash: Buffer
    keyId: number | null
  },
): Promise<SessionRow> {
  const { hash, kind, accountId, keyId, name, client, userAgent } = session
  const [row] = await sql<SessionRow[]>`
    with over as (
      delete from sessions where created_at < now() - interval '120 days'
    ), s as (
      insert into sessions (hash, kind, account_id, key_id, name, client, user_agent)
      values (${hash}, ${kind}, ${accountId}, ${keyId}, ${name}, ${client}, ${userAgent})
      returning *
    )
    select ${columns(sql)} from s ${joined(sql)}`
  if (row === undefined) throw new Error('the insert of the session returned no row')
  return row
}

export async function findSession(sql: Runner, hash: Buffer): Promise<SessionRow | undefined> {
  const [row] = await sql<SessionRow[]>`
    select ${columns(sql)} from sessions s ${joined(sql)}
    where s.hash = ${hash} and ${alive(sql)} and ${hasItsKey(sql)}`
  return row
}

export async function noteSessionUse(sql: Runner, id: number): Promise<void> {
  await sql`update sessions set last_used_at = now() where id = ${id} and last_used_at < now() - interval '1 minute'`
}

export type SessionOwner = { accountId: number } | 'operator'

const ownedBy = (sql: Runner, owner: SessionOwner) =>
  owner === 'operator' ? sql`s.kind = 'operator'` : sql`s.account_id = ${owner.accountId} and s.kind <> 'operator'`

export async function listSessions(sql: Runner, owner: SessionOwner, first: number): Promise<SessionRow[]> {
  return await sql<SessionRow[]>`
    select ${columns(sql)} from sessions s ${joined(sql)}
    where ${ownedBy(sql, owner)} and ${alive(sql)} and ${hasItsKey(sql)}
    order by s.id = ${first} desc, s.id desc limit 100`
}

export async function revokeSession(sql: Runner, owner: SessionOwner, id: number): Promise<boolean> {
  const ended = await sql`
    update sessions s set revoked_at = now() where s.id = ${id} and s.revoked_at is null and ${ownedBy(sql, owner)}`
  return ended.count > 0
}
