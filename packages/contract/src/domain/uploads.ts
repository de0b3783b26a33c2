import { randomBytes } from 'node:crypto'

/** The prefix of an upload in a source: `upload:upl_…`. */
const SCHEME = 'upload:'

/** Creates the id of an upload from 128 random bits, so that it cannot be guessed. Other accounts cannot use it. */
export const newUploadId = (): string => `upl_${randomBytes(16).toString('hex')}`

export const isUploadId = (text: string): boolean => /^upl_[0-9a-f]{32}$/.test(text)

export const uploadSource = (id: string): string => SCHEME + id

/** Returns whether the text refers to an upload (even an invalid one) instead of a web URL. */
export const isUploadSource = (source: string): boolean => source.startsWith(SCHEME)

/** Returns the id in such a text, or `undefined` if it is invalid. */
export function uploadIdOf(source: string): string | undefined {
  const id = source.slice(SCHEME.length)
  return isUploadSource(source) && isUploadId(id) ? id : undefined
}

export const UPLOAD_LIFE_MS = 24 * 3_600_000

/** The quota of an account in each mode, as a multiple of its `max_source_bytes` (uploads.size.2). */
export const UPLOAD_ROOM = 10

/** The maximum number of concurrent bodies, of an account in one mode and of a process. */
export const UPLOADS_AT_ONCE = { account: 20, process: 100 } as const

export const MAX_UPLOAD_PARTS = 10_000

/**
 * A chunk below `bytes` is short. An upload keeps at most `chunks` of them besides its last, because each costs a file
 * and a row.
 */
export const SHORT_CHUNKS = { bytes: 64 * 1024, chunks: 100 } as const

/** The minimum that an upload, and a short chunk, uses of the account's quota: a disk block. */
export const MIN_STORED_BYTES = 4_096

/** Calls per minute to the signed URLs of one account and mode, per process. */
export const SIGNED_CALLS_PER_MINUTE = 1_200

export const MAX_FILENAME_LENGTH = 255

/** Controls, line and paragraph separators, path separators, and bidi controls, which can disguise an extension. */
export const UNFIT_FILENAME = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\]/u

export const FOLDER_NAMES: ReadonlySet<string> = new Set(['.', '..'])

/** An origin in lowercase, as browsers send it. */
export const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$|^https?:\/\/\[[0-9a-f:.]+\](?::\d{1,5})?$/

export const isOrigin = (text: string) => ORIGIN.test(text) && URL.canParse(text)

/** Returns an origin as browsers send it: without the default port of its scheme. */
export const toOrigin = (text: string) => (URL.canParse(text) ? new URL(text).origin : text)
