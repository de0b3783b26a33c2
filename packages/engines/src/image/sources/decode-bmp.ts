import { RequestFailure } from '@mediamill/contract/domain/errors'
import { MAX_FRAME_PIXELS } from '@mediamill/contract/domain/limits'
import type { BmpHeader, BmpMasks } from '@mediamill/media/formats/bmp'
import { readBmpHeader } from '@mediamill/media/formats/bmp'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import { decodeRuns } from './bmp-rle.ts'
import { rejectOverLimit } from './raw-source.ts'

/** Returns the pixels, or the JPEG or PNG in the bitmap. Checks the size before it allocates memory. */
export function decodeBmp(bytes: Buffer, maxPixels: number = MAX_FRAME_PIXELS): RawImage | { embedded: Buffer } {
  const header = readBmpHeader(bytes)
  if (header === undefined) throw damaged()
  const { width, height, bitCount, compression, pixelOffset } = header
  rejectOverLimit(width, height, maxPixels)
  switch (compression) {
    case 'jpeg':
    case 'png':
      return { embedded: bytes.subarray(pixelOffset, pixelOffset + (header.pixelBytes || bytes.length)) }
    case 'rle4':
    case 'rle8':
    case 'rle24': {
      const { pixels, isWhole } = decodeRuns(bytes.subarray(pixelOffset), header, readColors(bytes, header))
      if (!isWhole) throw cutOff()
      return withoutNeedlessAlpha(Buffer.from(pixels.buffer), width, height)
    }
    case 'none':
    case 'bitfields':
      if (rowBytes(header) * (height - 1) + Math.ceil((width * bitCount) / 8) > bytes.length - pixelOffset) {
        throw cutOff()
      }
      return decodeRows(bytes, header)
    case 'unknown':
      throw unsupported()
  }
}

const damaged = () => new RequestFailure('processing_failed', 'The BMP image is damaged: its header cannot be read.')
const cutOff = () =>
  new RequestFailure('processing_failed', 'The BMP image is truncated: it has fewer pixels than its header declares.')
const unsupported = () =>
  new RequestFailure(
    'processing_failed',
    'This BMP image uses an unsupported format. Save the image as PNG, and send the PNG file.',
  )

const rowBytes = ({ width, bitCount }: BmpHeader) => Math.ceil((width * bitCount) / 32) * 4

function decodeRows(bytes: Buffer, header: BmpHeader): RawImage {
  switch (header.bitCount) {
    case 1:
    case 2:
    case 4:
    case 8:
      return indexedRows(bytes, header)
    case 24:
      return byteRows(bytes, header, [2, 1, 0])
    case 16:
    case 32:
      if (header.masks === undefined) throw damaged()
      return maskedRows(bytes, header, header.masks)
    default:
      throw unsupported()
  }
}

function* rowStarts(header: BmpHeader): Generator<number> {
  const stride = rowBytes(header)
  for (let y = 0; y < header.height; y += 1) {
    yield header.pixelOffset + (header.isTopDown ? y : header.height - 1 - y) * stride
  }
}

/** Returns 32-bit colors, red in the lowest byte. Missing colors are black. */
function readColors(
  bytes: Buffer,
  { paletteOffset, paletteEntryBytes, paletteColors, pixelOffset }: BmpHeader,
): Uint32Array {
  const colors = new Uint32Array(256).fill(0xff000000)
  // The palette ends at the pixels, even if the header declares more colors.
  const end = pixelOffset > paletteOffset ? Math.min(pixelOffset, bytes.length) : bytes.length
  for (let index = 0, at = paletteOffset; index < paletteColors && at + 3 <= end; index += 1, at += paletteEntryBytes) {
    colors[index] = ((0xff << 24) | ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)) >>> 0
  }
  return colors
}

function indexedRows(bytes: Buffer, header: BmpHeader): RawImage {
  const { width, height, bitCount } = header
  const colors = readColors(bytes, header)
  const data = Buffer.allocUnsafe(width * height * 3)
  const lowest = (1 << bitCount) - 1
  let to = 0
  for (const start of rowStarts(header)) {
    for (let x = 0, bit = 0; x < width; x += 1, bit += bitCount, to += 3) {
      const color = colors[((bytes[start + (bit >> 3)] ?? 0) >> (8 - bitCount - (bit & 7))) & lowest] ?? 0
      data[to] = color
      data[to + 1] = color >> 8
      data[to + 2] = color >> 16
    }
  }
  return { data, width, height, channels: 3 }
}

function byteRows(bytes: Buffer, header: BmpHeader, offsets: readonly number[]): RawImage {
  const { width, height } = header
  const pixelBytes = header.bitCount / 8
  const [redAt = 0, greenAt = 0, blueAt = 0, alphaAt] = offsets
  const channels = alphaAt === undefined ? 3 : 4
  const data = Buffer.allocUnsafe(width * height * channels)
  let to = 0
  for (const start of rowStarts(header)) {
    for (let from = start; from < start + width * pixelBytes; from += pixelBytes, to += channels) {
      data[to] = bytes[from + redAt] ?? 0
      data[to + 1] = bytes[from + greenAt] ?? 0
      data[to + 2] = bytes[from + blueAt] ?? 0
      if (alphaAt !== undefined) data[to + 3] = bytes[from + alphaAt] ?? 0
    }
  }
  return alphaAt === undefined ? { data, width, height, channels } : withoutNeedlessAlpha(data, width, height, true)
}

const BYTE_MASKS = [0xff, 0xff00, 0xff0000, 0xff000000]

function maskedRows(bytes: Buffer, header: BmpHeader, masks: BmpMasks): RawImage {
  const { width, height } = header
  const pixelBytes = header.bitCount / 8
  const channels = masks[3] === 0 ? 3 : 4
  const offsets = masks.slice(0, channels).map((mask) => BYTE_MASKS.indexOf(mask))
  if (pixelBytes === 4 && !offsets.includes(-1)) return byteRows(bytes, header, offsets)
  const parts = masks.slice(0, channels).map(maskedPart)
  const data = Buffer.allocUnsafe(width * height * channels)
  for (const [channel, part] of parts.entries()) {
    let to = channel
    for (const start of rowStarts(header)) {
      for (let from = start; from < start + width * pixelBytes; from += pixelBytes, to += channels) {
        const low = (bytes[from] ?? 0) | ((bytes[from + 1] ?? 0) << 8)
        const pixel = pixelBytes === 2 ? low : low | ((bytes[from + 2] ?? 0) << 16) | ((bytes[from + 3] ?? 0) << 24)
        const value = (pixel & part.mask) >>> part.shift
        data[to] = part.levels === undefined ? value / part.step : (part.levels[value] ?? 0)
      }
    }
  }
  return channels === 4 ? withoutNeedlessAlpha(data, width, height, true) : { data, width, height, channels }
}

type MaskedPart = { mask: number; shift: number; levels: Uint8Array | undefined; step: number }

function maskedPart(mask: number): MaskedPart {
  if (mask === 0) return { mask, shift: 0, levels: Uint8Array.of(0), step: 1 }
  const shift = 31 - Math.clz32(mask & -mask)
  const maxValue = mask >>> shift
  if (maxValue > 0xffff) return { mask, shift, levels: undefined, step: (maxValue + 1) / 256 }
  return {
    mask,
    shift,
    levels: Uint8Array.from({ length: maxValue + 1 }, (_, value) => Math.round((value * 255) / maxValue)),
    step: 1,
  }
}

/** Removes alpha if all pixels are opaque or, with `zeroIsUnset`, if all are transparent. */
function withoutNeedlessAlpha(data: Buffer, width: number, height: number, zeroIsUnset = false): RawImage {
  const first = data[3]
  const isNeedless = (first === 255 || (zeroIsUnset && first === 0)) && isUniformAlpha(data, first)
  if (!isNeedless) return { data, width, height, channels: 4 }
  let to = 0
  for (let from = 0; from < data.length; from += 4, to += 3) {
    data[to] = data[from] ?? 0
    data[to + 1] = data[from + 1] ?? 0
    data[to + 2] = data[from + 2] ?? 0
  }
  return { data: data.subarray(0, to), width, height, channels: 3 }
}

function isUniformAlpha(data: Buffer, alpha: number): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== alpha) return false
  return true
}
