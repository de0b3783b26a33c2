import { ApiError } from '@mediamill/contract/domain/errors'
import { tryAgainIn } from '../../try-again.ts'

const MINUTE_MS = 60_000

/** The maximum number of names that a `RateLimiter` keeps. A new name in a full list removes the oldest name. */
const MAX_NAMES = 10_000

type RateLimiterOptions = { windowMs?: number; clock?: () => number }

/**
 * Limits the calls of each name, such as a session, in a time window (default: 1 minute), in this process. The first
 * call of a name starts its window.
 */
export class RateLimiter {
  readonly #counts = new Map<string, { count: number; until: number }>()
  readonly #maxCalls: number
  readonly #clock: () => number
  readonly #windowMs: number

  constructor(maxCalls: number, { windowMs = MINUTE_MS, clock = () => performance.now() }: RateLimiterOptions = {}) {
    this.#maxCalls = maxCalls
    this.#clock = clock
    this.#windowMs = windowMs
  }

  enter(name: string): void {
    const waitMs = this.#count(name)
    if (waitMs > 0) throw tooFast(Math.ceil(waitMs / 1_000))
  }

  admits(name: string): boolean {
    return this.#count(name) === 0
  }

  #count(name: string): number {
    const now = this.#clock()
    const known = this.#counts.get(name)
    if (known === undefined || known.until <= now) {
      this.#counts.delete(name)
      this.#counts.set(name, { count: 1, until: now + this.#windowMs })
      if (this.#counts.size > MAX_NAMES) this.#forgetOldest()
      return 0
    }
    if (known.count >= this.#maxCalls) return known.until - now
    known.count += 1
    return 0
  }

  #forgetOldest(): void {
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined) this.#counts.delete(oldest)
  }
}

function tooFast(seconds: number): ApiError {
  return new ApiError('rate_limited', `Too many calls within a minute. ${tryAgainIn(seconds)}`, {
    retryAfterSeconds: seconds,
  })
}
