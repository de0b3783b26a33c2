import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { Sql } from '../../db/connection/connect.ts'
import type { AccountEventRow, EventPosition } from '../../db/events/account-events.ts'
import { findEventPosition, listAccountEvents } from '../../db/events/account-events.ts'
import { toRequest } from '../record.ts'

export type EventsPage = { events: AccountEventRow[]; hasMore: boolean }

export type EventListQuery = { after: EventPosition | undefined; requestId: RequestId | undefined; limit: number }

export async function positionOf(sql: Sql, accountId: AccountId, eventId: string): Promise<EventPosition | undefined> {
  return await findEventPosition(sql, accountId, eventId)
}

export async function listEvents(sql: Sql, accountId: AccountId, query: EventListQuery): Promise<EventsPage> {
  const rows = await listAccountEvents(sql, accountId, { ...query, limit: query.limit + 1 })
  return { events: rows.slice(0, query.limit), hasMore: rows.length > query.limit }
}

/** Aborts newer than this may not be on disk yet. Covers a delay of 1 s, and clock differences between machines. */
const UNWRITTEN_MS = 60_000

/** Returns the aborts that a database crash could undo. The caller must flush them before it returns their events. */
export function maybeUnwritten({ events }: EventsPage, now: number): MediaRequest[] {
  return events
    .filter(({ status, finishedAt }) => status === 'aborted' && now - finishedAt.getTime() < UNWRITTEN_MS)
    .map(toRequest)
}
