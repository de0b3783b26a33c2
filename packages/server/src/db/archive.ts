import type { Runner } from './connection/connect.ts'
import { tryLock } from './connection/transaction.ts'

export type ArchivableRow = {
  id: number
  line: string
  eventId: string | null
  lease: number | null
  accountId: number
  metadata: Record<string, string> | null
}

/** A page of requests. `last`: the last id that was read. `old`: how many were created before the given date. */
type ArchivePage = { last: number | undefined; old: number; archivable: ArchivableRow[] }

const LOCK = 7_204_680

export async function tryArchiveLock(tx: Runner): Promise<boolean> {
  const isHeld = await tryLock(tx, LOCK)
  await tx.unsafe('set local idle_in_transaction_session_timeout = 0')
  return isHeld
}

/** Throws if the connection was lost, and its advisory lock with it. A simple query keeps no snapshot open. */
export async function checkArchiveLock(tx: Runner): Promise<void> {
  await tx.unsafe('select 1')
}

/**
 * Reads up to `limit` requests, and returns the requests that can be archived. Keeps the request of each account's
 * newest event, because clients need the event's id to list newer events.
 */
export async function readArchivable(sql: Runner, before: Date, after: number, limit: number): Promise<ArchivePage> {
  const rows = await sql<(ArchivableRow & { isOld: boolean; isArchivable: boolean })[]>`
    select r.id, r.account_id as "accountId", r.metadata, e.id as "eventId", e.lease,
      r.created_at < ${before} as "isOld", final.is as "isArchivable",
      case when final.is then json_build_object('request', r, 'event', e, 'delivery_attempts', (
        select coalesce(json_agg(d order by d.id), '[]') from delivery_attempts d where d.event_id = e.id
      ))::text end as line
    from (select * from requests where id > ${after} order by id limit ${limit}) r
      join accounts a on a.id = r.account_id
      -- A lookup by id for each row: a plan made for an empty table would scan the whole table.
      left join lateral (select * from events where events.request_id = r.id limit 1) e on true
      cross join lateral (select r.completed_at is not null and r.completed_at < ${before}
        and r.sweep_at is null and (r.deleted_at is null or r.deleted_at <= now())
        and (e.id is null or (e.status <> 'pending' and coalesce(e.sequence, 0) < greatest(a.event_count, 1)))
        and not exists (select from part_plans p where p.request_id = r.id) as is) final
    order by r.id`
  const archivable = rows.filter((row) => row.isArchivable)
  return { last: rows.at(-1)?.id, old: rows.filter(({ isOld }) => isOld).length, archivable }
}

/**
 * Deletes archived requests. Keeps a request if its event was resent after the request was read. Locks delivery
 * attempts before events, as the cleanup of old attempts does, to avoid deadlocks.
 */
export async function deleteArchived(
  tx: Runner,
  rows: readonly ArchivableRow[],
  pairs: readonly { accountId: number; pair: number; requestId: number }[],
): Promise<number> {
  const events = rows.flatMap(({ id, eventId, lease }) =>
    eventId === null ? [] : [{ id, eventId, lease: lease ?? 0 }],
  )
  const eventIds = events.map(({ eventId }) => eventId)
  await tx`select from delivery_attempts where event_id = any(${eventIds}::text[]) order by id for update`
  const unchanged = await tx<{ id: string; requestId: number }[]>`
    select e.id, e.request_id as "requestId"
    from unnest(${eventIds}::text[], ${events.map(({ lease }) => lease)}::integer[]) as seen (id, lease)
      join events e on e.id = seen.id
    where e.lease = seen.lease and e.status <> 'pending'
    order by e.id for update of e`
  const unchangedIds = unchanged.map(({ id }) => id)
  const requestIds = [
    ...unchanged.map(({ requestId }) => requestId),
    ...rows.flatMap(({ id, eventId }) => (eventId === null ? [id] : [])),
  ]
  await tx`delete from delivery_attempts where event_id = any(${unchangedIds}::text[])`
  await tx`delete from events where id = any(${unchangedIds}::text[])`
  await tx`
    delete from request_metadata m
    using unnest(
      ${pairs.map(({ accountId }) => accountId)}::bigint[], ${pairs.map(({ pair }) => pair)}::bigint[],
      ${pairs.map(({ requestId }) => requestId)}::bigint[]
    ) as gone (account_id, pair, request_id)
    where m.account_id = gone.account_id and m.pair = gone.pair and m.request_id = gone.request_id
      and gone.request_id = any(${requestIds}::bigint[])`
  const { count } = await tx`delete from requests where id = any(${requestIds}::bigint[])`
  return count
}
