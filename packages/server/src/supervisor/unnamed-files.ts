import { readdirSync, statSync } from 'node:fs'

/** Files that processes have open and that no folder shows: deleted files, O_TMPFILE files, and memfds. */
export type UnnamedFiles = { memoryBytes: number; diskBytes: number }

/**
 * Sums up the unnamed files of processes, each once. Those on the file system of `folder` take its space, and all others
 * are memory. Returns zeros where the system has no `/proc`. A process whose files cannot be listed is left out.
 */
export function readUnnamedFiles(pids: readonly number[], folder: string): UnnamedFiles {
  const found: UnnamedFiles = { memoryBytes: 0, diskBytes: 0 }
  if (process.platform !== 'linux') return found
  const disk = statSync(folder).dev
  const seen = new Set<string>()
  for (const path of pids.flatMap(openFiles)) {
    const file = statSync(path, { throwIfNoEntry: false })
    if (file === undefined || !file.isFile() || file.nlink > 0 || seen.has(`${file.dev} ${file.ino}`)) continue
    seen.add(`${file.dev} ${file.ino}`)
    found[file.dev === disk ? 'diskBytes' : 'memoryBytes'] += file.blocks * 512
  }
  return found
}

/** The open files of all threads: a thread may have a table of its own, and the first thread may have ended. */
function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      const folder = `/proc/${pid}/task/${thread}/fd`
      return readdirSync(folder).map((name) => `${folder}/${name}`)
    })
  } catch {
    return []
  }
}
