import { crc32 } from 'node:zlib'
import type { ByteReader } from './byte-reader.ts'
import { bufferReader } from './byte-reader.ts'
import type { HeaderMetadata, ImageFormat } from './image-format.ts'
import { at } from './image-format.ts'
import { exifOrientation } from './tiff.ts'

export const png: ImageFormat = { matches: at(0, '\x89PNG\r\n\x1a\n'), readHeader }

type PngChunk = { type: string; start: number; length: number }

export function* pngChunks(source: ByteReader, from = 8): Generator<PngChunk> {
  let offset = from
  for (let head = source.read(offset, 8); head.length === 8; head = source.read(offset, 8)) {
    const length = head.readUInt32BE(0)
    yield { type: head.toString('latin1', 4), start: offset + 8, length }
    offset += length + 12
  }
}

/** Ignores an eXIf after the pixel data if the file is not complete yet. An APNG counts as one frame. */
function readHeader(source: ByteReader): HeaderMetadata | undefined {
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

export const PNG_HEADER_END = 33

function orientation(source: ByteReader): number {
  for (const { type, start, length } of pngChunks(source, PNG_HEADER_END)) {
    if (type === 'eXIf') return exifOrientation(source.read(start, Math.min(length, MAX_EXIF_BYTES)))
    if (type === 'IEND' || (type === 'IDAT' && !source.complete)) return 0
  }
  return 0
}

/** The maximum bytes of EXIF data to read. The orientation is in the first directory, at the start. */
const MAX_EXIF_BYTES = 64 * 1024

export function isWholePng(source: ByteReader): boolean {
  return pngChunks(source).some(({ type }) => type === 'IEND')
}

/** Returns the compressed rows of a PNG. A PDF can embed them with PNG predictors (ISO 32000-1, 7.4.4). */
export function pngData(file: Buffer): Buffer {
  const data = pngChunks(bufferReader(file)).filter(({ type }) => type === 'IDAT')
  return Buffer.concat(data.map(({ start, length }) => file.subarray(start, start + length)).toArray())
}

export function writePngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
