import type { Runner, Sql } from '../db/connection/connect.ts'
import type { AttemptedRow, EventFilter, EventRow } from '../db/events/event-log.ts'
import { findEvent, listAttempts, listEventPage, listUndelivered, resendUndelivered } from '../db/events/event-log.ts'
import { sendNotifications } from '../queue/notifications.ts'

export type { AttemptedRow, EventRow } from '../db/events/event-log.ts'

type EventPage = { rows: EventRow[]; hasMore: boolean }

const pageOf = (rows: EventRow[], limit: number): EventPage => ({
  rows: rows.slice(0, limit),
  hasMore: rows.length > limit,
})

export async function eventPage(sql: Sql, filter: EventFilter): Promise<EventPage> {
  return pageOf(await listEventPage(sql, { ...filter, limit: filter.limit + 1 }), filter.limit)
}

export async function undeliveredPage(
  sql: Sql,
  which: { accountId: number | null; limit: number },
): Promise<EventPage> {
  return pageOf(await listUndelivered(sql, { ...which, limit: which.limit + 1 }), which.limit)
}

export type EventScope = { accountId: number; livemode: boolean | null }

export async function eventOf(
  sql: Sql,
  { accountId, livemode }: EventScope,
  id: string,
): Promise<{ row: EventRow; attempts: AttemptedRow[]; body: unknown } | undefined> {
  const found = await findEvent(sql, id)
  if (found?.accountId !== accountId) return undefined
  if (livemode !== null && found.livemode !== livemode) return undefined
  const { body, livemode: _, ...row } = found
  return { row, attempts: await listAttempts(sql, id), body: body === null ? null : JSON.parse(body.toString()) }
}

const AT_ONCE = 1_000

/** Sends up to 1,000 undelivered events again. Returns the number of events, and whether more may be left. */
export async function resendAll(sql: Runner, accountId: number | null): Promise<{ resent: number; left: boolean }> {
  const ids = await resendUndelivered(sql, { accountId, limit: AT_ONCE })
  if (ids.length > 0) await sendNotifications(sql, ['queue:deliveries'])
  return { resent: ids.length, left: ids.length === AT_ONCE }
}
