import type { Dirent } from 'node:fs'
import { MARKER_KEY } from '@mediamill/server/store/store'

/** Returns whether a key is the marker file, which names the database that a store belongs to. */
export const isMarker = (key = ''): boolean => key.endsWith(MARKER_KEY)

export const isStoredFile = (entry: Dirent): boolean => entry.isFile() && !isMarker(entry.name)
