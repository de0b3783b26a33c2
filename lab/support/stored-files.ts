import type { Dirent } from 'node:fs'
import { MARKER_KEY } from '@mediamill/server/store/store'

/** Returns whether a key is the marker file, which names the database that a store belongs to. */
export const isMarker = (key = ''): boolean => key.endsWith(MARKER_KEY)

/** Returns whether an entry of a store's folder is a file of a request or an upload, and not the marker file. */
export const isStoredFile = (entry: Dirent): boolean => entry.isFile() && !isMarker(entry.name)
