import type { Clock } from '@mediamill/sdk/src/transport/clock'

/** A clock that advances only when `sleep` is called. `sleep` does not wait. `timers` counts active timers. */
export type VirtualClock = Clock & { readonly timers: number; readonly slept: number[] }

/** Creates a clock that starts at `start`, in Unix milliseconds. */
export function createVirtualClock(start = 1_795_276_800_000): VirtualClock {
  let time = start
  const timers = new Map<symbol, { at: number; run: () => void }>()
  const slept: number[] = []
  return {
    now: () => time,
    after(ms, then) {
      const id = Symbol('timer')
      timers.set(id, { at: time + ms, run: then })
      return () => timers.delete(id)
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      slept.push(ms)
      time += ms
      for (const [id, { at, run }] of timers) {
        if (at > time) continue
        timers.delete(id)
        run()
      }
      await Promise.resolve()
      signal?.throwIfAborted()
    },
    get timers() {
      return timers.size
    },
    slept,
  }
}
