import type { WebhookEvent } from '../contract/event.ts'
import type { RequestRow } from '../db/requests.ts'
import type { Links } from '../requests/present.ts'
import { present } from '../requests/present.ts'
import { toRequest } from '../requests/record.ts'
import { signatureHeaders } from './sign.ts'

/** The end of a request as an event. It has the event's own fields and the request's row. */
export type FinishedRow = RequestRow & { eventId: string; type: string; finishedAt: Date }

/** The Event object of Spec 6.1, as the bytes that are posted. */
export function eventBody(row: FinishedRow, links: Links): Buffer {
  return Buffer.from(JSON.stringify(presentEvent(row, links)))
}

function presentEvent(row: FinishedRow, links: Links): WebhookEvent {
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
      throw new Error(`request ${row.id} has an event and is ${data.status}`)
  }
}

/** The headers of one attempt, 1 to 4, signed at `now` (rulings 10). */
export function deliveryHeaders(
  event: { id: string; type: string; attempt: number },
  body: Buffer,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Mediamill-Webhooks/1.0',
    'Service-Event-Id': event.id,
    'Service-Event-Type': event.type,
    'Service-Delivery-Attempt': String(event.attempt),
    ...signatureHeaders(event.id, body, secrets, now),
  }
}
