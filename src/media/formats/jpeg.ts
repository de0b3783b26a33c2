import type { ByteReader } from './byte-reader.ts'
import type { HeaderFacts } from './header-facts.ts'
import { END, SCAN, STANDALONE } from './jpeg-markers.ts'
import { exifOrientation } from './tiff.ts'

const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1')

/** Walks the marker segments (ISO 10918-1, annex B) up to the first scan. */
export function jpegFacts(source: ByteReader): HeaderFacts | undefined {
  let frame: HeaderFacts | undefined
  let orientation = 0
  let at = 2
  let skipped = 0
  while (skipped < MAX_SKIPPED_BYTES) {
    const [prefix, marker] = source.read(at, 2)
    if (marker === undefined) break
    if (prefix !== 0xff || marker === 0x00 || marker === 0xff) {
      at += 1
      skipped += 1
      continue
    }
    at += 2
    if (marker === SCAN || marker === END) break
    if (STANDALONE.has(marker)) continue
    const head = source.read(at, 12)
    const length = head.readUInt16BE(0)
    if (isFrame(marker)) {
      const components = head.readUInt8(7)
      const colorspace = components === 1 ? 'Gray' : components === 4 ? 'CMYK' : 'sRGB'
      frame ??= { frames: 1, orientation: 0, colorspace, width: head.readUInt16BE(5), height: head.readUInt16BE(3) }
    }
    if (marker === APP1 && orientation === 0 && head.subarray(2, 8).equals(EXIF_PREFIX)) {
      orientation = exifOrientation(source.read(at + 8, length - 8))
    }
    at += Math.max(length, 2)
  }
  return frame === undefined ? undefined : { ...frame, orientation }
}

/** Decoders pass over what is no marker, and over any number of fill bytes before one. */
const MAX_SKIPPED_BYTES = 64 * 1024

const APP1 = 0xe1

/** SOF0 to SOF15; C4, C8 and CC between them are tables, reserved, and conditioning. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
