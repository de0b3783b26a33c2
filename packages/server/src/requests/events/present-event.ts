import type { AccountEvent, WebhookEvent } from '@mediamill/contract/objects/event'
import type { AccountEventRow } from '../../db/events/account-events.ts'
import type { RequestRow } from '../../db/requests.ts'
import type { Links } from '../present.ts'
import { present } from '../present.ts'
import { toRequest } from '../record.ts'

export type FinishedRow = RequestRow & { eventId: string; type: string; finishedAt: Date }

export function presentEvent(row: FinishedRow, links: Links): WebhookEvent {
  const heading = { id: row.eventId, object: 'event' as const }
  const created = Math.floor(row.finishedAt.getTime() / 1000)
  const data = present(toRequest(row), links)
  switch (data.status) {
    case 'succeeded':
      return { ...heading, type: 'request.succeeded', created, data }
    case 'failed':
      return { ...heading, type: 'request.failed', created, data }
    case 'aborted':
      return { ...heading, type: 'request.aborted', created, data }
    case 'queued':
    case 'processing':
      throw new Error(`request ${row.id} has an event before it has finished: ${data.status}`)
  }
}

/** Returns an event and its delivery in the format of the event list (events.list.1). */
export function presentAccountEvent(row: AccountEventRow, links: Links): AccountEvent {
  const delivery = { url: row.deliveryUrl, status: row.deliveryStatus, attempts: row.deliveryAttempts }
  return { ...presentEvent(row, links), delivery }
}
