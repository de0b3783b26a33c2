import { writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'

export function lowerPriority(pid: number | undefined, niceness: number): void {
  if (pid === undefined) return
  try {
    setPriority(pid, niceness)
  } catch {
    // The process has already ended.
  }
  if (process.platform === 'linux') void writeFile(`/proc/${pid}/autogroup`, String(niceness)).catch(() => {})
}

/** Makes Linux kill the engine before the worker and the database if memory runs out. */
export function preferForOutOfMemory(pid: number | undefined): void {
  if (pid !== undefined && process.platform === 'linux') {
    void writeFile(`/proc/${pid}/oom_score_adj`, '800').catch(() => {})
  }
}
