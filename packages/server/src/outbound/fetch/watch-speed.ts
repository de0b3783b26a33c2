import type { FetchLimits } from './fetch.ts'

type SpeedOptions = {
  limits: Pick<FetchLimits, 'stallMs' | 'minBytesPerSecond' | 'paceMs'>
  onSlow: (how: 'stopped sending' | 'sends too slowly') => void
}

const CHECKS_PER_STALL = 10

/**
 * Calls `onSlow` once if the transfer is too slow. `count` returns the number of received bytes, or `undefined` while
 * the transfer is paused.
 */
export function watchSpeed(count: () => number | undefined, { limits, onSlow }: SpeedOptions): Disposable {
  const start = performance.now()
  let progress = { at: start, bytes: 0 }
  let window = { at: start, bytes: 0 }
  const timer = setInterval(() => {
    const at = performance.now()
    const bytes = count()
    if (bytes === undefined) {
      progress = { at, bytes: progress.bytes }
      window = { at, bytes: progress.bytes }
      return
    }
    // security check: a server that stops sending
    if (bytes > progress.bytes) progress = { at, bytes }
    else if (at - progress.at >= limits.stallMs) return slow('stopped sending')
    if (at - window.at < limits.paceMs) return
    // security check: a server that sends byte by byte
    if (bytes - window.bytes < (limits.minBytesPerSecond * (at - window.at)) / 1000) return slow('sends too slowly')
    window = { at, bytes }
  }, limits.stallMs / CHECKS_PER_STALL)
  const slow = (how: Parameters<SpeedOptions['onSlow']>[0]) => {
    clearInterval(timer)
    onSlow(how)
  }
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
