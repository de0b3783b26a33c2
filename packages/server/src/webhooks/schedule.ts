/**
 * The gaps between the attempts at a delivery, in milliseconds (Spec 6.3). Each runs from the end of an attempt; after
 * the last gap there is none.
 */
export const GAPS_MS: readonly number[] = [4000, 5000, 7000]

/** From connecting to the answer's headers (Spec 6.3, rulings 10). */
export const DEADLINE_MS = 10_000

/** Most of the ±10 % that a gap may stray (rulings 10); finding out that the time has come takes the rest. */
const JITTER = 0.09

/**
 * Returns the wait after a failed attempt, 1 being the first. It is spread so that retries do not come in waves, and
 * `undefined` after the last.
 */
export function gapAfter(attempt: number, gapsMs: readonly number[], random: () => number): number | undefined {
  const gapMs = gapsMs[attempt - 1]
  return gapMs === undefined ? undefined : Math.round(gapMs * (1 - JITTER + 2 * JITTER * random()))
}
