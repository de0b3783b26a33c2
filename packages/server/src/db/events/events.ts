import type { Runner } from '../connection/connect.ts'
import { json } from '../connection/json.ts'
import type { RequestRow } from '../requests.ts'
import { requestColumns } from '../requests.ts'

export type ClaimedEvent = RequestRow & {
  eventId: string
  /** The number of the event's lease. A process with an older number can no longer change the event. */
  lease: number
  type: string
  url: string
  attempts: number
  finishedAt: Date
  body: Buffer | null
  trace: Record<string, string> | null
  sealed: Buffer[]
}

type Claiming = {
  limit: number
  /** The maximum number of parallel deliveries per account in this process. `inFlight` has the current numbers. */
  share: number
  inFlight: ReadonlyMap<number, number>
  leaseMs: number
}

/** Leases due events, evenly across accounts. The cost depends on the number of accounts, not of events. */
export async function claimEvents(sql: Runner, claiming: Claiming): Promise<ClaimedEvent[]> {
  const { limit, share, inFlight, leaseMs } = claiming
  return await sql<ClaimedEvent[]>`
    with recursive waiting as (
      (select account_id, due_at from events where due_at is not null order by account_id, due_at limit 1)
      union all
      select next.account_id, next.due_at from waiting cross join lateral (
        select e.account_id, e.due_at from events e
        where e.due_at is not null and e.account_id > waiting.account_id
        order by e.account_id, e.due_at limit 1
      ) next
    ), due as materialized (
      select account_id,
        least(${share}::integer - coalesce(busy.count, 0), greatest(1, ${limit}::integer / count(*) over ())) as room
      from waiting
        left join unnest(${[...inFlight.keys()]}::bigint[], ${[...inFlight.values()]}::integer[])
          as busy (account_id, count) using (account_id)
      where due_at <= now() and coalesce(busy.count, 0) < ${share}::integer
      order by coalesce(busy.count, 0) > 0, due_at
      limit ${limit}
    ), picked as materialized (
      select one.id from due cross join lateral (
        select id from events
        where account_id = due.account_id and due_at <= now()
        order by due_at limit due.room for update skip locked
      ) one
      limit ${limit}
    ), e as (
      update events e set due_at = now() + ${leaseMs} * interval '1 millisecond', lease = lease + 1
      from picked where e.id = picked.id
      returning e.*
    )
    select e.id as "eventId", e.lease, e.type, e.url, e.attempts, e.created_at as "finishedAt", e.body,
      array(
        select sealed from webhook_secrets s
        where s.account_id = e.account_id and (s.expires_at is null or s.expires_at > now()) order by s.id desc
      ) as sealed, r.trace,
      ${requestColumns(sql)}
    from e join requests r on r.id = e.request_id`
}

/** Stores the body that all attempts of an event send. Returns the ids of events that this process still leases. */
export async function fixBodies(
  sql: Runner,
  events: readonly { id: string; lease: number; body: Buffer }[],
): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    update events e set body = convert_to(fixed.body, 'UTF8')
    from unnest(
      ${events.map(({ id }) => id)}::text[], ${events.map(({ lease }) => lease)}::integer[],
      ${events.map(({ body }) => body.toString())}::text[]
    ) as fixed (id, lease, body)
    where e.id = fixed.id and e.lease = fixed.lease and e.status = 'pending' and e.body is null
    returning e.id`
  return new Set(rows.map(({ id }) => id))
}

export type AttemptRow = {
  eventId: string
  lease: number
  url: string
  startedAt: Date
  durationMs: number
  response: { status: number; beginning: Buffer } | { reason: string }
  next: { status: 'delivered' | 'undelivered' } | { afterMs: number }
}

/** Records delivery attempts. Returns the ids of the events that were pending and not leased by another process. */
export async function recordAttempts(sql: Runner, attempts: readonly AttemptRow[]): Promise<Set<string>> {
  const rows = attempts.map(({ eventId, lease, url, startedAt, durationMs, response, next }) => ({
    id: eventId,
    lease,
    url,
    started_at: startedAt.toISOString(),
    duration_ms: durationMs,
    ...('status' in response
      ? { answered: response.status, answer: response.beginning.toString('base64') }
      : { reason: response.reason }),
    ...('status' in next ? { next: next.status } : { next: 'pending', after_ms: next.afterMs }),
  }))
  const recorded = await sql<{ id: string }[]>`
    with ended as (
      select * from json_to_recordset(${json(rows)}) as t (
        id text, lease integer, url text, started_at timestamptz, duration_ms integer, answered smallint, answer text,
        reason text, next text, after_ms integer
      )
    ), e as (
      update events e set
        attempts = attempts + 1, status = ended.next,
        due_at = clock_timestamp() + ended.after_ms * interval '1 millisecond'
      from ended where e.id = ended.id and e.lease = ended.lease and e.status = 'pending'
      returning e.id, e.attempts
    )
    insert into delivery_attempts (event_id, number, url, started_at, duration_ms, status, answer, reason)
    select e.id, e.attempts, ended.url, ended.started_at, ended.duration_ms, ended.answered,
      decode(ended.answer, 'base64'), ended.reason
    from e join ended using (id)
    returning event_id as id`
  return new Set(recorded.map(({ id }) => id))
}

export async function releaseEvents(sql: Runner, held: { id: string; lease: number }[]): Promise<void> {
  await sql`
    update events e set due_at = now()
    from unnest(${held.map(({ id }) => id)}::text[], ${held.map(({ lease }) => lease)}::integer[]) as held (id, lease)
    where e.id = held.id and e.lease = held.lease and e.status = 'pending'`
}
