import type { ByteReader } from './byte-reader.ts'
import { bufferReader } from './byte-reader.ts'
import type { HeaderMetadata, ImageFormat } from './image-format.ts'
import { at } from './image-format.ts'
import { END, isFrame, QUICK_SCAN, SCAN, segmentsOf, THROUGH_SCANS } from './jpeg-segments.ts'
import { exifOrientation } from './tiff.ts'

const APP1 = 0xe1
const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1')

export const jpeg: ImageFormat = { matches: at(0, '\xff\xd8\xff'), readHeader }

function readHeader(source: ByteReader): HeaderMetadata | undefined {
  let frame: HeaderMetadata | undefined
  let orientation = 0
  for (const segment of segmentsOf(source, QUICK_SCAN)) {
    const { marker, head } = segment
    if (marker === SCAN) break
    if (isFrame(marker)) {
      const components = head.readUInt8(7)
      const colorspace = components === 1 ? 'Gray' : components === 4 ? 'CMYK' : 'sRGB'
      frame ??= { frames: 1, orientation: 0, colorspace, width: head.readUInt16BE(5), height: head.readUInt16BE(3) }
    }
    if (marker === APP1 && orientation === 0 && head.subarray(2, 8).equals(EXIF_PREFIX)) {
      const start = segment.at + 10
      orientation = exifOrientation(source.read(start, segment.end - start))
    }
  }
  return frame === undefined ? undefined : { ...frame, orientation }
}

export function isWholeJpeg(source: ByteReader): boolean {
  return segmentsOf(source, THROUGH_SCANS).some(({ marker }) => marker === END)
}

type JpegHead = { width: number; height: number; components: number }

const COMMENT = 0xfe
const ADOBE = 0xee

// Components with the ids R, G, and B are RGB, unless a marker declares YCbCr. PDF readers always assume YCbCr.
const RGB = 'RGB'

/** Removes metadata and profiles without encoding again. Returns `undefined` if a PDF cannot embed the JPEG. */
export function bareJpeg(file: Buffer): (JpegHead & { bytes: Buffer }) | undefined {
  let head: JpegHead | undefined
  const parts: Buffer[] = [file.subarray(0, 2)]
  let from = 2
  for (const { marker, at: start, end } of segmentsOf(bufferReader(file), QUICK_SCAN)) {
    // Only padding (0xff) may precede a marker.
    if (file.subarray(from, start).some((byte) => byte !== 0xff)) return undefined
    if (marker === SCAN) {
      return head === undefined ? undefined : { ...head, bytes: Buffer.concat([...parts, file.subarray(start)]) }
    }
    if (end > file.length || end === start + 2) return undefined
    if (isFrame(marker)) {
      head = frameForPdf(file.subarray(start, end), marker)
      if (head === undefined) return undefined
    }
    const isMetadata = (marker > 0xe0 && marker <= 0xef && marker !== ADOBE) || marker === COMMENT
    if (!isMetadata) parts.push(file.subarray(start, end))
    from = end
  }
  return undefined
}

/** Parses a frame header that `DCTDecode` supports (ISO 32000-1, 7.4.8): with Huffman coding, not lossless. */
function frameForPdf(segment: Buffer, marker: number): JpegHead | undefined {
  if (marker > 0xc2 || segment[4] !== 8 || segment.length < 10) return undefined
  const names = [10, 13, 16].map((place) => String.fromCharCode(segment[place] ?? 0)).join('')
  if (segment[9] === 3 && names === RGB) return undefined
  return { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7), components: segment[9] ?? 0 }
}
