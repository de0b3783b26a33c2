import { readFileSync } from 'node:fs'
import { readTree } from '../../src/supervisor/engine-tree.ts'
import { nameOf } from '../process-names.ts'

/** Processor time and memory of all processes of one side. Linux only. */
export type SideMeter = {
  /** Milliseconds since the last call of `restart`, by the names of processes. */
  cpuMs(): Promise<Map<string, number>>
  restart(): Promise<void>
  /** Its own pages, and its part of those that processes share, in megabytes, by the names of processes. */
  pssMb(): Promise<Map<string, number>>
}

// proc(5): times are counted in hundredths of a second on every Linux that Node runs on.
const TICK_MS = 10

/** Watches those children of this process, with all that is beneath them, whose command line `isOurs` knows. */
export function meterOf(isOurs: (command: string) => boolean): SideMeter {
  let before = new Map<number, number>()

  async function pids(): Promise<number[]> {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1')
      .split(' ')
      .filter(Boolean)
    const roots = children.map(Number).filter((pid) => isOurs(commandOf(pid)))
    const trees = await Promise.all(roots.map((pid) => readTree(pid)))
    return trees.flatMap((tree) => tree.pids)
  }

  const read = async () => new Map((await pids()).map((pid) => [pid, cpuMsOf(pid)]))
  return {
    async restart() {
      before = await read()
    },
    async cpuMs() {
      const sums = new Map<string, number>()
      for (const [pid, ms] of await read()) {
        const name = partOf(pid)
        sums.set(name, (sums.get(name) ?? 0) + ms - (before.get(pid) ?? 0))
      }
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

/** The parts that a table tells of. */
function partOf(pid: number): string {
  const name = nameOf(pid) ?? 'gone'
  if (/^(postgres|keeper|sh )/.test(name)) return 'postgres'
  if (name.startsWith('engine')) return 'engines'
  return /server\.ts (api|worker)/.exec(commandOf(pid))?.[1] ?? name
}

/** Of a process and of those that it has waited for. */
function cpuMsOf(pid: number): number {
  const stat = text(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0)
}

const pssMbOf = (pid: number) => Number(/^Pss:\s+(\d+) kB/m.exec(text(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024

/** Empty when the process is gone. */
function text(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
