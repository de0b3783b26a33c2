import { statfs } from 'node:fs/promises'

/** The free space below which a disk counts as full. A source and its result have to lie beside each other. */
export const LEAST_FREE_BYTES = 64 * 1024 * 1024

/** Tells whether there is room for work in a folder. A disk that says nothing of itself is not held to be full. */
export async function hasDiskSpace(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= LEAST_FREE_BYTES
  } catch {
    return true
  }
}
