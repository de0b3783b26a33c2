import { readdirSync, readFileSync, statSync } from 'node:fs'

type UnnamedFiles = { memoryBytes: number; diskBytes: number }

/** Sums the sizes of open files without a name. Files on the disk of `folder` count as disk, all others as memory. */
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

/** Returns whether a process maps deleted files, memfds, or shared memory, but has closed their descriptors. */
export function hidesFiles(pids: readonly number[], folder: string): boolean {
  if (process.platform !== 'linux') return false
  return pids.some((pid) => {
    const hideable = mapsOf(pid).filter(
      ({ path }) => path.endsWith(' (deleted)') && (path.includes(`${folder}/`) || IN_MEMORY.test(path)),
    )
    if (hideable.length === 0) return false
    const open = new Set(openFiles(pid).map((path) => String(statSync(path, { throwIfNoEntry: false })?.ino)))
    return hideable.some(({ inode }) => !open.has(inode))
  })
}

const IN_MEMORY = /^\/(?:dev\/zero|SYSV|memfd:)/

function mapsOf(pid: number): { inode: string; path: string }[] {
  try {
    const maps = readdirSync(`/proc/${pid}/task`)
      .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/maps`, 'utf8'))
      .find((text) => text !== '')
    return [...(maps ?? '').matchAll(/^\S+ \S+ \S+ \S+ ([1-9]\d*) +(.+)$/gm)].map(([, inode = '', path = '']) => ({
      inode,
      path,
    }))
  } catch {
    return []
  }
}

/** Lists the open files of all threads. A thread can have its own table of files, and outlive the first thread. */
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
