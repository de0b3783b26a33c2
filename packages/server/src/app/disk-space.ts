import { statfs } from 'node:fs/promises'

/** A disk with less free space counts as full. The space must be enough for a source and its result. */
export const MIN_FREE_BYTES = 64 * 1024 * 1024

/** Returns whether a folder has enough free space for jobs. Returns `true` if the space cannot be measured. */
export async function hasDiskSpace(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return true
  }
}
