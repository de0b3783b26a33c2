import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { OutputFormat } from '@mediamill/contract/domain/media'

/** A range of a file: `start` counts from 0, and `end` is the position of the last byte. */
export type ByteRange = { start: number; end: number }

/** The HTTP method and the response headers that a signed link to a file allows. */
export type FileResponse = {
  method: 'GET' | 'HEAD'
  contentType: string
  contentDisposition: string
  cacheControl: string
}

/** Storage for result files. A file has an unguessable key, never changes, and is either complete or absent. */
export type Store = {
  /** Stores a finished file durably as a result of this request, and returns its key. `path` can then be deleted. */
  put: (path: string, format: OutputFormat, requestId: RequestId) => Promise<string>
  /** Stores a stream durably. If `body` throws, the error is rethrown and nothing remains. */
  write: (key: string, body: AsyncIterable<Buffer>) => Promise<void>
  size: (key: string) => Promise<number | undefined>
  /** The file's bytes or a range of them, or `undefined` if the file does not exist. Read or destroy the stream. */
  open: (key: string, range?: ByteRange) => Promise<{ body: Readable; size: number } | undefined>
  check: () => Promise<void>
  delete: (key: string) => Promise<void>
  discard: (key: string) => Promise<void>
  /** A link that the store serves for up to 60 s; `undefined` if the service must serve it (results.files.1). */
  link: (key: string, response: FileResponse, seconds: number) => Promise<string | undefined>
  keys: (before: Date) => AsyncIterable<string>
  /** Deletes the remains of unfinished uploads that are older than `before`. Returns their number. */
  sweep: (before: Date) => Promise<number>
}

/** The key of the marker that names the database of a store. It is not listed among the files. */
export const MARKER_KEY = `${'0'.repeat(40)}.database`

export const isFileKey = (text: string): boolean => isStoreKey(text) && text !== MARKER_KEY

/** Returns whether a text has the form of a key. No other text is used as a key of the store. */
export function isStoreKey(text: string): boolean {
  return /^[0-9a-f]{40}\.[a-z0-9]{1,8}$/.test(text)
}

/**
 * The number of random characters (104 bits) among the 40 of a key. The other characters contain the request number.
 */
const RANDOM_LENGTH = 26

export function newStoreKey(format: OutputFormat, requestId: RequestId): string {
  return `${randomBytes(RANDOM_LENGTH / 2).toString('hex')}${requestId.toString(16).padStart(40 - RANDOM_LENGTH, '0')}.${format}`
}

/** Creates a key for a part of an upload, which belongs to no request. */
export const newUploadKey = (): string =>
  `${randomBytes(RANDOM_LENGTH / 2).toString('hex')}${'0'.repeat(40 - RANDOM_LENGTH)}.upload`

/** Returns the number of the request that a file belongs to. The number is part of the key. */
export function requestOfKey(key: string): number {
  return Number.parseInt(key.slice(RANDOM_LENGTH, 40), 16)
}
