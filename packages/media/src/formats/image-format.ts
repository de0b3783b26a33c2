import type { ByteReader } from './byte-reader.ts'
import type { HeaderFacts } from './header-facts.ts'

/** What the service knows of a format of pictures by its bytes alone. */
export type ImageFormat = {
  /** Whether a file that begins with `head` is one. */
  matches: (head: Buffer) => boolean
  /** What the header says; `undefined` where there is none, or a `RangeError` where it is cut off. */
  facts: (source: ByteReader) => HeaderFacts | undefined
}
