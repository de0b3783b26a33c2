import { readFileSync } from 'node:fs'
import { readTree } from '@mediamill/server/supervisor/engine-tree'

/** Measures the CPU time and the memory of all descendants of this process through /proc. Linux only. */
type Meter = Disposable & {
  /** The user and system time since the last `restart`, in milliseconds. */
  cpuMs(): Promise<number>
  cpuMsOf(nameOf: (command: string) => string): Promise<Record<string, number>>
  /** The highest peak of resident memory of a single process, in megabytes. */
  peakMb(): Promise<number>
  restart(): Promise<void>
  /** Whether to measure continuously. This is necessary if processes end, but costs CPU time of this process. */
  isWatching: boolean
}

// Linux reports CPU times in units of 10 ms (proc(5)).
const TICK_MS = 10
// If a process ends, its CPU time since the last measurement is missed: half of this interval on average.
const LOOK_MS = 10
// A search for new processes reads all threads, so it runs only once in this many intervals.
const LOOKS_A_SEARCH = 10

type Seen = { ms: number; peakMb: number; command: string }

/** Starts to measure. Ignores the processes whose ids are in `except`. */
export function startMeter(except: readonly number[] = []): Meter {
  const seen = new Map<number, Seen>()
  let before = new Map<number, number>()

  const running = new Set<number>()
  let looks = 0

  async function look(): Promise<void> {
    const { pids } = await readTree(process.pid)
    for (const pid of pids) {
      const found = pid === process.pid || except.includes(pid) ? undefined : read(pid)
      if (found === undefined) continue
      seen.set(pid, found)
      running.add(pid)
    }
  }

  function glance(): void {
    for (const pid of running) {
      const ms = readMs(pid)
      const known = seen.get(pid)
      if (ms === undefined || known === undefined) running.delete(pid)
      else known.ms = ms
    }
  }

  const meter: Meter = {
    isWatching: true,
    async cpuMs() {
      const { all = 0 } = await meter.cpuMsOf(() => 'all')
      return all
    },
    async cpuMsOf(nameOf) {
      await look()
      const sums: Record<string, number> = {}
      for (const [pid, { ms, command }] of seen) {
        const name = nameOf(command)
        sums[name] = (sums[name] ?? 0) + ms - (before.get(pid) ?? 0)
      }
      return sums
    },
    async peakMb() {
      await look()
      return Math.round(Math.max(0, ...[...seen.values()].map(({ peakMb }) => peakMb)))
    },
    async restart() {
      seen.clear()
      await look()
      before = new Map([...seen].map(([pid, { ms }]) => [pid, ms]))
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
  const timer = setInterval(() => {
    if (!meter.isWatching) return
    looks += 1
    if (looks % LOOKS_A_SEARCH === 0) void look()
    else glance()
  }, LOOK_MS)
  return meter
}

function read(pid: number): Seen | undefined {
  try {
    const ms = readMs(pid)
    if (ms === undefined) return undefined
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return { command, ms, peakMb: Number(kilobytes ?? 0) / 1024 }
  } catch {
    return undefined
  }
}

function readMs(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return undefined
  }
}
