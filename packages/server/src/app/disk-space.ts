import { statfs } from 'node:fs/promises'

/** The free space below which a disk counts as full. It must be enough for a source and its result. */
export const MIN_FREE_BYTES = 64 * 1024 * 1024

/** Returns whether a folder has free space for work. A disk that cannot be measured counts as free. */
export async function hasDiskSpace(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return true
  }
}
