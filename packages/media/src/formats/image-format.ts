import type { ByteReader } from './byte-reader.ts'
import type { HeaderMetadata } from './header-metadata.ts'

export type ImageFormat = {
  /** Whether a file that starts with `head` has this format. */
  matches: (head: Buffer) => boolean
  /** Reads the header. Returns `undefined` if it is missing; throws `RangeError` if it is truncated. */
  readHeader: (source: ByteReader) => HeaderMetadata | undefined
}
