import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { OutputFormat } from '@mediamill/contract/domain/media'

/** A range of bytes. Both values are offsets from the start of the file. The byte at `end` is part of the range. */
export type ByteRange = { start: number; end: number }

export type FileResponse = {
  method: 'GET' | 'HEAD'
  contentType: string
  contentDisposition: string
  cacheControl: string
}

/** A store of files. A file has a random key, never changes, and is either complete or missing. */
export type Store = {
  /** Stores the file at `path` durably, and returns its key. The caller can then delete `path`. */
  put: (path: string, format: OutputFormat, requestId: RequestId) => Promise<string>
  /** Stores a stream durably. If `body` throws, rethrows the error and stores nothing. */
  write: (key: string, body: AsyncIterable<Buffer>) => Promise<void>
  size: (key: string) => Promise<number | undefined>
  /** Opens a file, or returns `undefined` if it does not exist. Read the stream to its end, or destroy it. */
  open: (key: string, range?: ByteRange) => Promise<{ body: Readable; size: number } | undefined>
  check: () => Promise<void>
  delete: (key: string) => Promise<void>
  discard: (key: string) => Promise<void>
  /** Returns a link for at most `seconds`, or `undefined` if the service must serve the file (results.files.1). */
  link: (key: string, response: FileResponse, seconds: number) => Promise<string | undefined>
  keys: (before: Date) => AsyncIterable<string>
  /** Returns the number of unfinished uploads whose data was deleted. */
  sweep: (before: Date) => Promise<number>
}

/** A file with the id of the database that owns the store. Lists of files omit it. */
export const MARKER_KEY = `${'0'.repeat(40)}.database`

export const isFileKey = (text: string): boolean => isStoreKey(text) && text !== MARKER_KEY

export function isStoreKey(text: string): boolean {
  return /^[0-9a-f]{40}\.[a-z0-9]{1,8}$/.test(text)
}

/** The number of random hexadecimal digits in a key (104 bits). The other digits contain the request id. */
const RANDOM_LENGTH = 26

export function newStoreKey(format: OutputFormat, requestId: RequestId): string {
  return `${randomBytes(RANDOM_LENGTH / 2).toString('hex')}${requestId.toString(16).padStart(40 - RANDOM_LENGTH, '0')}.${format}`
}

export const newUploadKey = (): string =>
  `${randomBytes(RANDOM_LENGTH / 2).toString('hex')}${'0'.repeat(40 - RANDOM_LENGTH)}.upload`

export function requestOfKey(key: string): number {
  return Number.parseInt(key.slice(RANDOM_LENGTH, 40), 16)
}
