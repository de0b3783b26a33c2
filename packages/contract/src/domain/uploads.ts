import { randomBytes } from 'node:crypto'

/** How an upload is named where a source is asked for: `upload:upl_…`. */
const SCHEME = 'upload:'

/**
 * Makes the id of an upload from 128 random bits. Whoever has no key of the account cannot use the id, and whoever has
 * one cannot guess it.
 */
export const newUploadId = (): string => `upl_${randomBytes(16).toString('hex')}`

export const isUploadId = (text: string): boolean => /^upl_[0-9a-f]{32}$/.test(text)

/** Writes what names an upload in `source` or `image_url`. */
export const uploadSource = (id: string): string => SCHEME + id

/** Tells whether the text names an upload, well or badly, and not a web URL. */
export const isUploadSource = (source: string): boolean => source.startsWith(SCHEME)

/** The id that such a text names; `undefined` when it is no id. */
export function uploadIdOf(source: string): string | undefined {
  const id = source.slice(SCHEME.length)
  return isUploadSource(source) && isUploadId(id) ? id : undefined
}

/** How long an upload is kept, complete or not (rulings 17). */
export const UPLOAD_LIFE_MS = 24 * 3_600_000

/** How many times its `max_source_bytes` an account keeps in each mode (rulings 17). */
export const UPLOAD_ROOM = 10

/** The most bodies on their way at once. One bound is for an account in one mode, the other for a process. */
export const UPLOADS_AT_ONCE = { account: 20, process: 100 } as const

/** Chunks that one upload may come in. */
export const MAX_UPLOAD_PARTS = 10_000

/**
 * A chunk below `bytes` is short. An upload keeps at most `chunks` short chunks besides its last. A bad connection may
 * interrupt a few chunks early; thousands of tiny chunks would cost a file and a row each.
 */
export const SHORT_CHUNKS = { bytes: 64 * 1024, chunks: 100 } as const

/** The least that an upload, and a short chunk of one, takes of the account's quota: a disk block. */
export const MIN_STORED_BYTES = 4_096

/** Calls to the signed URLs of one account and mode that one process accepts within a minute. */
export const SIGNED_CALLS_PER_MINUTE = 1_200

export const MAX_FILENAME_LENGTH = 255

/**
 * Control characters, line and paragraph separators, and path separators: a file name has none of them. Bidi controls can
 * show a file name with another ending (U+202E in `a\u202egnp.exe` shows `aexe.png`).
 */
export const UNFIT_FILENAME = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\]/u

/** Names of folders: this one and the one above it. */
export const FOLDER_NAMES: ReadonlySet<string> = new Set(['.', '..'])

/** An origin as browsers write it, in lower case. */
export const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$|^https?:\/\/\[[0-9a-f:.]+\](?::\d{1,5})?$/
