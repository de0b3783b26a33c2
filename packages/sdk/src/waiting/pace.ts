import type { RateLimit } from '../transport/rate-limit.ts'

export const MAX_HOLD_SECONDS = 25

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 5000
const GROWTH = 1.5

/** Returns the seconds of a long poll. With `wantsProgress`, it is shorter: polls use up to half of the rate limit. */
export function holdSeconds(remainingMs: number, wantsProgress: boolean, limit: RateLimit | undefined): number {
  const maximum = wantsProgress ? Math.ceil(120 / Math.max(1, limit?.limit ?? 30)) : MAX_HOLD_SECONDS
  return Math.max(0, Math.min(MAX_HOLD_SECONDS, maximum, Math.floor(remainingMs / 1000)))
}

/** Returns the pause between polls without long polls, in ms. After half of a minute's calls, spreads the rest. */
export function pollDelayMs(polls: number, limit: RateLimit | undefined): number {
  const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * GROWTH ** (polls - 1))
  if (limit === undefined || limit.remaining > limit.limit / 2) return delayMs
  return Math.max(delayMs, (limit.resetSeconds * 1000) / Math.max(1, limit.remaining))
}
