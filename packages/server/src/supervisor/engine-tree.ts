import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'

/** A process and its descendants. `pids` starts with the process. If the process has ended, all sums are 0. */
export type ProcessTree = {
  pids: number[]
  residentBytes: number
  cpuMs: number
  /** The number of threads. Without /proc, the number of processes. */
  threads: number
}

export async function readTree(pid: number): Promise<ProcessTree> {
  return process.platform === 'linux' ? treeFromProc(pid) : await treeFromPs(pid)
}

export function isRunning(group: number, pids: number[]): boolean {
  if (process.platform !== 'linux') return [-group, ...pids].some(reactsToSignals)
  if (pids.some((pid) => isRunningIn(pid))) return true
  if (!reactsToSignals(-group)) return false
  // In a container without an init process, zombies stay in the group and accept signals. So check each member.
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isRunningIn(Number(name), group))
}

function isRunningIn(pid: number, group?: number): boolean {
  try {
    const [state = 'X', , ofGroup] = statOf(pid)
    return !'ZX'.includes(state) && (group === undefined || Number(ofGroup) === group)
  } catch {
    return false
  }
}

/** Returns the fields after the process name (proc(5)). The name is in parentheses and may contain any character. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

// Times in /proc have the unit 1/USER_HZ. USER_HZ is 100 on all machines that Node.js supports.
const TICK_MS = 10

/** Returns the CPU time of the process and of its children that have ended (proc(5), fields 14 to 17). */
const cpuMsOf = (pid: number) =>
  statOf(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0)

function reactsToSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function treeFromProc(root: number): ProcessTree {
  const tree: ProcessTree = { pids: [], residentBytes: 0, cpuMs: 0, threads: 0 }
  const waiting = [root]
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    try {
      const threads = readdirSync(`/proc/${pid}/task`)
      const status = livingStatus(pid, threads)
      if (status === undefined) continue
      tree.pids.push(pid)
      // security check: memory that is not resident
      for (const [, kilobytes] of status.matchAll(/^(?:VmRSS|VmSwap|VmPTE):\s+(\d+) kB/gm))
        tree.residentBytes += 1024 * Number(kilobytes)
      tree.cpuMs += cpuMsOf(pid)
      for (const thread of threads) {
        tree.threads += 1
        const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
        waiting.push(...children.split(' ').filter(Boolean).map(Number))
      }
    } catch {
      // The process has already ended.
    }
  }
  return tree
}

/** Returns the status of a thread that has not ended, if any. The first thread can end before the others. */
function livingStatus(pid: number, threads: readonly string[]): string | undefined {
  const ended = /^State:\s+[ZX]/m
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  if (!ended.test(status)) return status
  return threads
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1'))
    .find((other) => !ended.test(other))
}

async function treeFromPs(root: number): Promise<ProcessTree> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=,rss=,time='])
  const rows = stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state !== undefined && !state.startsWith('Z'))
  const tree = { pids: [] as number[], residentBytes: 0, cpuMs: 0 }
  const waiting = rows.filter(([pid]) => Number(pid) === root)
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    const [pid, , , kilobytes, time = '0'] = row
    tree.pids.push(Number(pid))
    tree.residentBytes += 1024 * Number(kilobytes)
    tree.cpuMs += psTimeMs(time)
    waiting.push(...rows.filter(([, parent]) => parent === pid))
  }
  return { ...tree, threads: tree.pids.length }
}

function psTimeMs(time: string): number {
  const [clock = '', days = '0'] = time.split('-').reverse()
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return Math.round((Number(days) * 86_400 + seconds) * 1000)
}
