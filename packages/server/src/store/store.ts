import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { OutputFormat } from '@mediamill/contract/domain/media'

/** A part of a file: `start` counts from 0, `end` is its last byte. */
export type ByteRange = { start: number; end: number }

/** How a client may ask for a file, and what it is told about it. A link is signed for one method alone. */
export type FileAnswer = { method: 'GET' | 'HEAD'; contentType: string; contentDisposition: string }

/**
 * Where result files live. A file is named by a key that nobody can guess, never changes, and is there whole or not at
 * all.
 */
export type Store = {
  /**
   * Takes over the finished file at `path`, a result of this request, and makes it durable; returns its key. Afterwards
   * `path` is gone or free to be deleted.
   */
  put: (path: string, format: OutputFormat, requestId: RequestId) => Promise<string>
  /**
   * Stores bytes as they come, under a key of `newUploadKey`, and makes them durable. An error of `body` is thrown on, and
   * nothing is left then. The chunks are used up: their memory is given back once they are stored.
   */
  write: (key: string, body: AsyncIterable<Buffer>) => Promise<void>
  /** The file's size, or `undefined` when it is not there. */
  size: (key: string) => Promise<number | undefined>
  /** The file's bytes, or those of the range; `undefined` when it is not there. The reader must be read or destroyed. */
  open: (key: string, range?: ByteRange) => Promise<{ body: Readable; size: number } | undefined>
  /** Resolves if the store is there and lets this service in; throws otherwise. */
  check: () => Promise<void>
  /** Deletes the file; one that is not there is no error. */
  delete: (key: string) => Promise<void>
  /** Deletes the file and what a `write` of it that was broken off by a crash has left. */
  discard: (key: string) => Promise<void>
  /**
   * A link of at most `seconds` (60 at the most) that the store serves by itself; `undefined` when the service has to
   * serve the file (rulings 8).
   */
  link: (key: string, answer: FileAnswer, seconds: number) => Promise<string | undefined>
  /** The keys of all files older than `before`, so that those no request knows can be deleted. */
  keys: (before: Date) => AsyncIterable<string>
  /** Deletes what uploads that never finished have left behind, if older than `before`; returns how many there were. */
  sweep: (before: Date) => Promise<number>
}

/** Tells whether the text is a key that a store made. No store is asked for anything else. */
export function isStoreKey(text: string): boolean {
  return /^[0-9a-f]{40}\.[a-z0-9]{1,8}$/.test(text)
}

/** Of a key's 40 characters so many are drawn, 104 bits; the others are the number of the request. */
const DRAWN = 26

/** A key that nobody can guess, for a file that is about to be stored. It tells whose file it is. */
export function newStoreKey(format: OutputFormat, requestId: RequestId): string {
  return `${randomBytes(DRAWN / 2).toString('hex')}${requestId.toString(16).padStart(40 - DRAWN, '0')}.${format}`
}

/** A key for a part of an upload, which is of no request. */
export const newUploadKey = (): string => `${randomBytes(DRAWN / 2).toString('hex')}${'0'.repeat(40 - DRAWN)}.upload`

/** Returns the number of the request whose file has this key. So it is found without looking through all of them. */
export function requestOfKey(key: string): number {
  return Number.parseInt(key.slice(DRAWN, 40), 16)
}
