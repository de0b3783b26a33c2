import type { Timing } from './sources/opened-source.ts'

// A transparent lossless pixel (WebP Lossless Bitstream, section 3), which changes nothing when it is drawn.
const CLEAR_PIXEL = chunk('VP8L', Buffer.from('2f00000010071011118888fe07', 'hex'))

const HAS_ALPHA = 0x10
const IS_ANIMATED = 0x02

/** Restores frames that libwebp merged because they are equal. The restored frames draw a transparent pixel. */
export function animateStill(webp: Buffer, size: { width: number; height: number }, { delays, loop }: Timing): Buffer {
  const chunks = chunksOf(webp)
  if (chunks.some(({ name }) => name === 'ANIM')) return webp
  const imageChunks = chunks.filter(({ name }) => name === 'ALPH' || name === 'VP8 ' || name === 'VP8L')
  const hasAlpha = imageChunks.some(({ name }) => name !== 'VP8 ')

  const header = Buffer.alloc(10)
  // The transparent pixels need the alpha flag, even if the image has no alpha.
  header[0] = IS_ANIMATED | (hasAlpha || delays.length > 1 ? HAS_ALPHA : 0)
  header.writeUIntLE(size.width - 1, 4, 3)
  header.writeUIntLE(size.height - 1, 7, 3)
  const animation = Buffer.alloc(6)
  animation.writeUInt16LE(loop & 0xffff, 4)

  const still = Buffer.concat(imageChunks.map(({ bytes }) => bytes))
  const frames = delays.map((delay, index) =>
    index === 0 ? frame(size, delay, still) : frame({ width: 1, height: 1 }, delay, CLEAR_PIXEL),
  )
  const body = Buffer.concat([Buffer.from('WEBP'), chunk('VP8X', header), chunk('ANIM', animation), ...frames])
  return chunk('RIFF', body)
}

function frame({ width, height }: { width: number; height: number }, milliseconds: number, image: Buffer): Buffer {
  // The frame is at offset 0, and is drawn over the previous frame.
  const header = Buffer.alloc(16)
  header.writeUIntLE(width - 1, 6, 3)
  header.writeUIntLE(height - 1, 9, 3)
  header.writeUIntLE(Math.min(milliseconds, 0xffffff), 12, 3)
  return chunk('ANMF', Buffer.concat([header, image]))
}

function chunk(name: string, bytes: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([head, bytes, Buffer.alloc(bytes.length % 2)])
}

function chunksOf(webp: Buffer): { name: string; bytes: Buffer }[] {
  const chunks = []
  for (let at = 12; at + 8 <= webp.length; ) {
    const end = at + 8 + webp.readUInt32LE(at + 4)
    chunks.push({ name: webp.toString('latin1', at, at + 4), bytes: webp.subarray(at, end + (end % 2)) })
    at = end + (end % 2)
  }
  return chunks
}
