import type { Runner } from '../connection/connect.ts'
import { limitTo } from '../filters/conditions.ts'
import type { RequestRow } from '../requests.ts'
import { requestColumns } from '../requests.ts'
import type { EventStatus } from './event-log.ts'

export type AccountEventRow = RequestRow & {
  eventId: string
  type: string
  finishedAt: Date
  deliveryUrl: string | null
  deliveryStatus: EventStatus
  deliveryAttempts: number
}

/** The position of an event in the list of its account. Events without a number come first, ordered by time. */
export type EventPosition = { sequence: number } | { sequence: null; createdAt: string; requestId: number }

export async function findEventPosition(
  sql: Runner,
  accountId: number,
  id: string,
): Promise<EventPosition | undefined> {
  // Reads the time as text, because a `Date` would lose the microseconds.
  const [row] = await sql<{ sequence: number | null; createdAt: string; requestId: number }[]>`
    select sequence, created_at::text as "createdAt", request_id as "requestId" from events
    where id = ${id} and account_id = ${accountId}`
  if (row === undefined) return undefined
  const { sequence, ...early } = row
  return sequence === null ? { sequence, ...early } : { sequence }
}

type EventPageQuery = { after: EventPosition | undefined; requestId: number | undefined; limit: number }

/** Lists events in the order of their commits, so that each new event is at the end of the list. */
export async function listAccountEvents(
  sql: Runner,
  accountId: number,
  { after, requestId, limit }: EventPageQuery,
): Promise<AccountEventRow[]> {
  const maxRows = limitTo(sql, limit)
  const sequence = after?.sequence ?? 0
  const own = sql`e.account_id = ${accountId} ${requestId === undefined ? sql`` : sql`and e.request_id = ${requestId}::bigint`}`
  const numbered = sql`(
    select * from events e where ${own} and e.sequence is not null and e.sequence > ${sequence}::bigint
    order by e.sequence ${maxRows})`
  const behind =
    after?.sequence === null
      ? sql`and (e.created_at, e.request_id) > (${after.createdAt}::text::timestamptz, ${after.requestId}::bigint)`
      : sql``
  const early = sql`(
    select * from events e where ${own} and e.sequence is null ${behind}
    order by e.created_at, e.request_id ${maxRows}) union all`
  const hasEarly = after === undefined || after.sequence === null
  return await sql<AccountEventRow[]>`
    select e.id as "eventId", e.type, e.created_at as "finishedAt", e.url as "deliveryUrl", e.status as "deliveryStatus",
      e.attempts as "deliveryAttempts", ${requestColumns(sql)}
    from (${hasEarly ? early : sql``} ${numbered}) e
      -- A lookup by id for each row: a plan made for an empty table would scan the whole table.
      cross join lateral (select * from requests where requests.id = e.request_id limit 1) r
    order by e.sequence nulls first, e.created_at, e.request_id ${maxRows}`
}

export async function listEventCounts(
  sql: Runner,
  accountIds: readonly number[],
): Promise<{ accountId: number; count: number }[]> {
  return await sql<{ accountId: number; count: number }[]>`
    select id as "accountId", event_count as count from accounts
    where id = any(${accountIds}::bigint[]) and event_count > 0`
}
