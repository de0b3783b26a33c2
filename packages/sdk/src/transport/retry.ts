import { ApiError } from '../errors/api-error.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import type { Clock } from './clock.ts'

/** The maximum `Retry-After`. If it is longer, the call fails, so that the program decides when to retry. */
export const MAX_RETRY_AFTER_SECONDS = 60

const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 8000

/** Returns the delay before a retry, or `undefined` if a retry cannot succeed. `tries` is the number of attempts. */
export function retryDelayMs(error: unknown, tries: number, random: () => number = Math.random): number | undefined {
  const backoff = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1)) * (0.75 + random() / 4)
  if (error instanceof ConnectionError) return backoff
  if (!(error instanceof ApiError) || !isTemporary(error)) return undefined
  const seconds = error.retryAfterSeconds
  if (seconds === undefined) return error.status === 429 ? undefined : backoff
  return seconds <= MAX_RETRY_AFTER_SECONDS ? spreadMs(seconds, random) : undefined
}

/** Waits before a retry. Throws `error` if a retry cannot help. `tries` is the number of attempts so far. */
export async function pauseBeforeRetry(
  { clock, maxRetries }: { clock: Clock; maxRetries: number },
  error: unknown,
  tries: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted()
  const delayMs = tries <= maxRetries ? retryDelayMs(error, tries) : undefined
  if (delayMs === undefined) throw error
  await clock.sleep(delayMs, signal)
}

/** Converts `Retry-After` to milliseconds, and adds up to 20 %, so that clients do not all retry at the same moment. */
export const spreadMs = (seconds: number, random: () => number = Math.random) => seconds * 1000 * (1 + random() / 5)

function isTemporary({ status, code }: ApiError): boolean {
  if (status === 429) return code === 'rate_limited' || code === 'concurrency_limited'
  if (status === 409) return code === 'idempotency_key_in_use'
  return status === 408 || status >= 500
}
