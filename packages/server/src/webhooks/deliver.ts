import { openWebhookSecret } from '../accounts/webhook-secret.ts'
import type { AttemptRow, ClaimedEvent } from '../db/events/events.ts'
import { gapAfter } from '../outbound/attempt-gaps.ts'
import type { Network } from '../outbound/network.ts'
import type { PostOutcome } from '../outbound/post.ts'
import { post } from '../outbound/post.ts'
import type { Span, Tracer } from '../telemetry/trace.ts'
import { kindOf } from '../telemetry/trace.ts'
import { deliveryHeaders } from './event.ts'

export const DEADLINE_MS = 10_000

export type Delivering = {
  record: (attempt: AttemptRow) => Promise<boolean>
  secretKey: string
  network: Network
  gapsMs: readonly number[]
  deadlineMs: number
  tracer?: Tracer | undefined
}

type Delivery = { claimed: ClaimedEvent; body: Buffer }

type AttemptEnd = { outcome: 'delivered' | 'undelivered' | 'repeated' } | { outcome: 'retried'; afterMs: number }

export async function deliver(parts: Delivering, delivery: Delivery, signal: AbortSignal): Promise<AttemptEnd> {
  const span = startDelivery(parts.tracer, delivery.claimed)
  try {
    const end = await attempt(parts, delivery, span, signal)
    span?.note({ outcome: end.outcome })
    return end
  } catch (error) {
    span?.fail(kindOf(error))
    throw error
  } finally {
    span?.end()
  }
}

function startDelivery(tracer: Tracer | undefined, event: ClaimedEvent): Span | undefined {
  if (tracer === undefined) return undefined
  const { id, accountId, eventId, attempts, trace } = event
  const attributes = { request_id: id, account_id: accountId, event_id: eventId, attempt: attempts + 1 }
  return tracer.start('delivery', { kind: 'client', parent: trace, attributes })
}

async function attempt(
  parts: Delivering,
  { claimed, body }: Delivery,
  span: Span | undefined,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const { eventId, type, url } = claimed
  const number = claimed.attempts + 1
  const secrets = claimed.sealed.map((sealed) => openWebhookSecret(parts.secretKey, claimed.accountId, sealed))
  const startedAt = new Date()
  const outcome = await post(url, {
    network: parts.network,
    headers: { ...deliveryHeaders({ id: eventId, type, attempt: number }, body, secrets, startedAt), ...span?.headers },
    body,
    signal,
    deadlineMs: parts.deadlineMs,
  })
  const afterMs = isDelivered(outcome) ? undefined : gapAfter(number, parts.gapsMs, Math.random)
  if (outcome.ok) span?.note({ 'http.response.status_code': outcome.status })
  if (!isDelivered(outcome)) span?.fail(outcome.ok ? String(outcome.status) : 'no_response')
  const status = isDelivered(outcome) ? 'delivered' : 'undelivered'
  const recorded = await parts.record({
    eventId,
    lease: claimed.lease,
    url,
    startedAt,
    durationMs: outcome.durationMs,
    response: responseOf(outcome),
    next: afterMs === undefined ? { status } : { afterMs },
  })
  if (!recorded) return { outcome: 'repeated' }
  return afterMs === undefined ? { outcome: status } : { outcome: 'retried', afterMs }
}

/** Returns whether the receiver accepted the event. A redirect is not followed, so it does not count as delivered. */
export function isDelivered(outcome: PostOutcome): boolean {
  return outcome.ok && outcome.status >= 200 && outcome.status < 300
}

function responseOf(outcome: PostOutcome): AttemptRow['response'] {
  return outcome.ok ? { status: outcome.status, beginning: outcome.bodyStart } : { reason: outcome.reason }
}
