import { readFileSync } from 'node:fs'
import { readTree } from '@mediamill/server/supervisor/engine-tree'
import { nameOf } from '../process-names.ts'

export type SideMeter = {
  /** CPU time in milliseconds since the last call of `restart`, by process name. */
  cpuMs(): Promise<Map<string, number>>
  restart(): Promise<void>
  /** Memory (PSS) in megabytes, by process name. */
  pssMb(): Promise<Map<string, number>>
}

// Linux reports CPU times in units of 10 ms (proc(5)).
const TICK_MS = 10

/** The interval of readings. If a process ends, its CPU time since the last reading is lost: on average half of it. */
const LOOK_MS = 200

type Seen = { part: string; startMs: number; lastMs: number }

/** Measures the children of this process whose command line matches `isOurs`, and their descendants. */
export function meterOf(isOurs: (command: string) => boolean): SideMeter {
  const seen = new Map<number, Seen>()

  async function pids(): Promise<number[]> {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1')
      .split(' ')
      .filter(Boolean)
    const roots = children.map(Number).filter((pid) => isOurs(commandOf(pid)))
    const trees = await Promise.all(roots.map((pid) => readTree(pid)))
    return trees.flatMap((tree) => tree.pids)
  }

  async function look(): Promise<Set<number>> {
    const running = await pids()
    for (const pid of running) {
      const ms = cpuMsOf(pid)
      if (ms === undefined) continue
      // Update the name at each reading, because a process that was just forked still has its parent's name.
      const part = partOf(pid)
      seen.set(pid, { part, startMs: seen.get(pid)?.startMs ?? 0, lastMs: ms })
    }
    return new Set(running)
  }
  setInterval(() => void look(), LOOK_MS).unref()

  return {
    async restart() {
      const running = await look()
      for (const [pid, known] of seen) {
        if (running.has(pid)) known.startMs = known.lastMs
        else seen.delete(pid)
      }
    },
    async cpuMs() {
      await look()
      const sums = new Map<string, number>()
      for (const { part, startMs, lastMs } of seen.values()) sums.set(part, (sums.get(part) ?? 0) + lastMs - startMs)
      return sums
    },
    async pssMb() {
      const sums = new Map<string, number>()
      for (const pid of await pids()) sums.set(partOf(pid), (sums.get(partOf(pid)) ?? 0) + pssMbOf(pid))
      return sums
    },
  }
}

const commandOf = (pid: number) => text(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')

function partOf(pid: number): string {
  const name = nameOf(pid) ?? 'gone'
  if (/^(postgres|keeper|sh )/.test(name)) return 'postgres'
  if (name.startsWith('engine')) return 'engines'
  return /server\.ts (api|worker)/.exec(commandOf(pid))?.[1] ?? name
}

function cpuMsOf(pid: number): number | undefined {
  const stat = text(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' ? undefined : (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

const pssMbOf = (pid: number) => Number(/^Pss:\s+(\d+) kB/m.exec(text(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024

function text(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
