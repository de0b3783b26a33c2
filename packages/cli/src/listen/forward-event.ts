import { setTimeout as delay } from 'node:timers/promises'
import type { AnyEvent } from '@mediamill/sdk/src/resources/events'
import { generateTestHeaders } from '@mediamill/sdk/src/webhooks'

export type Forwarded = { status: number | null; reason: string | null; durationMs: number }

const RESPONSE_TIMEOUT_MS = 15_000

/** The maximum number of attempts. They are one second apart, so that the receiver can restart. */
const MAX_TRIES = 10
const PAUSE_MS = 1_000

/** Posts an event as the service does: signed in both schemes, without following redirects. */
export async function forwardEvent(
  event: AnyEvent,
  url: string,
  secret: string,
  signal: AbortSignal,
): Promise<Forwarded> {
  const { delivery: _, ...posted } = event
  const body = JSON.stringify(posted)
  const startedAt = performance.now()
  const took = () => Math.round(performance.now() - startedAt)
  for (let tries = 1; ; tries += 1) {
    try {
      const headers = await generateTestHeaders({ body, secret, id: event.id })
      const timed = AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)])
      const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal: timed })
      await response.body?.cancel()
      return { status: response.status, reason: null, durationMs: took() }
    } catch (error) {
      signal.throwIfAborted()
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      if (isLate) return { status: null, reason: `no response in ${RESPONSE_TIMEOUT_MS / 1000} s`, durationMs: took() }
      if (tries === MAX_TRIES) return { status: null, reason: 'connection failed', durationMs: took() }
      await delay(PAUSE_MS, undefined, { signal })
    }
  }
}
