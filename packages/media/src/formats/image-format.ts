import type { ByteReader } from './byte-reader.ts'
import type { HeaderMetadata } from './header-metadata.ts'

export type ImageFormat = {
  matches: (head: Buffer) => boolean
  /** Reads the header. Returns `undefined` if it is missing, and throws `RangeError` if it is truncated. */
  readHeader: (source: ByteReader) => HeaderMetadata | undefined
}
