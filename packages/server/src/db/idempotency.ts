import type { Runner } from './connection/connect.ts'

export type IdempotencyKey = { accountId: number; livemode: boolean; key: string }

/** The state of a key. `held`: this call has it. `replay`: a request has used it. `in_flight`: another call has it. */
type KeyState =
  | { state: 'held' }
  | { state: 'replay'; sameBody: boolean; requestId: number }
  | { state: 'in_flight'; sameBody: boolean }

/** How long a key is valid (idempotency.keys.1). If a call holds a key for `HOLD`, the call counts as lost. */
const LIFE = '24 hours'
const HOLD = '30 seconds'

export async function holdKey(
  sql: Runner,
  key: IdempotencyKey,
  { exact, content }: { exact: Buffer; content: Buffer },
  holder: string,
): Promise<KeyState | undefined> {
  const stored = content.equals(exact) ? null : content
  const [row] = await sql<{ held: boolean; requestId: number | null; sameBody: boolean }[]>`
    with taken as (
      insert into idempotency_keys as k (account_id, livemode, key, fingerprint, content_fingerprint, holder, held_until)
      values (${key.accountId}, ${key.livemode}, ${key.key}, ${exact}, ${stored}, ${holder}, now() + ${HOLD}::interval)
      on conflict (account_id, livemode, key) do update set
        fingerprint = excluded.fingerprint, content_fingerprint = excluded.content_fingerprint,
        holder = excluded.holder, held_until = excluded.held_until, request_id = null, created_at = now()
      where k.created_at < now() - ${LIFE}::interval or (k.request_id is null and k.held_until < now())
      returning true as held
    )
    select true as held, null::bigint as "requestId", true as "sameBody" from taken
    union all
    select false, k.request_id,
      k.fingerprint = ${exact} or coalesce(k.content_fingerprint, k.fingerprint) = ${content}
    from idempotency_keys k
    where k.account_id = ${key.accountId} and k.livemode = ${key.livemode} and k.key = ${key.key}
      and not exists (select from taken)`
  if (row === undefined) return undefined
  if (row.held) return { state: 'held' }
  if (row.requestId === null) return { state: 'in_flight', sameBody: row.sameBody }
  return { state: 'replay', sameBody: row.sameBody, requestId: row.requestId }
}

export async function holdsKey(sql: Runner, key: IdempotencyKey, holder: string): Promise<boolean> {
  const [row] = await sql`
    select from idempotency_keys
    where account_id = ${key.accountId} and livemode = ${key.livemode} and key = ${key.key}
      and holder = ${holder} and request_id is null`
  return row !== undefined
}

export async function releaseKey(sql: Runner, key: IdempotencyKey, holder: string): Promise<void> {
  await sql`
    delete from idempotency_keys
    where account_id = ${key.accountId} and livemode = ${key.livemode} and key = ${key.key}
      and holder = ${holder} and request_id is null`
}

export async function deleteOldKeys(sql: Runner, limit: number): Promise<number> {
  const deleted = await sql`
    delete from idempotency_keys where ctid in (
      select ctid from idempotency_keys where created_at < now() - ${LIFE}::interval
      order by created_at limit ${limit} for update skip locked
    )`
  return deleted.count
}
