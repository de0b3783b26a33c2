import { ApiError } from '../errors/api-error.ts'
import type { Clock } from './clock.ts'
import { orAborted } from './or-aborted.ts'
import type { RateLimit } from './rate-limit.ts'
import { rateLimitOf } from './rate-limit.ts'
import { MAX_RETRY_AFTER_SECONDS, spreadMs } from './retry.ts'

/** Describes a pause of the client. The client pauses because the account has reached a limit. */
export type WaitNotice = {
  /** The reached limit: calls per minute (`rate_limit`), or open requests or uploads (`concurrency_limit`). */
  reason: 'rate_limit' | 'concurrency_limit'
  /** The length of the pause, in whole seconds. */
  seconds: number
}

const MINUTE_MS = 60_000

/** The maximum pause of a call that waits for a slot, unless `Retry-After` is longer. `spreadMs` adds up to 20 %. */
const MAX_SLOT_PAUSE_SECONDS = 8

/** Delays the calls of one client so that they stay within the rate limit of its account. */
export class Throttle {
  readonly #clock: Clock
  readonly #notify: (notice: WaitNotice) => void
  readonly #notified = { rate_limit: 0, concurrency_limit: 0 }
  #turn = Promise.resolve()
  #sent = 0
  /** The newest rate limit. `remaining` does not count calls that were sent after the call with the number `call`. */
  #limit: (RateLimit & { call: number; renewsAt: number }) | undefined
  #pausedUntil = 0

  constructor(clock: Clock, notify: (notice: WaitNotice) => void = () => {}) {
    this.#clock = clock
    this.#notify = notify
  }

  /** Waits until a call may be sent, in the order in which the calls arrive. Returns the number of the call. */
  async enter(signal: AbortSignal | undefined): Promise<number> {
    const before = this.#turn
    let leave = () => {}
    this.#turn = new Promise((resolve) => {
      leave = resolve
    })
    try {
      await orAborted(before, signal)
      for (let pauseMs = this.#pauseMs(); pauseMs > 0; pauseMs = this.#pauseMs()) {
        this.notify('rate_limit', pauseMs)
        await this.#clock.sleep(pauseMs, signal)
      }
      this.#sent += 1
      return this.#sent
    } finally {
      // If this call is aborted, the next call must still wait for all earlier calls.
      void before.then(leave)
    }
  }

  /** Reads the rate limit in a response. Ignores the response if the response to a later call was read before. */
  update(call: number, sentAt: number, headers: Headers): void {
    const limit = rateLimitOf(headers)
    if (limit === undefined || call < (this.#limit?.call ?? 0)) return
    this.#limit = { ...limit, call, renewsAt: sentAt + limit.resetSeconds * 1000 }
  }

  /** Returns the pause of a rejected call in ms; 0 if all calls pause; `undefined` if a retry cannot help. */
  pauseAfter(error: unknown, tries: number): number | undefined {
    if (!(error instanceof ApiError) || error.status !== 429) return undefined
    const seconds = error.retryAfterSeconds
    if (seconds === undefined || seconds > MAX_RETRY_AFTER_SECONDS) return undefined
    if (error.code === 'rate_limited') {
      this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + spreadMs(seconds))
      return 0
    }
    if (error.code !== 'concurrency_limited') return undefined
    return spreadMs(Math.max(seconds, Math.min(MAX_SLOT_PAUSE_SECONDS, 2 ** (tries - 1))))
  }

  /** Reports a pause to the program. If several calls pause at the same time, reports only one pause. */
  notify(reason: WaitNotice['reason'], pauseMs: number): void {
    const now = this.#clock.now()
    if (now < this.#notified[reason]) return
    this.#notified[reason] = now + pauseMs
    this.#notify({ reason, seconds: Math.ceil(pauseMs / 1000) })
  }

  #pauseMs(): number {
    const now = this.#clock.now()
    if (now < this.#pausedUntil) return this.#pausedUntil - now
    const limit = this.#limit
    if (limit === undefined || limit.remaining > this.#sent - limit.call) return 0
    if (now < limit.renewsAt) return limit.renewsAt - now
    // Until a response contains the remaining calls, send calls at the average rate of the limit.
    const resetMs = MINUTE_MS / Math.max(1, limit.limit)
    this.#limit = { ...limit, remaining: 1, call: this.#sent, renewsAt: now + resetMs }
    return 0
  }
}
