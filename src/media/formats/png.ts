import type { ByteReader } from './byte-reader.ts'
import type { HeaderFacts } from './header-facts.ts'
import { exifOrientation } from './tiff.ts'

/**
 * Reads IHDR, and looks for eXIf before the first IDAT, where the PNG specification has it; behind the pixels only
 * when these bytes are at hand already. An APNG is one frame: its first picture is what is processed.
 */
export function pngFacts(source: ByteReader): HeaderFacts | undefined {
  const header = source.read(8, 25)
  if (header.length < 18 || header.toString('latin1', 4, 8) !== 'IHDR') return undefined
  const colorType = header.readUInt8(17)
  return {
    frames: 1,
    orientation: orientation(source),
    colorspace: colorType === 0 || colorType === 4 ? 'Gray' : 'sRGB',
    width: header.readUInt32BE(8),
    height: header.readUInt32BE(12),
  }
}

function orientation(source: ByteReader): number {
  let at = 33
  for (;;) {
    const chunk = source.read(at, 8)
    if (chunk.length < 8) return 0
    const length = chunk.readUInt32BE(0)
    const type = chunk.toString('latin1', 4, 8)
    if (type === 'eXIf') return exifOrientation(source.read(at + 8, Math.min(length, MAX_EXIF_BYTES)))
    if (type === 'IEND' || (type === 'IDAT' && !source.complete)) return 0
    at += length + 12
  }
}

/** The orientation is an entry of the first directory, which lies at the start. */
const MAX_EXIF_BYTES = 64 * 1024
