import type { ByteReader } from './byte-reader.ts'
import type { HeaderMetadata, ImageFormat } from './image-format.ts'
import { all, at } from './image-format.ts'

export const bmp: ImageFormat = {
  matches: all(at(0, 'BM'), isBitmapHeader),
  readHeader,
}

/** Returns whether the header size is valid. A text can also start with `BM`. */
function isBitmapHeader(head: Buffer): boolean {
  return head.length >= 26 && BITMAP_HEADER_SIZES.has(head.readUInt32LE(14))
}

/** The valid header sizes: OS/2 1 (12) and 2 (16, 48, 64), Windows 3 (40, 52, 56), 4 (108), and 5 (124). */
const BITMAP_HEADER_SIZES: ReadonlySet<number> = new Set([12, 16, 40, 48, 52, 56, 64, 108, 124])

type BmpCompression = 'none' | 'rle8' | 'rle4' | 'rle24' | 'bitfields' | 'jpeg' | 'png' | 'unknown'

export type BmpMasks = readonly [red: number, green: number, blue: number, alpha: number]

export type BmpHeader = {
  width: number
  height: number
  isTopDown: boolean
  bitCount: number
  compression: BmpCompression
  masks: BmpMasks | undefined
  paletteOffset: number
  paletteEntryBytes: 3 | 4
  paletteColors: number
  pixelOffset: number
  pixelBytes: number
}

const BMP_HEADER_BYTES = 256

function readHeader(source: ByteReader): HeaderMetadata | undefined {
  const header = readBmpHeader(source.read(0, BMP_HEADER_BYTES))
  if (header === undefined) return undefined
  return { frames: 1, orientation: 0, colorspace: 'sRGB', width: header.width, height: header.height }
}

const FILE_HEADER_BYTES = 14

export function readBmpHeader(bytes: Buffer): BmpHeader | undefined {
  if (bytes.length < 26 || bytes.toString('latin1', 0, 2) !== 'BM') return undefined
  const pixelOffset = bytes.readUInt32LE(10)
  const infoBytes = bytes.readUInt32LE(14)
  if (infoBytes === 12) return coreHeader(bytes, pixelOffset)
  if (infoBytes < 16 || infoBytes > 124 || bytes.length < FILE_HEADER_BYTES + infoBytes) return undefined
  const width = bytes.readInt32LE(18)
  const height = bytes.readInt32LE(22)
  if (width <= 0 || height === 0) return undefined
  const bitCount = bytes.readUInt16LE(28)
  const isOs2 = infoBytes === 16 || infoBytes === 64
  const compression = compressionOf(infoBytes >= 20 ? bytes.readUInt32LE(30) : 0, isOs2)
  if (!isKind(bitCount, compression)) return undefined
  const masks = readMasks(bytes, infoBytes, bitCount, compression)
  const used = infoBytes >= 36 ? bytes.readUInt32LE(46) : 0
  const paletteOffset = FILE_HEADER_BYTES + infoBytes + (masks?.bytes ?? 0)
  const paletteColors = paletteLength(bitCount, used)
  const paletteBytes = pixelOffset - paletteOffset
  return {
    width,
    height: Math.abs(height),
    isTopDown: height < 0,
    bitCount,
    compression,
    masks: masks?.masks,
    paletteOffset,
    // Some OS/2 2 files have three-byte palette entries. Only the number of bytes before the pixels shows this.
    paletteEntryBytes: isOs2 && paletteBytes < paletteColors * 4 && paletteBytes >= paletteColors * 3 ? 3 : 4,
    paletteColors,
    pixelOffset,
    pixelBytes: infoBytes >= 24 ? bytes.readUInt32LE(34) : 0,
  }
}

function coreHeader(bytes: Buffer, pixelOffset: number): BmpHeader | undefined {
  const width = bytes.readUInt16LE(18)
  const height = bytes.readUInt16LE(20)
  const bitCount = bytes.readUInt16LE(24)
  if (width === 0 || height === 0 || !isKind(bitCount, 'none')) return undefined
  return {
    width,
    height,
    isTopDown: false,
    bitCount,
    compression: 'none',
    masks: DEFAULT_MASKS[bitCount],
    paletteOffset: FILE_HEADER_BYTES + 12,
    paletteEntryBytes: 3,
    paletteColors: paletteLength(bitCount, 0),
    pixelOffset,
    pixelBytes: 0,
  }
}

/**
 * Returns whether the format defines this depth for the compression. GDI+ writes 64 bits. A bitmap that contains a JPEG
 * or PNG may have a depth of 0.
 */
function isKind(bitCount: number, compression: BmpCompression): boolean {
  switch (compression) {
    case 'none':
    case 'unknown':
      return [1, 2, 4, 8, 16, 24, 32, 64].includes(bitCount)
    case 'rle4':
      return bitCount === 4
    case 'rle8':
      return bitCount === 8
    case 'rle24':
      return bitCount === 24
    case 'bitfields':
      return bitCount === 16 || bitCount === 32
    case 'jpeg':
    case 'png':
      return bitCount <= 64
  }
}

function paletteLength(bitCount: number, used: number): number {
  if (bitCount > 8) return 0
  const maxColors = 2 ** bitCount
  return used === 0 ? maxColors : Math.min(used, maxColors)
}

function compressionOf(code: number, isOs2: boolean): BmpCompression {
  switch (code) {
    case 0:
      return 'none'
    case 1:
      return 'rle8'
    case 2:
      return 'rle4'
    case 3:
      // In OS/2 files, 3 means Huffman coding, which no known program writes.
      return isOs2 ? 'unknown' : 'bitfields'
    case 4:
      return isOs2 ? 'rle24' : 'jpeg'
    case 5:
      return isOs2 ? 'unknown' : 'png'
    case 6:
      return isOs2 ? 'unknown' : 'bitfields'
    default:
      return 'unknown'
  }
}

const DEFAULT_MASKS: Record<number, BmpMasks> = {
  16: [0x7c00, 0x03e0, 0x001f, 0],
  32: [0xff0000, 0xff00, 0xff, 0],
}

const ALPHA_BYTE = 0xff000000

function readMasks(
  bytes: Buffer,
  infoBytes: number,
  bitCount: number,
  compression: BmpCompression,
): { masks: BmpMasks; bytes: number } | undefined {
  const preset = DEFAULT_MASKS[bitCount]
  if (preset === undefined) return undefined
  if (compression !== 'bitfields') {
    // Without bitfields, masks have no meaning in the format, but other readers still apply an alpha mask.
    const hasDeclaredAlpha = bitCount === 32 && infoBytes >= 56 && bytes.readUInt32LE(66) === ALPHA_BYTE
    return { masks: hasDeclaredAlpha ? [preset[0], preset[1], preset[2], ALPHA_BYTE] : preset, bytes: 0 }
  }
  // In a Windows 3 header, only the compression BI_ALPHABITFIELDS (6) has an alpha mask.
  const hasAlpha = infoBytes >= 56 || (infoBytes < 52 && bytes.readUInt32LE(30) === 6)
  const maskBytes = hasAlpha ? 16 : 12
  if (bytes.length < 54 + maskBytes) return undefined
  const mask = (index: number) => bytes.readUInt32LE(54 + index * 4)
  return { masks: [mask(0), mask(1), mask(2), hasAlpha ? mask(3) : 0], bytes: infoBytes >= 52 ? 0 : maskBytes }
}
