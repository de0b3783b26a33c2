import type { Runner } from '../connection/connect.ts'
import type { RequestRow } from '../requests.ts'
import { requestColumns } from '../requests.ts'

export type EventStatus = 'pending' | 'delivered' | 'undelivered' | 'unaddressed'

export type EventRow = {
  id: string
  accountId: number
  requestId: number
  type: string
  status: EventStatus
  url: string | null
  attempts: number
  /** When the next attempt starts, or when the running attempt counts as lost. `null` if no attempt will follow. */
  dueAt: Date | null
  createdAt: Date
}

const columns = (sql: Runner) => sql`
  e.id, e.account_id as "accountId", e.request_id as "requestId", e.type, e.status, e.url, e.attempts,
  e.due_at as "dueAt", e.created_at as "createdAt"`

type EventFilter = {
  accountId: number
  status: 'undelivered' | 'pending' | null
  requestId: number | null
  livemode: boolean | null
  after: string | null
  limit: number
}

/** Selects the events of a mode. Test requests are few, so test events are found through their requests. */
function ofMode(sql: Runner, accountId: number, livemode: boolean | null) {
  if (livemode === null) return sql``
  return livemode
    ? sql`and exists (select from requests r where r.id = e.request_id and r.livemode)`
    : sql`and e.request_id = any (array(
        select r.id from requests r where r.account_id = ${accountId} and not r.livemode and r.completed_at is not null
      ))`
}

export async function listEventPage(sql: Runner, filter: EventFilter): Promise<EventRow[]> {
  const { accountId, status, requestId, livemode, after, limit } = filter
  const own = sql`e.account_id = ${accountId}`
  const below =
    after === null
      ? sql``
      : sql`and e.created_at <= (select created_at from events where id = ${after} and account_id = ${accountId})
          and (e.created_at, e.request_id) < (select created_at, request_id from events where id = ${after} and account_id = ${accountId})`
  const ofStatus =
    status === 'undelivered'
      ? sql`and e.status = 'undelivered'`
      : status === 'pending'
        ? sql`and e.due_at is not null`
        : sql``
  return await sql<EventRow[]>`
    select ${columns(sql)} from events e
    where ${own} ${below} ${ofStatus} ${ofMode(sql, accountId, livemode)}
      ${requestId === null ? sql`` : sql`and e.request_id = ${requestId}`}
    order by e.created_at desc, e.request_id desc limit ${limit}`
}

export async function listUndelivered(
  sql: Runner,
  { accountId, limit }: { accountId: number | null; limit: number },
): Promise<EventRow[]> {
  return await sql<EventRow[]>`
    select ${columns(sql)} from events e
    where e.status = 'undelivered' ${accountId === null ? sql`` : sql`and e.account_id = ${accountId}`}
    order by e.account_id desc, e.created_at desc limit ${limit}`
}

export async function resendUndelivered(
  sql: Runner,
  { accountId, limit }: { accountId: number | null; limit: number },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with given_up as materialized (
      select e.id, coalesce(r.webhook_url, a.webhook_url) as url
      from events e join requests r on r.id = e.request_id join accounts a on a.id = e.account_id
      where e.status = 'undelivered' and coalesce(r.webhook_url, a.webhook_url) is not null
        ${accountId === null ? sql`` : sql`and e.account_id = ${accountId}`}
      order by e.account_id desc, e.created_at desc limit ${limit} for update of e skip locked
    )
    update events e set status = 'pending', attempts = 0, due_at = now(), url = given_up.url
    from given_up where e.id = given_up.id and e.status = 'undelivered'
    returning e.id`
  return rows.map(({ id }) => id)
}

type FoundEvent = EventRow & { body: Buffer | null; livemode: boolean }

export async function findEvent(sql: Runner, id: string): Promise<FoundEvent | undefined> {
  const [row] = await sql<FoundEvent[]>`
    select ${columns(sql)}, e.body, r.livemode from events e join requests r on r.id = e.request_id where e.id = ${id}`
  return row
}

export async function findEventOf(sql: Runner, requestId: number): Promise<EventRow | undefined> {
  const [row] = await sql<EventRow[]>`select ${columns(sql)} from events e where e.request_id = ${requestId}`
  return row
}

export type AttemptedRow = {
  number: number
  url: string
  startedAt: Date
  durationMs: number
  status: number | null
  answer: Buffer | null
  reason: string | null
}

/** Lists the delivery attempts of an event, oldest first. After a resend, `number` starts at 1 again. */
export async function listAttempts(sql: Runner, eventId: string): Promise<AttemptedRow[]> {
  return await sql<AttemptedRow[]>`
    select number, url, started_at as "startedAt", duration_ms as "durationMs", status, answer, reason
    from delivery_attempts where event_id = ${eventId} order by id`
}

/** Makes an event pending again, with the same id and body. With `accountId`, ignores events of other accounts. */
export async function resendEvent(
  sql: Runner,
  id: string,
  accountId?: number,
  livemode: boolean | null = null,
): Promise<EventRow | undefined> {
  const own = accountId === undefined ? sql`` : sql`and e.account_id = ${accountId}`
  const [row] = await sql<EventRow[]>`
    update events e set status = 'pending', attempts = 0, due_at = now(), url = coalesce(r.webhook_url, a.webhook_url)
    from requests r, accounts a
    where e.id = ${id} and e.status <> 'pending' ${own} and r.id = e.request_id and a.id = e.account_id
      and coalesce(r.webhook_url, a.webhook_url) is not null
      and ${livemode === null ? sql`true` : sql`r.livemode = ${livemode}`}
    returning ${columns(sql)}`
  return row
}

export type FollowedRow = RequestRow & {
  eventId: string
  type: string
  finishedAt: Date
  body: Buffer | null
  sequence: number
}

export async function listEventsBehind(sql: Runner, accountId: number, sequence: number): Promise<FollowedRow[]> {
  return await sql<FollowedRow[]>`
    select e.id as "eventId", e.type, e.created_at as "finishedAt", e.body, e.sequence, ${requestColumns(sql)}
    from (
      select * from events
      where account_id = ${accountId} and sequence is not null and sequence > ${sequence}::bigint
      order by sequence limit 500
    ) e
      cross join lateral (select * from requests where requests.id = e.request_id limit 1) r
    order by e.sequence`
}
