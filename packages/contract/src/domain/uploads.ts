import { randomBytes } from 'node:crypto'

const SCHEME = 'upload:'

export const newUploadId = (): string => `upl_${randomBytes(16).toString('hex')}`

export const isUploadId = (text: string): boolean => /^upl_[0-9a-f]{32}$/.test(text)

export const uploadSource = (id: string): string => SCHEME + id

export const isUploadSource = (source: string): boolean => source.startsWith(SCHEME)

export function uploadIdOf(source: string): string | undefined {
  const id = source.slice(SCHEME.length)
  return isUploadSource(source) && isUploadId(id) ? id : undefined
}

export const UPLOAD_LIFE_MS = 24 * 3_600_000

/** The upload quota of an account in each mode is this multiple of its `max_source_bytes` (uploads.size.2). */
export const UPLOAD_QUOTA_FILES = 10

/**
 * The maximum numbers of open uploads per process. Accounts without a payment share `unpaid`, because a person can have
 * many accounts.
 */
export const UPLOADS_AT_ONCE = { account: 20, unpaid: 50, process: 100 } as const

export const MAX_UPLOAD_PARTS = 10_000

/** An upload may have only `chunks` chunks below `bytes`, besides the last, because a chunk costs a file and a row. */
export const SHORT_CHUNKS = { bytes: 64 * 1024, chunks: 100 } as const

/** The minimum that an upload or a chunk counts in the account's quota: even one byte fills a disk block. */
export const MIN_STORED_BYTES = 4_096

/** The maximum number of calls per minute to the signed URLs of one account and mode, per process. */
export const SIGNED_CALLS_PER_MINUTE = 1_200

export const MAX_FILENAME_LENGTH = 255

/** Characters that a file name must not contain. Bidirectional controls can disguise an extension. */
export const UNFIT_FILENAME = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\]/u

export const FOLDER_NAMES: ReadonlySet<string> = new Set(['.', '..'])

export const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$|^https?:\/\/\[[0-9a-f:.]+\](?::\d{1,5})?$/

export const isOrigin = (text: string) => ORIGIN.test(text) && URL.canParse(text)

/** Returns the origin of a URL in lowercase without the default port. Returns other text unchanged. */
export const toOrigin = (text: string) => (URL.canParse(text) ? new URL(text).origin : text)
