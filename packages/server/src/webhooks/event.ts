import type { FinishedRow } from '../requests/events/present-event.ts'
import { presentEvent } from '../requests/events/present-event.ts'
import type { Links } from '../requests/present.ts'
import { signatureHeaders } from './sign.ts'

export function eventBody(row: FinishedRow, links: Links): Buffer {
  return Buffer.from(JSON.stringify(presentEvent(row, links)))
}

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
