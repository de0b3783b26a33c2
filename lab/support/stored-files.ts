import type { Dirent } from 'node:fs'
import { CLAIM_KEY, MARKER_KEY } from '@mediamill/server/store/store'

/** Returns whether a key is a file that names the database that a store belongs to. */
export const isMarker = (key = ''): boolean => key.endsWith(MARKER_KEY) || key.endsWith(CLAIM_KEY)

/** Returns whether an entry of a store's folder is a file of a request or an upload, and not a marker. */
export const isStoredFile = (entry: Dirent): boolean => entry.isFile() && !isMarker(entry.name)
