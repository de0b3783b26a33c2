import type { Clock } from './clock.ts'

/** A signal that follows others and a time limit, until it is disposed of. */
export type StopSignal = {
  readonly signal: AbortSignal
  readonly timedOut: boolean
  pause: () => void
  /** Aborts the signal with a reason of its own. */
  abort: (reason: Error) => void
  keepOn: () => void
  dispose: () => void
}

/** Makes one; without a listener of it left anywhere once it is disposed of. `keepOn` starts the time again. */
export function createStop(
  clock: Clock,
  signals: readonly (AbortSignal | undefined)[],
  timeoutMs?: number,
): StopSignal {
  const controller = new AbortController()
  const given = signals.filter((signal) => signal !== undefined)
  let timedOut = false
  let stopTimer: (() => void) | undefined
  const follow = () => controller.abort(given.find(({ aborted }) => aborted)?.reason)
  const startTimer = () => {
    stopTimer?.()
    if (timeoutMs === undefined) return
    stopTimer = clock.after(timeoutMs, () => {
      timedOut = true
      controller.abort(new Error('The time is over.'))
    })
  }
  for (const signal of given) signal.addEventListener('abort', follow)
  if (given.some(({ aborted }) => aborted)) follow()
  startTimer()
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut
    },
    pause: () => stopTimer?.(),
    abort: (reason) => controller.abort(reason),
    keepOn: startTimer,
    dispose() {
      stopTimer?.()
      for (const signal of given) signal.removeEventListener('abort', follow)
    },
  }
}
