import { readFileSync } from 'node:fs'
import { readTree } from '@mediamill/server/supervisor/engine-tree'

// These functions read /proc (proc(5)), so they require Linux.

/** Returns the ids of the child processes whose command line matches `isOurs`, and of their descendants. */
export async function descendants(isOurs: (command: string) => boolean = () => true): Promise<number[]> {
  const children = readText(`/proc/${process.pid}/task/${process.pid}/children`).split(' ').filter(Boolean)
  const roots = children.map(Number).filter((pid) => isOurs(commandOf(pid)))
  const trees = await Promise.all(roots.map((pid) => readTree(pid)))
  return trees.flatMap(({ pids }) => pids)
}

/** Sends a signal to processes. Ignores processes that have already ended. */
export function signalAll(pids: Iterable<number>, signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Returns the command line of a process, or an empty string if the process has ended. */
export const commandOf = (pid: number) => readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()

/** Returns the memory of a process in megabytes. PSS divides shared pages among the processes that use them. */
export const pssMbOf = (pid: number) =>
  Number(/^Pss:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024

/** Returns the text of a file, or an empty string if the process has ended, or belongs to another user. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
