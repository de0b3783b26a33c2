import type { Runner, Sql } from '../db/connection/connect.ts'
import { notifyEvents } from '../db/connection/notices.ts'
import type { AttemptedRow, EventFilter, EventRow } from '../db/events/event-log.ts'
import { findEvent, listAttempts, listEventPage, listUndelivered, resendUndelivered } from '../db/events/event-log.ts'

export type { AttemptedRow, EventRow } from '../db/events/event-log.ts'

type EventPage = { rows: EventRow[]; hasMore: boolean }

const pageOf = (rows: EventRow[], limit: number): EventPage => ({
  rows: rows.slice(0, limit),
  hasMore: rows.length > limit,
})

/** A page of an account's events, newest first, and whether older ones follow. */
export async function eventPage(sql: Sql, filter: EventFilter): Promise<EventPage> {
  return pageOf(await listEventPage(sql, { ...filter, limit: filter.limit + 1 }), filter.limit)
}

/** Events that were given up, of an account or of all. */
export async function undeliveredPage(
  sql: Sql,
  which: { accountId: number | null; limit: number },
): Promise<EventPage> {
  return pageOf(await listUndelivered(sql, { ...which, limit: which.limit + 1 }), which.limit)
}

/** Whose events, and of which mode; `null` for both. */
export type EventScope = { accountId: number; livemode: boolean | null }

/** An event of this account with its attempts and what they posted. `undefined` when it has no such event. */
export async function eventOf(
  sql: Sql,
  { accountId, livemode }: EventScope,
  id: string,
): Promise<{ row: EventRow; attempts: AttemptedRow[]; body: unknown } | undefined> {
  const found = await findEvent(sql, id)
  // wall: another account’s event
  if (found?.accountId !== accountId) return undefined
  if (livemode !== null && found.livemode !== livemode) return undefined
  const { body, livemode: _, ...row } = found
  return { row, attempts: await listAttempts(sql, id), body: body === null ? null : JSON.parse(body.toString()) }
}

/** How many given-up events one call sends again. */
const AT_ONCE = 1_000

/** Sends given-up events again, of an account or of all. So many at once, and whether there may be more. */
export async function resendAll(sql: Runner, accountId: number | null): Promise<{ resent: number; left: boolean }> {
  const ids = await resendUndelivered(sql, { accountId, limit: AT_ONCE })
  if (ids.length > 0) await notifyEvents(sql)
  return { resent: ids.length, left: ids.length === AT_ONCE }
}
