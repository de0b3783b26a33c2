import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { RuleViolation } from '../kit/expect.ts'
import type { Image } from './image.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export function encodePng({ width, height, pixels }: Image): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.of(0), pixels.subarray(y * width * 4, (y + 1) * width * 4)]),
  )
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 6, 0, 0, 0], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Encodes a white PNG with 1 bit per pixel: a small file even for many pixels. */
export function encodeBlank(width: number, height: number): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([1, 0, 0, 0, 0], 8)
  const row = Buffer.alloc(1 + Math.ceil(width / 8), 0xff)
  row[0] = 0
  const rows = Buffer.concat(Array.from({ length: height }, () => row))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export function withChunks(png: Buffer, chunks: Readonly<Record<string, Buffer>>): Buffer {
  const pixels = png.indexOf('IDAT') - 4
  const added = Object.entries(chunks).map(([name, data]) => chunk(name, data))
  return Buffer.concat([png.subarray(0, pixels), ...added, png.subarray(pixels)])
}

export const xmpChunk = (xmp: string): Buffer => Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${xmp}`)

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}

export function chunksOf(png: Buffer): { name: string; data: Buffer }[] {
  const found: { name: string; data: Buffer }[] = []
  for (let at = 8; at + 8 <= png.length; ) {
    const length = png.readUInt32BE(at)
    found.push({ name: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return found
}

/** The number of stored channels of each color type. Type 3 has a palette. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** Decodes a PNG with up to 16 bits per channel. Does not support interlaced PNGs. */
export function decodePng(png: Buffer): Image {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new RuleViolation('The result is no PNG.')
  const chunks = chunksOf(png)
  const of = (name: string) => chunks.filter((one) => one.name === name).map(({ data }) => data)
  const [head = Buffer.alloc(13)] = of('IHDR')
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  const [bits = 8, type = 6] = [head[8], head[9]]
  const channels = CHANNELS[type] ?? 4
  const bytesOfPixel = Math.max(1, (channels * bits) / 8)
  const stride = Math.ceil((width * channels * bits) / 8)
  const rows = unfilter(inflateSync(Buffer.concat(of('IDAT'))), height, stride, bytesOfPixel)
  const [palette = Buffer.alloc(0)] = of('PLTE')
  const [alphas = Buffer.alloc(0)] = of('tRNS')
  const pixels = Buffer.alloc(width * height * 4)
  for (let index = 0; index < width * height; index += 1) {
    const row = rows.subarray(Math.floor(index / width) * stride)
    const sample = (channel: number) => sampleAt(row, (index % width) * channels + channel, bits)
    const scaled = (channel: number) => (bits < 8 ? (sample(channel) * 255) / (2 ** bits - 1) : sample(channel))
    const at = sample(0)
    if (type === 3) {
      pixels.set(
        [palette[at * 3] ?? 0, palette[at * 3 + 1] ?? 0, palette[at * 3 + 2] ?? 0, alphas[at] ?? 255],
        index * 4,
      )
    } else if (channels < 3) {
      const gray = scaled(0)
      pixels.set([gray, gray, gray, channels === 2 ? scaled(1) : 255], index * 4)
    } else pixels.set([scaled(0), scaled(1), scaled(2), channels === 4 ? scaled(3) : 255], index * 4)
  }
  return { width, height, pixels }
}

/** Returns the sample at an index. For 16 bits, returns the upper 8 bits. */
function sampleAt(row: Buffer, index: number, bits: number): number {
  if (bits >= 8) return row[index * (bits / 8)] ?? 0
  const bit = index * bits
  return ((row[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & (2 ** bits - 1)
}

function unfilter(data: Buffer, height: number, stride: number, bytesOfPixel: number): Buffer {
  const out = Buffer.alloc(height * stride)
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)] ?? 0
    for (let x = 0; x < stride; x += 1) {
      const value = data[y * (stride + 1) + 1 + x] ?? 0
      const left = x < bytesOfPixel ? 0 : (out[y * stride + x - bytesOfPixel] ?? 0)
      const up = y === 0 ? 0 : (out[(y - 1) * stride + x] ?? 0)
      const corner = y === 0 || x < bytesOfPixel ? 0 : (out[(y - 1) * stride + x - bytesOfPixel] ?? 0)
      out[y * stride + x] = value + predicted(filter, left, up, corner)
    }
  }
  return out
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}
