import { descendants, pssMbOf, readText } from '../support/processes.ts'
import { partOf } from './process-names.ts'

/** Measures child processes of this process, and their descendants. Linux only. */
export type Meter = Disposable & {
  restart(): Promise<void>
  /** CPU time in milliseconds since the last call of `restart`, by part. */
  cpuMs(): Promise<Map<string, number>>
  /** Memory (PSS) in megabytes, by part. */
  pssMb(): Promise<Map<string, number>>
  /** The highest peak of resident memory of a single process since the last call of `restart`, in megabytes. */
  peakMb(): Promise<number>
}

/** The measured processes, and the interval of readings. If a process ends, half of an interval is lost on average. */
type MeterOptions = { isOurs?: (command: string) => boolean; everyMs?: number }

// Linux reports CPU times in units of 10 ms (proc(5)).
const TICK_MS = 10

type Seen = { part: string; ms: number; peakMb: number }

export function startMeter({ isOurs, everyMs = 200 }: MeterOptions = {}): Meter {
  const seen = new Map<number, Seen>()
  let before = new Map<number, number>()

  async function look(): Promise<void> {
    for (const pid of await descendants(isOurs)) {
      const ms = cpuMsOf(pid)
      // Update the name at each reading, because a process that was just forked still has its parent's name.
      if (ms !== undefined) seen.set(pid, { part: partOf(pid), ms, peakMb: peakMbOf(pid) })
    }
  }
  const timer = setInterval(() => void look(), everyMs).unref()

  return {
    async restart() {
      seen.clear()
      await look()
      before = new Map([...seen].map(([pid, { ms }]) => [pid, ms]))
    },
    async cpuMs() {
      await look()
      return sumByPart([...seen].map(([pid, { part, ms }]) => [part, ms - (before.get(pid) ?? 0)]))
    },
    async pssMb() {
      return sumByPart((await descendants(isOurs)).map((pid) => [partOf(pid), pssMbOf(pid)]))
    },
    async peakMb() {
      await look()
      return Math.round(Math.max(0, ...[...seen.values()].map(({ peakMb }) => peakMb)))
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

export const sumOf = (figures: ReadonlyMap<string, number>) =>
  [...figures.values()].reduce((sum, figure) => sum + figure, 0)

export function sumByPart(figures: readonly (readonly [part: string, figure: number])[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [part, figure] of figures) sums.set(part, (sums.get(part) ?? 0) + figure)
  return sums
}

function cpuMsOf(pid: number): number | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' ? undefined : (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

const peakMbOf = (pid: number) => Number(/^VmHWM:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
