import type { Claim } from '../requests/claim.ts'
import type { Span, Tracer } from '../telemetry/trace.ts'

export function startAttempt(tracer: Tracer | undefined, { request, lease, trace }: Claim): Span | undefined {
  if (tracer === undefined) return undefined
  const { endpoint, accountId } = request
  const attributes = { request_id: request.id, account_id: accountId, endpoint, attempt: lease.attempt }
  if (trace !== null && lease.attempt === 1 && request.status === 'processing') {
    // Both times are from the database, because the clocks of two machines can differ.
    const queued = { kind: 'internal', parent: trace, attributes, startedAt: request.createdAt } as const
    tracer.start('queued', queued).end(request.startedAt)
  }
  return tracer.start('attempt', { kind: 'consumer', parent: trace, attributes })
}
