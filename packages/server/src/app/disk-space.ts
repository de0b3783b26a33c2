import { statfs } from 'node:fs/promises'

/** If a disk has less free space, it counts as full: a job needs space for its source and its result. */
export const MIN_FREE_BYTES = 64 * 1024 * 1024

/** Returns whether the disk of a folder has enough space for a job, or `true` if the space cannot be measured. */
export async function hasDiskSpace(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return true
  }
}
