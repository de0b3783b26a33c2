import { RequestFailure } from '../domain/errors.ts'
import { formatBytes } from '../domain/limits.ts'
import type { EngineProcess } from './engine-process.ts'
import { readTree } from './engine-tree.ts'

export type EngineBounds = { signal: AbortSignal; deadlineMs: number; memoryBytes: number }

// `ps` costs a process of its own, /proc a tenth of a millisecond.
const POLL_MS = process.platform === 'linux' ? 100 : 500

/**
 * Rejects when the job that the engine is doing must be stopped: at the deadline or the memory limit with the sentence
 * for the client, on abort with the signal's reason. It watches until it is disposed of, and costs nothing after.
 */
export function watchEngine(engine: EngineProcess, bounds: EngineBounds): Disposable & { stopped: Promise<never> } {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})

  const abort = () => reject(bounds.signal.reason)
  if (bounds.signal.aborted) abort()
  bounds.signal.addEventListener('abort', abort, { once: true })

  const deadline = setTimeout(() => reject(tooLong(bounds.deadlineMs)), bounds.deadlineMs)

  let isReading = false
  const memory = setInterval(() => {
    if (isReading || engine.pid === undefined) return
    isReading = true
    void readTree(engine.pid)
      .then(({ residentBytes }) => {
        if (residentBytes > bounds.memoryBytes) reject(tooLarge(bounds.memoryBytes, residentBytes))
      })
      .catch(() => {})
      .finally(() => {
        isReading = false
      })
  }, POLL_MS)

  return {
    stopped: promise,
    [Symbol.dispose]() {
      bounds.signal.removeEventListener('abort', abort)
      clearTimeout(deadline)
      clearInterval(memory)
    },
  }
}

const tooLong = (deadlineMs: number) =>
  new RequestFailure(
    'processing_failed',
    `Processing took longer than ${formatDuration(deadlineMs)}, the limit for one request. Use a smaller source or fewer operations.`,
  )

const tooLarge = (memoryBytes: number, residentBytes: number) =>
  new RequestFailure(
    'processing_failed',
    `Processing needs more than ${formatBytes(memoryBytes)} of memory, the limit for one request. Use a smaller source or fewer operations.`,
    { cause: new Error(`the engine held ${formatBytes(residentBytes)}`) },
  )

/** `60 s`, `5 min`, `4 h`: the largest unit that the time is a whole number of. */
function formatDuration(durationMs: number): string {
  if (durationMs % 3_600_000 === 0) return `${durationMs / 3_600_000} h`
  if (durationMs % 60_000 === 0 && durationMs > 60_000) return `${durationMs / 60_000} min`
  return `${durationMs / 1000} s`
}
