/** What of a JPEG decides whether a PDF can hold it as it is. */
export type JpegHead = { width: number; height: number; components: number }

const START_OF_SCAN = 0xda
const COMMENT = 0xfe
const ADOBE = 0xee

// A JPEG of three components is YCbCr, as every PDF reader takes it, unless it calls them so and no marker says more.
const RGB = 'RGB'

/** Markers of the frame's header: all of C0 to CF but the tables C4, C8 and CC among them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/**
 * A JPEG without its metadata, not encoded again: EXIF, XMP, comments and profiles are left out, what decoders need
 * stays. `undefined` for one that a PDF cannot hold as it is: no 8 bits, arithmetic coding, lossless, in RGB, or broken.
 */
export function bareJpeg(file: Buffer): (JpegHead & { bytes: Buffer }) | undefined {
  let head: JpegHead | undefined
  const parts: Buffer[] = [file.subarray(0, 2)]
  let at = 2
  while (at + 4 <= file.length) {
    if (file[at] !== 0xff) return undefined
    const marker = file[at + 1] ?? 0
    // Any number of fill bytes may stand before a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === START_OF_SCAN) {
      return head === undefined ? undefined : { ...head, bytes: Buffer.concat([...parts, file.subarray(at)]) }
    }
    const end = at + 2 + file.readUInt16BE(at + 2)
    if (end > file.length) return undefined
    if (isFrame(marker)) {
      // Baseline, extended and progressive, all Huffman: what `DCTDecode` takes (ISO 32000-1, 7.4.8).
      if (marker > 0xc2 || file[at + 4] !== 8 || end - at < 10) return undefined
      const names = [at + 10, at + 13, at + 16].map((place) => String.fromCharCode(file[place] ?? 0)).join('')
      if (file[at + 9] === 3 && names === RGB) return undefined
      head = { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7), components: file[at + 9] ?? 0 }
    }
    const isMetadata = (marker > 0xe0 && marker <= 0xef && marker !== ADOBE) || marker === COMMENT
    if (!isMetadata) parts.push(file.subarray(at, end))
    at = end
  }
  return undefined
}
