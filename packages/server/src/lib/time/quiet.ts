import { every } from './every.ts'

/** The time without work after which a process looks for it less often. */
const QUIET_AFTER_MS = 30_000

/** The longest time that a timer waits at once: more than 24 days would be none for Node. */
const LONGEST_MS = 3_600_000

export type QuietOptions = {
  /** Tells whether work is under way. */
  isBusy: () => boolean
  /** A clock in milliseconds that never goes back. */
  clock?: () => number
}

/** Knows whether there was work within the last half minute. It wakes those who rest when work comes. */
export class Quiet {
  readonly #isBusy: () => boolean
  readonly #clock: () => number
  readonly #resting = new Set<() => void>()
  #busyAt: number

  constructor({ isBusy, clock = () => performance.now() }: QuietOptions) {
    this.#isBusy = isBusy
    this.#clock = clock
    this.#busyAt = clock()
  }

  /** Notes that there is work, and ends every rest. */
  touch(): void {
    this.#busyAt = this.#clock()
    for (const wake of this.#resting) wake()
  }

  /** Waits for work, so long at most and until the signal at the longest. While it is not quiet it returns at once. */
  async rest(restMs: number, signal: AbortSignal): Promise<void> {
    const now = this.#clock()
    if (this.#isBusy()) this.#busyAt = now
    if (now - this.#busyAt < QUIET_AFTER_MS || signal.aborted) return
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

/** How often something is done, and the rest before each turn while it is quiet. */
export type Turns = { intervalMs: number; quiet: Quiet; restMs: number }

/** Runs `work` again and again as `every` does. While it is quiet it rests before each turn, until there is work. */
export function everyUnlessQuiet(
  { intervalMs, quiet, restMs }: Turns,
  signal: AbortSignal,
  work: () => Promise<void>,
): void {
  every(intervalMs, signal, async () => {
    await quiet.rest(restMs, signal)
    if (!signal.aborted) await work()
  })
}
