/** The clock and timers of a client. Tests replace them. */
export type Clock = {
  now: () => number
  /** Calls `then` after `ms` milliseconds. Returns a function that cancels the timer. */
  after: (ms: number, then: () => void) => () => void
  /** Resolves after `ms` milliseconds. If `signal` aborts, rejects with the reason of the signal. */
  sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** The maximum delay of a JavaScript timer. */
const MAX_TIMER_MS = 2_147_483_647

export const CLOCK: Clock = {
  now: () => Date.now(),
  after(ms, then) {
    const timer = setTimeout(then, Math.min(ms, MAX_TIMER_MS))
    return () => clearTimeout(timer)
  },
  sleep: async (ms, signal) =>
    await new Promise<void>((resolve, reject) => {
      signal?.throwIfAborted()
      const stop = CLOCK.after(ms, end)
      signal?.addEventListener('abort', end)
      function end() {
        stop()
        signal?.removeEventListener('abort', end)
        if (signal?.aborted === true) reject(signal.reason as Error)
        else resolve()
      }
    }),
}

const REPLACED = Symbol('clock')

/** Adds a clock to a client's options, for tests. Its key is a symbol that the public type does not contain. */
export const withClock = <Options extends object>(options: Options, clock: Clock): Options => ({
  ...options,
  [REPLACED]: clock,
})

export const clockOf = (options: object): Clock => (options as { [REPLACED]?: Clock })[REPLACED] ?? CLOCK
