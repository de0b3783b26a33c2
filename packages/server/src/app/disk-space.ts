import { statfs } from 'node:fs/promises'

/** A disk with less free space counts as full: a job needs space for its source and its result. */
export const MIN_FREE_BYTES = 64 * 1024 * 1024

/** Returns whether a folder has enough space for a job, or `true` if that cannot be measured. */
export async function hasDiskSpace(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return true
  }
}
