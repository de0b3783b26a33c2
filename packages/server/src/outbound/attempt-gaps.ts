/** The pauses in milliseconds. A pause starts when an attempt ends (webhooks.deliveries.3, destinations.attempts.2). */
export const GAPS_MS: readonly number[] = [4000, 5000, 7000]

/** The random share of a pause. It is less than the allowed 10 %, because claiming takes time too. */
const JITTER = 0.09

/** Returns the pause in milliseconds after attempt number `attempt` (from 1), or `undefined` after the last attempt. */
export function gapAfter(attempt: number, gapsMs: readonly number[], random: () => number): number | undefined {
  const gapMs = gapsMs[attempt - 1]
  return gapMs === undefined ? undefined : Math.round(gapMs * (1 - JITTER + 2 * JITTER * random()))
}
