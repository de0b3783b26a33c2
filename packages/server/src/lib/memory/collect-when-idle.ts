import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { every } from '../time/every.ts'

const INTERVAL_MS = 20_000

const IDLE_SHARE = 0.02

const WORTH_BYTES = 10 * 1024 * 1024

type CollectorOptions = {
  readBusyShare?: () => number
  readHeapBytes?: () => number
  worthBytes?: number
}

/** Collects garbage while the process is idle, which V8 itself does not do (lab/notes/memory-of-idle-processes.md). */
export function collectWhenIdle(signal: AbortSignal): void {
  const collector = createIdleCollector()
  every(INTERVAL_MS, signal, async () => void collector.check())
}

export function createIdleCollector({
  readBusyShare = busyShareReader(),
  readHeapBytes = heapBytes,
  worthBytes = WORTH_BYTES,
}: CollectorOptions = {}): { check: () => boolean } {
  let keptBytes = 0
  return {
    check() {
      const isBusy = readBusyShare() > IDLE_SHARE
      const bytes = readHeapBytes()
      // V8 may have collected garbage itself, so the growth is measured from the smallest size.
      keptBytes = Math.min(keptBytes, bytes)
      if (isBusy || bytes < keptBytes + worthBytes) return false
      collectAll()
      keptBytes = readHeapBytes()
      return true
    },
  }
}

function heapBytes(): number {
  const { total_physical_size: own, external_memory: outside } = getHeapStatistics()
  return own + outside
}

function busyShareReader(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

let collect: Collect | undefined

/** Collects all garbage with V8's `gc`, which needs a flag. The flavor `last-resort` also frees unused pages. */
function collectAll(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  // The collection is synchronous: V8 delays other collections by seconds, and the process can end before they run.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
