import type { Size } from '@mediamill/contract/domain/size'

/**
 * An uncompressed TIFF. `pixels` is the part of `file` that contains the pixels: rows from the top, channels
 * interleaved.
 */
type RawTiff = { file: Buffer; pixels: Buffer }

/** The format of the pixels. 16-bit values are little-endian. CMYK values are amounts of ink. */
export type RawTiffPixels = {
  colors: 'gray' | 'rgb' | 'cmyk'
  alpha: 'none' | 'straight' | 'premultiplied'
  bits: 8 | 16
  orientation?: number
}

const COLORS = {
  gray: { channels: 1, photometric: 1 },
  rgb: { channels: 3, photometric: 2 },
  cmyk: { channels: 4, photometric: 5 },
}
const EXTRA_SAMPLE = { none: 0, premultiplied: 1, straight: 2 }

type Field = { tag: number; type: 3 | 4 | 7; count: number; value: number }

/** Returns a TIFF with empty pixels, because sharp accepts a color profile only in a file. */
export function rawTiff({ width, height }: Size, kind: RawTiffPixels, profile: Buffer | undefined): RawTiff {
  const { alpha, bits, orientation = 1 } = kind
  const hasAlpha = alpha !== 'none'
  const channels = COLORS[kind.colors].channels + (hasAlpha ? 1 : 0)
  const pixelBytes = (width * height * channels * bits) / 8
  const fieldCount = 11 + (hasAlpha ? 1 : 0) + (profile === undefined ? 0 : 1)
  const bitsOffset = 8 + 2 + fieldCount * 12 + 4
  const profileOffset = bitsOffset + 16
  const pixelOffset = (profileOffset + (profile?.length ?? 0) + 63) & ~63
  const fields: Field[] = [
    { tag: 256, type: 4, count: 1, value: width },
    { tag: 257, type: 4, count: 1, value: height },
    { tag: 258, type: 3, count: channels, value: channels <= 2 ? bits * 0x10001 : bitsOffset },
    { tag: 259, type: 3, count: 1, value: 1 },
    { tag: 262, type: 3, count: 1, value: COLORS[kind.colors].photometric },
    { tag: 273, type: 4, count: 1, value: pixelOffset },
    { tag: 274, type: 3, count: 1, value: orientation },
    { tag: 277, type: 3, count: 1, value: channels },
    { tag: 278, type: 4, count: 1, value: height },
    { tag: 279, type: 4, count: 1, value: pixelBytes },
    { tag: 284, type: 3, count: 1, value: 1 },
    ...(hasAlpha ? [{ tag: 338, type: 3, count: 1, value: EXTRA_SAMPLE[alpha] } as const] : []),
    ...(profile === undefined ? [] : [{ tag: 34_675, type: 7, count: profile.length, value: profileOffset } as const]),
  ]
  const file = Buffer.allocUnsafeSlow(pixelOffset + pixelBytes).fill(0, 0, pixelOffset)
  file.write('II*\0', 'latin1')
  file.writeUInt32LE(8, 4)
  file.writeUInt16LE(fieldCount, 8)
  for (const [index, { tag, type, count, value }] of fields.entries()) {
    const at = 10 + index * 12
    file.writeUInt16LE(tag, at)
    file.writeUInt16LE(type, at + 2)
    file.writeUInt32LE(count, at + 4)
    // In little-endian order, a SHORT starts with the same bytes as a LONG of the same value.
    file.writeUInt32LE(value, at + 8)
  }
  for (let channel = 0; channel < channels; channel += 1) file.writeUInt16LE(bits, bitsOffset + channel * 2)
  profile?.copy(file, profileOffset)
  return { file, pixels: file.subarray(pixelOffset) }
}
