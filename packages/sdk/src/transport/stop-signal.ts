import type { Clock } from './clock.ts'

/** An abort signal that aborts when one of its source signals aborts, or after a timeout. */
export type StopSignal = {
  readonly signal: AbortSignal
  readonly timedOut: boolean
  pause: () => void
  abort: (reason: Error) => void
  resume: () => void
  dispose: () => void
}

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
      controller.abort(new Error('The timeout has expired.'))
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
    resume: startTimer,
    dispose() {
      stopTimer?.()
      for (const signal of given) signal.removeEventListener('abort', follow)
    },
  }
}

/** Yields the pieces of a body. The timeout runs while a piece is read, but not while the consumer uses the piece. */
export async function* readPieces(
  body: ReadableStream<Uint8Array> | null,
  stop: StopSignal,
): AsyncGenerator<Uint8Array, undefined> {
  const reader = body?.getReader()
  try {
    for (;;) {
      const next = await reader?.read()
      stop.pause()
      stop.signal.throwIfAborted()
      if (next === undefined || next.done) return undefined
      yield next.value
      stop.resume()
    }
  } finally {
    await reader?.cancel().catch(() => {})
  }
}
