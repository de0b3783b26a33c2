import type { Logger } from 'pino'
import { every } from './time/every.ts'

const PROBE_MS = 500

type OutageOptions = {
  name: string
  /** Rejects while the service is unavailable. Must have its own time limit. */
  probe: () => Promise<unknown>
  log: Logger
  signal: AbortSignal
  intervalMs?: number
}

type Outages = {
  start: (error: unknown) => void
  readonly isOngoing: boolean
}

export function watchOutages({ name, probe, log, signal, intervalMs = PROBE_MS }: OutageOptions): Outages {
  let since: number | undefined
  const start = (error: unknown) => {
    if (since !== undefined || signal.aborted) return
    since = performance.now()
    log.error({ err: error }, `${name} unavailable`)
    const ended = new AbortController()
    every(intervalMs, AbortSignal.any([signal, ended.signal]), async () => {
      try {
        await probe()
      } catch {
        return
      }
      log.info({ duration_ms: Math.round(performance.now() - (since ?? 0)) }, `${name} available again`)
      since = undefined
      ended.abort()
    })
  }
  return {
    start,
    get isOngoing() {
      return since !== undefined
    },
  }
}
