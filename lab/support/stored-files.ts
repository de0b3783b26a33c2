import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { MARKER_KEY } from '@mediamill/server/store/store'

/** Returns whether a key is the marker file, which names the database that a store belongs to. */
export const isMarker = (key = ''): boolean => key.endsWith(MARKER_KEY)

export const isStoredFile = (entry: Dirent): boolean => entry.isFile() && !isMarker(entry.name)

/** Lists a folder and its subfolders. Starts again if a subfolder disappears during the listing. */
export async function listAll(folder: string): Promise<Dirent[]> {
  for (;;) {
    try {
      return await readdir(folder, { recursive: true, withFileTypes: true })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}
