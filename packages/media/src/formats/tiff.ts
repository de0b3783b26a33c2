import type { ByteReader } from './byte-reader.ts'
import { bufferReader } from './byte-reader.ts'
import type { Colorspace, HeaderMetadata, ImageFormat } from './image-format.ts'
import { any, at } from './image-format.ts'
import { nextDirectory, readDirectory, readLayout } from './tiff/directory.ts'

const WIDTH = 256
const HEIGHT = 257
const PHOTOMETRIC = 262
const ORIENTATION = 274
const SAMPLES = 277

const matches = any(at(0, 'II*\0'), at(0, 'MM\0*'), at(0, 'II+\0\b\0\0\0'), at(0, 'MM\0+\0\b\0\0'))

export const tiff: ImageFormat = { matches, readHeader }

function readHeader(source: ByteReader): HeaderMetadata | undefined {
  const layout = readLayout(source)
  if (layout === undefined) return undefined
  const page = readDirectory(source, layout, layout.first)
  const width = page.values.get(WIDTH)
  const height = page.values.get(HEIGHT)
  if (width === undefined || height === undefined) return undefined
  const seen = new Set([layout.first])
  for (
    let place = page.next;
    place !== 0 && place < source.size && !seen.has(place);
    place = nextDirectory(source, layout, place)
  ) {
    seen.add(place)
  }
  // 1 is the default of TIFF 6.0: upright.
  const orientation = page.values.get(ORIENTATION) ?? 1
  const colorspace = colorspaceOf(page.values.get(PHOTOMETRIC), page.values.get(SAMPLES) ?? 1)
  return { frames: seen.size, orientation: orientation <= 8 ? orientation : 0, colorspace, width, height }
}

/** Reads the orientation from EXIF data, which has the format of a TIFF. Returns 1 to 8, or 0 if it is missing. */
export function exifOrientation(exif: Buffer): number {
  const bytes = exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif
  const source = bufferReader(bytes)
  const layout = readLayout(source)
  if (layout === undefined) return 0
  const orientation = readDirectory(source, layout, layout.first).values.get(ORIENTATION) ?? 0
  return orientation <= 8 ? orientation : 0
}

function colorspaceOf(photometric: number | undefined, samples: number): Colorspace {
  switch (photometric) {
    case undefined:
      return samples < 3 ? 'Gray' : 'sRGB'
    case 0:
    case 1:
    case 4:
    case 32_844:
      return 'Gray'
    case 5:
      return 'CMYK'
    case 8:
    case 9:
    case 10:
      return 'Lab'
    default:
      return 'sRGB'
  }
}
