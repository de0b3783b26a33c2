import type { ByteReader } from './byte-reader.ts'
import type { HeaderMetadata, ImageFormat } from './image-format.ts'
import { all, at } from './image-format.ts'
import { exifOrientation } from './tiff.ts'

export const webp: ImageFormat = { matches: all(at(0, 'RIFF'), at(8, 'WEBP')), readHeader }

const ANIMATION = 0x02
const EXIF = 0x08

/** Reads the first chunk, and more only if its flags declare frames or EXIF (RFC 9649). */
function readHeader(source: ByteReader): HeaderMetadata | undefined {
  const head = source.read(0, 30)
  const still = { frames: 1, orientation: 0, colorspace: 'sRGB' } as const
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { ...still, width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = head.readUInt32LE(21)
      return { ...still, width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return {
        ...walkExtended(source, head.readUInt8(20)),
        width: head.readUIntLE(24, 3) + 1,
        height: head.readUIntLE(27, 3) + 1,
      }
    default:
      return undefined
  }
}

function walkExtended(source: ByteReader, flags: number): Omit<HeaderMetadata, 'width' | 'height'> {
  const isAnimated = (flags & ANIMATION) !== 0
  const hasExif = (flags & EXIF) !== 0
  let frames = 0
  let orientation = 0
  // EXIF is after the frames, so a file with EXIF or several frames is read to its end.
  for (const { type, start, length } of isAnimated || hasExif ? webpChunks(source) : []) {
    if (type === 'ANMF') frames += 1
    if (type === 'EXIF') orientation ||= exifOrientation(source.read(start, Math.min(length, 64 * 1024)))
  }
  source.requireRest()
  return { frames: isAnimated ? Math.max(frames, 1) : 1, orientation, colorspace: 'sRGB' }
}

type WebpChunk = { type: string; start: number; length: number }

export function* webpChunks(source: ByteReader): Generator<WebpChunk> {
  let offset = source.read(12, 4).toString('latin1') === 'VP8X' ? 30 : 12
  while (offset < source.size) {
    const chunk = source.read(offset, 8)
    if (chunk.length < 8) return
    const length = chunk.readUInt32LE(4)
    yield { type: chunk.toString('latin1', 0, 4), start: offset + 8, length }
    offset += 8 + length + (length & 1)
  }
}

export function riffChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}
