import { writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'

/**
 * Makes a process and all it starts give way to others: `niceness` as of setpriority(2), 1 to 19.
 *
 * Each engine has a session of its own, and Linux may share the processor out among sessions before it looks at single
 * processes (sched(7), "The autogroup feature"), so the session is told too.
 */
export function lowerPriority(pid: number | undefined, niceness: number): void {
  if (pid === undefined) return
  try {
    setPriority(pid, niceness)
  } catch {
    // It ended already.
  }
  if (process.platform === 'linux') void writeFile(`/proc/${pid}/autogroup`, String(niceness)).catch(() => {})
}

/** When the machine runs out of memory it must take an engine, not the worker or the database. Linux only. */
export function preferForOutOfMemory(pid: number | undefined): void {
  if (pid !== undefined && process.platform === 'linux') {
    void writeFile(`/proc/${pid}/oom_score_adj`, '800').catch(() => {})
  }
}
