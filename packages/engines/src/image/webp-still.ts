import { bufferReader } from '@mediamill/media/formats/byte-reader'
import { riffChunk, webpChunks } from '@mediamill/media/formats/webp'
import type { Timing } from './sources/opened-source.ts'

// A transparent lossless pixel (WebP Lossless Bitstream, section 3).
const CLEAR_PIXEL = riffChunk('VP8L', Buffer.from('2f00000010071011118888fe07', 'hex'))

const HAS_ALPHA = 0x10
const IS_ANIMATED = 0x02

/** Restores the frames that libwebp merged because they are equal. Each restored frame is a transparent pixel. */
export function animateStill(webp: Buffer, size: { width: number; height: number }, { delays, loop }: Timing): Buffer {
  const chunks = [...webpChunks(bufferReader(webp))]
  if (chunks.some(({ type }) => type === 'ANIM')) return webp
  const imageChunks = chunks.filter(({ type }) => type === 'ALPH' || type === 'VP8 ' || type === 'VP8L')
  const hasAlpha = imageChunks.some(({ type }) => type !== 'VP8 ')

  const header = Buffer.alloc(10)
  // The transparent pixels need the alpha flag, even if the image has no alpha.
  header[0] = IS_ANIMATED | (hasAlpha || delays.length > 1 ? HAS_ALPHA : 0)
  header.writeUIntLE(size.width - 1, 4, 3)
  header.writeUIntLE(size.height - 1, 7, 3)
  const animation = Buffer.alloc(6)
  animation.writeUInt16LE(loop & 0xffff, 4)

  const still = Buffer.concat(
    imageChunks.map(({ type, start, length }) => riffChunk(type, webp.subarray(start, start + length))),
  )
  const frames = delays.map((delay, index) =>
    index === 0 ? frame(size, delay, still) : frame({ width: 1, height: 1 }, delay, CLEAR_PIXEL),
  )
  const body = Buffer.concat([Buffer.from('WEBP'), riffChunk('VP8X', header), riffChunk('ANIM', animation), ...frames])
  return riffChunk('RIFF', body)
}

function frame({ width, height }: { width: number; height: number }, milliseconds: number, image: Buffer): Buffer {
  const header = Buffer.alloc(16)
  header.writeUIntLE(width - 1, 6, 3)
  header.writeUIntLE(height - 1, 9, 3)
  header.writeUIntLE(Math.min(milliseconds, 0xffffff), 12, 3)
  return riffChunk('ANMF', Buffer.concat([header, image]))
}
