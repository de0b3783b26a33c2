import { ApiError } from '../../../domain/errors.ts'

const MINUTE_MS = 60_000

/** Names that are counted at once; of more the oldest are forgotten. */
const MOST_NAMES = 10_000

/**
 * Bounds how often something is done within a minute, by name, in this process. The minute is one by the clock of the first
 * time: a name that was not seen for that long begins anew.
 */
export class Pace {
  readonly #counts = new Map<string, { count: number; until: number }>()
  readonly #perMinute: number
  readonly #clock: () => number

  constructor(perMinute: number, clock: () => number = () => performance.now()) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  /** Counts one more; throws `rate_limited` when the minute of that name is full. */
  enter(name: string): void {
    const now = this.#clock()
    const known = this.#counts.get(name)
    if (known === undefined || known.until <= now) {
      this.#counts.delete(name)
      this.#counts.set(name, { count: 1, until: now + MINUTE_MS })
      if (this.#counts.size > MOST_NAMES) this.#forgetOldest()
      return
    }
    // wall: calls of the developer area without end
    if (known.count >= this.#perMinute) throw tooFast(Math.ceil((known.until - now) / 1_000))
    known.count += 1
  }

  #forgetOldest(): void {
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined) this.#counts.delete(oldest)
  }
}

function tooFast(seconds: number): ApiError {
  return new ApiError('rate_limited', `This was done too often within a minute. Try again in ${seconds} seconds.`, {
    retryAfterSeconds: seconds,
  })
}
