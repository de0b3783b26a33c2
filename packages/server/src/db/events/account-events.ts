import type { Runner } from '../connection/connect.ts'
import type { RequestRow } from '../requests.ts'
import { requestColumns } from '../requests.ts'
import type { EventStatus } from './event-log.ts'

/** An event of an account with its request, and where it went. */
export type AccountEventRow = RequestRow & {
  eventId: string
  type: string
  finishedAt: Date
  deliveryUrl: string | null
  deliveryStatus: EventStatus
  deliveryAttempts: number
}

/** Where an event stands in its account's order. Those without a number come first, by their times. */
export type EventPlace = { sequence: number } | { sequence: null; createdAt: string; requestId: number }

/** Finds where an event stands in its account's order. Another account's event is not found. */
export async function findEventPlace(sql: Runner, accountId: number, id: string): Promise<EventPlace | undefined> {
  // As text: a `Date` would lose the microseconds.
  // wall: another account’s event as a cursor
  const [row] = await sql<{ sequence: number | null; createdAt: string; requestId: number }[]>`
    select sequence, created_at::text as "createdAt", request_id as "requestId" from events
    where id = ${id} and account_id = ${accountId}`
  if (row === undefined) return undefined
  const { sequence, ...early } = row
  return sequence === null ? { sequence, ...early } : { sequence }
}

/** Names the wanted events of an account: those behind `after`, of one request if given. */
export type EventsWanted = { after: EventPlace | undefined; requestId: number | undefined; limit: number }

/**
 * Lists an account's events in the order of their commits. What is seen later stands later.
 *
 * Each part is read from an index of its own, by as many rows as are wanted.
 */
export async function listAccountEvents(
  sql: Runner,
  accountId: number,
  { after, requestId, limit }: EventsWanted,
): Promise<AccountEventRow[]> {
  // In the statement itself: a plan for any number of rows would read and sort all that fit.
  const most = sql.unsafe(String(Math.trunc(limit)))
  const sequence = after?.sequence ?? 0
  // wall: another account’s events
  const own = sql`e.account_id = ${accountId} ${requestId === undefined ? sql`` : sql`and e.request_id = ${requestId}::bigint`}`
  const numbered = sql`(
    select * from events e where ${own} and e.sequence is not null and e.sequence > ${sequence}::bigint
    order by e.sequence limit ${most})`
  const behind =
    after?.sequence === null
      ? sql`and (e.created_at, e.request_id) > (${after.createdAt}::text::timestamptz, ${after.requestId}::bigint)`
      : sql``
  const early = sql`(
    select * from events e where ${own} and e.sequence is null ${behind}
    order by e.created_at, e.request_id limit ${most}) union all`
  const hasEarly = after === undefined || after.sequence === null
  return await sql<AccountEventRow[]>`
    select e.id as "eventId", e.type, e.created_at as "finishedAt", e.url as "deliveryUrl", e.status as "deliveryStatus",
      e.attempts as "deliveryAttempts", ${requestColumns(sql)}
    from (${hasEarly ? early : sql``} ${numbered}) e
      -- One by its number at a time: a plan that was made for an empty table would read all of a full one.
      cross join lateral (select * from requests where requests.id = e.request_id limit 1) r
    order by e.sequence nulls first, e.created_at, e.request_id limit ${most}`
}

/** How many events these accounts have had, of those that have had any. */
export async function listEventCounts(
  sql: Runner,
  accountIds: readonly number[],
): Promise<{ accountId: number; count: number }[]> {
  return await sql<{ accountId: number; count: number }[]>`
    select id as "accountId", event_count as count from accounts
    where id = any(${accountIds as number[]}::bigint[]) and event_count > 0`
}
