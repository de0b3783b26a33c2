import { every } from './every.ts'

const IDLE_AFTER_MS = 30_000

/** The longest wait of a timer, because Node.js fires a timer of over 24 days immediately. */
const LONGEST_MS = 3_600_000

type IdleTrackerOptions = {
  isBusy: () => boolean
  clock?: () => number
}

/** Tracks whether the process is idle. A process is idle after 30 s without work. New work wakes all waiting loops. */
export class IdleTracker {
  readonly #isBusy: () => boolean
  readonly #clock: () => number
  readonly #resting = new Set<() => void>()
  #busyAt: number

  constructor({ isBusy, clock = () => performance.now() }: IdleTrackerOptions) {
    this.#isBusy = isBusy
    this.#clock = clock
    this.#busyAt = clock()
  }

  touch(): void {
    this.#busyAt = this.#clock()
    for (const wake of this.#resting) wake()
  }

  /** Waits up to `restMs` while the process is idle. Returns early for new work, or if the signal aborts. */
  async rest(restMs: number, signal: AbortSignal): Promise<void> {
    const now = this.#clock()
    if (this.#isBusy()) this.#busyAt = now
    if (now - this.#busyAt < IDLE_AFTER_MS || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#resting.add(resolve)
    const timer = setTimeout(resolve, Math.min(restMs, LONGEST_MS)).unref()
    const end = () => resolve()
    signal.addEventListener('abort', end, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', end)
      this.#resting.delete(resolve)
      clearTimeout(timer)
    }
  }
}

type IdleInterval = { intervalMs: number; idle: IdleTracker; restMs: number }

export function intervalUnlessIdle(
  { intervalMs, idle, restMs }: IdleInterval,
  signal: AbortSignal,
  work: () => Promise<void>,
): void {
  every(intervalMs, signal, async () => {
    await idle.rest(restMs, signal)
    if (!signal.aborted) await work()
  })
}
