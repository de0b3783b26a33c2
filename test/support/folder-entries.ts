import { posix } from 'node:path'

/** How much a reader sees of a folder: its files and folders. A test or a fixture counts as its file's own. */
export type FolderEntries = { folder: string; entries: number }

/** Counts the entries of every folder that `paths` lie in, the fullest first. */
export function folderEntries(paths: readonly string[]): FolderEntries[] {
  const inside = new Map<string, Set<string>>()
  for (const path of paths.filter((one) => !/\.test\.ts$|-fixture\.ts$/.test(one))) {
    for (let entry = path; entry.includes('/'); entry = posix.dirname(entry)) {
      const folder = posix.dirname(entry)
      inside.set(folder, (inside.get(folder) ?? new Set()).add(entry))
    }
  }
  return [...inside]
    .map(([folder, entries]) => ({ folder, entries: entries.size }))
    .toSorted((one, other) => other.entries - one.entries)
}
