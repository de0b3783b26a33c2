import type { ByteReader } from './byte-reader.ts'

export type ImageFormat = {
  matches: (head: Buffer) => boolean
  /** Reads the header. Returns `undefined` if it is missing, and throws `RangeError` if it is truncated. */
  readHeader: (source: ByteReader) => HeaderMetadata | undefined
}

export type Colorspace = 'sRGB' | 'CMYK' | 'Gray' | 'Lab'

/** `orientation` is the EXIF value, or 0 if missing. */
export type HeaderMetadata = {
  frames: number
  orientation: number
  colorspace: Colorspace
  width: number
  height: number
}

export type Signature = (head: Buffer) => boolean

export function at(offset: number, text: string): Signature {
  const bytes = Buffer.from(text, 'latin1')
  return (head) => head.subarray(offset, offset + bytes.length).equals(bytes)
}

export const all =
  (...signatures: Signature[]): Signature =>
  (head) =>
    signatures.every((matches) => matches(head))

export const any =
  (...signatures: Signature[]): Signature =>
  (head) =>
    signatures.some((matches) => matches(head))
