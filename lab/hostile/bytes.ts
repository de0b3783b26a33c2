import { crc32 } from 'node:zlib'

export const u16le = (...values: number[]) => Buffer.concat(values.map((value) => written(2, value, 'writeUInt16LE')))
export const u32le = (...values: number[]) => Buffer.concat(values.map((value) => written(4, value, 'writeUInt32LE')))
export const u16be = (...values: number[]) => Buffer.concat(values.map((value) => written(2, value, 'writeUInt16BE')))
export const u32be = (...values: number[]) => Buffer.concat(values.map((value) => written(4, value, 'writeUInt32BE')))

function written(
  length: number,
  value: number,
  how: 'writeUInt16LE' | 'writeUInt32LE' | 'writeUInt16BE' | 'writeUInt32BE',
) {
  const bytes = Buffer.alloc(length)
  bytes[how](value)
  return bytes
}

export const text = (content: string) => Buffer.from(content, 'latin1')

export function patched(file: Buffer, at: number, bytes: Buffer): Buffer {
  return Buffer.concat([file.subarray(0, at), bytes, file.subarray(at + bytes.length)])
}

export function find(file: Buffer, pattern: Buffer | string): number {
  const at = file.indexOf(pattern, 0, 'latin1')
  if (at === -1) throw new RangeError(`not found: ${String(pattern)}`)
  return at
}

export function pngFile(...chunks: Buffer[]): Buffer {
  return Buffer.concat([text('\x89PNG\r\n\x1a\n'), ...chunks, pngChunk('IEND', Buffer.alloc(0))])
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([text(type), data])
  return Buffer.concat([u32be(data.length), body, u32be(crc32(body))])
}

/** Makes the header of a PNG. `colors` is the color type: 0 gray, 2 RGB, 6 RGBA. */
export const pngHeader = (width: number, height: number, colors = 0) =>
  pngChunk('IHDR', Buffer.concat([u32be(width, height), Buffer.from([8, colors, 0, 0, 0])]))

export function box(type: string, ...body: Buffer[]): Buffer {
  const content = Buffer.concat(body)
  return Buffer.concat([u32be(content.length + 8), text(type), content])
}

export function riff(form: string, ...chunks: Buffer[]): Buffer {
  const body = Buffer.concat([text(form), ...chunks])
  return Buffer.concat([text('RIFF'), u32le(body.length), body])
}

export function riffChunk(type: string, data: Buffer): Buffer {
  return Buffer.concat([text(type), u32le(data.length), data, Buffer.alloc(data.length % 2)])
}

/** A TIFF entry. `type` is 3 for 16 bits, or 4 for 32 bits. If `count` is 1, `value` is the value itself. */
export type TiffEntry = readonly [tag: number, type: number, count: number, value: number]

/** Makes a little-endian TIFF with one directory. `data` starts at `tiffDataAt(entries.length)`. */
export function tiffFile(entries: readonly TiffEntry[], data: Buffer, next = 0): Buffer {
  const lines = entries.map(([tag, type, count, value]) => Buffer.concat([u16le(tag, type), u32le(count, value)]))
  return Buffer.concat([text('II*\0'), u32le(8), u16le(entries.length), ...lines, u32le(next), data])
}

export const tiffDataAt = (entries: number) => 8 + 2 + 12 * entries + 4
