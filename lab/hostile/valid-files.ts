import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import { coded, heic } from '@mediamill/engines/image/sources/heic-fixture'
import sharp from 'sharp'
import { text, u16le, u32le } from './bytes.ts'

/** Returns a small image of every format, with so much detail that a changed byte is visible. */
export async function validImages(): Promise<Record<ImageSourceFormat, Buffer>> {
  const still = () => sharp(pixels(48, 32), { raw: { width: 48, height: 32, channels: 3 } })
  return {
    JPEG: await still()
      .jpeg({ quality: 80 })
      .withExif({ IFD0: { ImageDescription: 'x' } })
      .toBuffer(),
    PNG: await still().png().toBuffer(),
    GIF: await animation().gif({ delay: 50 }).toBuffer(),
    WEBP: await animation().webp({ delay: 50 }).toBuffer(),
    TIFF: await still().tiff({ compression: 'lzw' }).toBuffer(),
    BMP: bitmap(48, 32, pixels(48, 32)),
    HEIC: heic({ items: [coded('eight')] }),
    AVIF: await still().avif({ effort: 0, quality: 50 }).toBuffer(),
  }
}

function pixels(width: number, height: number, shift = 0): Buffer {
  const data = Buffer.alloc(width * height * 3)
  for (let at = 0; at < data.length; at += 1)
    data[at] = ((at * 7919 + shift * 31) % 61) + Math.floor((at / data.length) * 190)
  return data
}

function animation() {
  const frames = [0, 1, 2].map((frame) => pixels(24, 16, frame))
  return sharp(Buffer.concat(frames), { raw: { width: 24, height: 48, channels: 3, pageHeight: 16 } })
}

/** Makes an uncompressed 24-bit bitmap. `width` must be a multiple of 4, because rows have no padding. */
function bitmap(width: number, height: number, data: Buffer): Buffer {
  return Buffer.concat([bitmapHeader({ width, height, bits: 24, compression: 0, dataBytes: data.length }), data])
}

type BitmapHeader = {
  width: number
  height: number
  bits: number
  compression: number
  dataBytes: number
  paletteBytes?: number
}

export function bitmapHeader({ width, height, bits, compression, dataBytes, paletteBytes = 0 }: BitmapHeader): Buffer {
  const dataAt = 14 + 40 + paletteBytes
  return Buffer.concat([
    text('BM'),
    u32le(dataAt + dataBytes, 0, dataAt, 40, width, height >>> 0),
    u16le(1, bits),
    u32le(compression, dataBytes, 2835, 2835, paletteBytes / 4, 0),
  ])
}
