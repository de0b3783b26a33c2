import { writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'

/**
 * Makes a process and all it starts yield to others. `niceness` is that of setpriority(2), 1 to 19.
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

/** Makes the system kill an engine first when memory runs out. The worker and the database come later. Linux only. */
export function preferForOutOfMemory(pid: number | undefined): void {
  if (pid !== undefined && process.platform === 'linux') {
    void writeFile(`/proc/${pid}/oom_score_adj`, '800').catch(() => {})
  }
}
