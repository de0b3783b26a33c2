import { deflateSync } from 'node:zlib'
import type { TiffEntry } from './bytes.ts'
import { tiffDataAt, tiffFile, u16le, u32le } from './bytes.ts'
import type { HostileFile } from './hostile-file.ts'
import { both } from './hostile-file.ts'

type Layout = { width: number; height: number; rows: number; strips: number; compression?: number; more?: TiffEntry[] }

function entriesOf({ width, height, rows, strips, compression = 1, more = [] }: Layout, at: number, lengths: number) {
  const entries: TiffEntry[] = [
    [256, 4, 1, width],
    [257, 4, 1, height],
    [258, 3, 1, 8],
    [259, 3, 1, compression],
    [262, 3, 1, 1],
    [273, 4, strips, at],
    [277, 3, 1, 1],
    [278, 4, 1, rows],
    [279, 4, strips, lengths],
    ...more,
  ]
  return entries.toSorted(([a], [b]) => a - b)
}

const DATA_AT = tiffDataAt(9)

export function tiffTraps(): HostileFile[] {
  const pixels = Buffer.alloc(256, 100)
  const small = (next: number) =>
    tiffFile(entriesOf({ width: 16, height: 16, rows: 16, strips: 1 }, DATA_AT, 256), pixels, next)
  const large = deflateSync(Buffer.alloc(10_000 * 10_000), { level: 9 })
  const strip = deflateSync(Buffer.alloc(16))
  const sizes = { read: 'succeeded', process: 'processing_failed' } as const
  const files: Omit<HostileFile, 'media'>[] = [
    { name: 'directory-that-follows-itself.tif', bytes: small(8), ...both('succeeded') },
    { name: 'next-directory-past-the-end.tif', bytes: small(0x7fff_fff0), ...sizes },
    {
      name: 'header-65535.tif',
      bytes: tiffFile(entriesOf({ width: 65_535, height: 65_535, rows: 65_535, strips: 1 }, DATA_AT, 256), pixels),
      ...sizes,
    },
    {
      name: 'hundred-megapixels-deflated.tif',
      bytes: tiffFile(
        entriesOf({ width: 10_000, height: 10_000, rows: 10_000, strips: 1, compression: 8 }, DATA_AT, large.length),
        large,
      ),
      ...both('succeeded'),
    },
    { name: 'strips-of-one-pixel.tif', bytes: onePixelStrips(100_000), ...both('succeeded') },
    { name: 'strips-that-are-one-place.tif', bytes: sharedStrip(strip, 60_000), ...sizes },
    {
      name: 'strip-count-2-32.tif',
      bytes: tiffFile(entriesOf({ width: 16, height: 16, rows: 1, strips: 0xffff_ffff }, DATA_AT, 256), pixels),
      ...sizes,
    },
    { name: 'directories-10000.tif', bytes: manyDirectories(10_000), ...both('succeeded') },
  ]
  return files.map((file) => ({ ...file, media: 'image' }))
}

function onePixelStrips(height: number): Buffer {
  const lengthsAt = DATA_AT + 4 * height
  const dataAt = lengthsAt + 4 * height
  const offsets = Buffer.alloc(4 * height)
  const lengths = Buffer.alloc(4 * height)
  for (let row = 0; row < height; row += 1) {
    offsets.writeUInt32LE(dataAt + row, row * 4)
    lengths.writeUInt32LE(1, row * 4)
  }
  const entries = entriesOf({ width: 1, height, rows: 1, strips: height }, DATA_AT, lengthsAt)
  return tiffFile(entries, Buffer.concat([offsets, lengths, Buffer.alloc(height, 90)]))
}

/** Makes a wide image whose rows all use the same few compressed bytes. These bytes are too short for one row. */
function sharedStrip(strip: Buffer, height: number): Buffer {
  const lengthsAt = DATA_AT + 4 * height
  const dataAt = lengthsAt + 4 * height
  const same = (value: number) => Buffer.alloc(4 * height, u32le(value))
  const entries = entriesOf({ width: 1_600, height, rows: 1, strips: height, compression: 8 }, DATA_AT, lengthsAt)
  return tiffFile(entries, Buffer.concat([same(dataAt), same(strip.length), strip]))
}

function manyDirectories(count: number): Buffer {
  const bytes = 2 + 12 * 9 + 4
  const pixelsAt = 8 + bytes * count
  const lines = entriesOf({ width: 16, height: 16, rows: 16, strips: 1 }, pixelsAt, 256).map(
    ([tag, type, length, value]) => Buffer.concat([u16le(tag, type), u32le(length, value)]),
  )
  const directory = Buffer.concat([u16le(lines.length), ...lines])
  const chain = Array.from({ length: count }, (_, index) =>
    Buffer.concat([directory, u32le(index === count - 1 ? 0 : 8 + bytes * (index + 1))]),
  )
  return Buffer.concat([Buffer.from('II*\0'), u32le(8), ...chain, Buffer.alloc(256, 70)])
}
