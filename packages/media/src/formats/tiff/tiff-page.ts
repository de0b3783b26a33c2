import type { ByteReader } from '../byte-reader.ts'
import type { Entry, Layout } from './directory.ts'
import { readDirectory, readLayout, unsigned, valueAt } from './directory.ts'

export type TiffPage = {
  littleEndian: boolean
  width: number
  height: number
  bits: number
  isUniform: boolean
  /** The type of the samples: 1 unsigned, 2 signed, 3 float. */
  format: number
  compression: number
  photometric: number | undefined
  samples: number
  /** The meaning of each sample after the color: 1 premultiplied alpha, 2 straight alpha, 0 unspecified. */
  extra: readonly number[]
  isPlanar: boolean
  /** The size of a tile or strip in pixels. A strip is as wide as the image. */
  chunk: { width: number; height: number; isTile: boolean }
  offsets: readonly number[]
  byteCounts: readonly number[]
  predictor: number
  isBitReversed: boolean
  orientation: number
  inkSet: number
  /** For YCbCr: how many pixels share a color sample, across and down. */
  subsampling: readonly [across: number, down: number]
  /** For YCbCr: the weights of red, green, and blue in luma, and the black and the white of each sample. */
  coefficients: readonly number[]
  referenceBlackWhite: readonly number[]
  whitePoint: readonly number[]
  profile: Buffer | undefined
}

export function readTiffPage(source: ByteReader): TiffPage | undefined {
  const layout = readLayout(source)
  if (layout === undefined) return undefined
  const { entries } = readDirectory(source, layout, layout.first)
  const all = (tag: number) => numbersOf(source, layout, entries.get(tag))
  const one = (tag: number, otherwise: number) => all(tag)[0] ?? otherwise
  const width = one(256, 0)
  const height = one(257, 0)
  if (width < 1 || height < 1) return undefined
  const bits = entries.has(258) ? all(258) : [1]
  const formats = all(339)
  const isTile = entries.has(322)
  const rows = Math.min(one(278, height), height)
  const [across = 2, down = 2] = all(530)
  return {
    littleEndian: layout.littleEndian,
    width,
    height,
    bits: bits[0] ?? 1,
    isUniform: new Set(bits).size === 1 && new Set(formats).size <= 1,
    format: formats[0] ?? 1,
    compression: one(259, 1),
    photometric: all(262)[0],
    samples: one(277, 1),
    extra: all(338),
    isPlanar: one(284, 1) === 2,
    chunk: isTile ? { width: one(322, 0), height: one(323, 0), isTile } : { width, height: rows, isTile },
    offsets: all(isTile ? 324 : 273),
    byteCounts: all(isTile ? 325 : 279),
    predictor: one(317, 1),
    isBitReversed: one(266, 1) === 2,
    orientation: one(274, 1),
    inkSet: one(332, 1),
    subsampling: [across, down],
    coefficients: all(529),
    referenceBlackWhite: all(532),
    whitePoint: all(318),
    profile: bytesOf(source, layout, entries.get(34_675)),
  }
}

const VALUE_BYTES: Record<number, 1 | 2 | 4 | 8> = { 1: 1, 3: 2, 4: 4, 5: 8, 7: 1, 16: 8 }
const RATIONAL = 5

// The maximum count of numbers in a field: 16 for each row of the tallest image.
const MAX_NUMBERS = 4_000_000

function bytesOf(source: ByteReader, layout: Layout, entry: Entry | undefined): Buffer | undefined {
  const valueBytes = VALUE_BYTES[entry?.type ?? 0]
  if (entry === undefined || valueBytes === undefined) return undefined
  const length = entry.count * valueBytes
  const bytes = length > source.size ? undefined : valueAt(source, layout, entry.field, length)
  return bytes?.length === length ? bytes : undefined
}

function numbersOf(source: ByteReader, layout: Layout, entry: Entry | undefined): number[] {
  const bytes = bytesOf(source, layout, entry)
  const valueBytes = VALUE_BYTES[entry?.type ?? 0]
  if (bytes === undefined || entry === undefined || valueBytes === undefined || entry.count > MAX_NUMBERS) return []
  const { littleEndian } = layout
  return Array.from({ length: entry.count }, (_, index) => {
    const at = index * valueBytes
    if (entry.type !== RATIONAL) return unsigned(bytes, at, valueBytes, littleEndian)
    return unsigned(bytes, at, 4, littleEndian) / unsigned(bytes, at + 4, 4, littleEndian)
  })
}
