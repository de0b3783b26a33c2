import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { every } from '../time/every.ts'

/** How often it is asked whether the process rests. One collection takes less time than as many looks as fit in an hour. */
const LOOK_MS = 20_000

/** The share of its time that a process without work is awake for: it looks around now and then. */
const IDLE_SHARE = 0.02

/** What the heap must have grown by since the last time: less is not worth the walk through all of it. */
const WORTH_BYTES = 10 * 1024 * 1024

/** What tells of the process, so that tests need not be idle for long. */
export type CollectorOptions = {
  /** The share of the time since the last call that the event loop was at work. */
  readBusyShare?: () => number
  /** What the heap has of the system's memory. */
  readHeapBytes?: () => number
  worthBytes?: number
}

/**
 * Gives memory back to the system while the process has no work, until the signal.
 *
 * V8 collects when it needs room, never because there is nothing else to do: with the large first heap that roles are started
 * with, a worker kept up to 100 MB of garbage for as long as nothing came (lab/notes/memory-of-idle-processes.md).
 */
export function collectWhenIdle(signal: AbortSignal): void {
  const collector = createIdleCollector()
  every(LOOK_MS, signal, async () => void collector.look())
}

/** Creates what collects garbage when it finds the process idle. A look tells whether it did. */
export function createIdleCollector({
  readBusyShare = busyShareReader(),
  readHeapBytes = heapBytes,
  worthBytes = WORTH_BYTES,
}: CollectorOptions = {}): { look: () => boolean } {
  let keptBytes = 0
  return {
    look() {
      const isBusy = readBusyShare() > IDLE_SHARE
      const bytes = readHeapBytes()
      // V8 may have collected by itself: what comes after that is garbage too, however little it is beside what was there once.
      keptBytes = Math.min(keptBytes, bytes)
      if (isBusy || bytes < keptBytes + worthBytes) return false
      collectAll()
      keptBytes = readHeapBytes()
      return true
    },
  }
}

/** What the heap has of the system's memory, and what hangs on it outside. */
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

/** V8 has no other door to this than its function for tests. The last resort is what also empties its own stores of pages. */
function collectAll(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  // At once: V8 puts off what it may do later, for seconds, and what waits for that keeps no process alive.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
