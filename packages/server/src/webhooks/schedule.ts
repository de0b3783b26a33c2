/** The gaps between delivery attempts in milliseconds (webhooks.deliveries.3). Each gap starts at the end of an attempt. */
export const GAPS_MS: readonly number[] = [4000, 5000, 7000]

export const DEADLINE_MS = 10_000

/** The jitter of a gap. It is less than the allowed ±10 % (webhooks.deliveries.3), because claiming the attempt takes time too. */
const JITTER = 0.09

/** Returns the wait after a failed attempt (1 is the first), or `undefined` after the last attempt. */
export function gapAfter(attempt: number, gapsMs: readonly number[], random: () => number): number | undefined {
  const gapMs = gapsMs[attempt - 1]
  return gapMs === undefined ? undefined : Math.round(gapMs * (1 - JITTER + 2 * JITTER * random()))
}
