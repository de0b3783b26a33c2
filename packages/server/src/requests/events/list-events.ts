import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { Sql } from '../../db/connection/connect.ts'
import type { AccountEventRow, EventPlace } from '../../db/events/account-events.ts'
import { findEventPlace, listAccountEvents } from '../../db/events/account-events.ts'
import { toRequest } from '../record.ts'

/** A page of an account's events in their order, and whether others follow. */
export type EventsPage = { events: AccountEventRow[]; hasMore: boolean }

/** Where a page begins and what is on it. */
export type EventsAsked = { after: EventPlace | undefined; requestId: RequestId | undefined; limit: number }

/** The place behind which a page begins; `undefined` when the account has no such event. */
export async function placeOf(sql: Sql, accountId: AccountId, eventId: string): Promise<EventPlace | undefined> {
  return await findEventPlace(sql, accountId, eventId)
}

/** One page of an account's events, the oldest first (rulings 16). */
export async function listEvents(sql: Sql, accountId: AccountId, asked: EventsAsked): Promise<EventsPage> {
  const rows = await listAccountEvents(sql, accountId, { ...asked, limit: asked.limit + 1 })
  return { events: rows.slice(0, asked.limit), hasMore: rows.length > asked.limit }
}

/** An abort is seen before it is on disk, by less than a second; the clocks of two machines may differ by more. */
const UNWRITTEN_MS = 60_000

/**
 * Finds requests of a page whose end a database crash could still lose.
 *
 * Their events are told of once they are on disk: a client goes on behind the last event that it was shown.
 */
export function maybeUnwritten({ events }: EventsPage, now: number): MediaRequest[] {
  return events
    .filter(({ status, finishedAt }) => status === 'aborted' && now - finishedAt.getTime() < UNWRITTEN_MS)
    .map(toRequest)
}
