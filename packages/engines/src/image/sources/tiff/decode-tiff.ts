import type { ByteReader } from '@mediamill/media/formats/byte-reader'
import type { TiffPage } from '@mediamill/media/formats/tiff/tiff-page'
import type { RawTiffPixels } from '../../../sharp/raw-tiff.ts'
import { rawTiff } from '../../../sharp/raw-tiff.ts'
import { toByte } from '../../../sharp/toned.ts'
import { readChunk } from './tiff-chunks.ts'
import { converterOf } from './tiff-colors.ts'
import { COLOR_SAMPLES, PHOTOMETRIC } from './tiff-kind.ts'
import { unpackerOf } from './tiff-samples.ts'

/** Decodes the first page to a plain TIFF with its profile, for pages that libvips decodes wrongly. */
export function decodeTiff(source: ByteReader, page: TiffPage): Buffer {
  const { width, height } = page
  const colors = COLOR_SAMPLES[page.photometric ?? PHOTOMETRIC.blackIsZero] ?? 1
  const alphaAt = alphaSample(page, colors)
  const kind = plainKind(page, colors, alphaAt)
  const isLab = page.photometric === PHOTOMETRIC.cieLab || page.photometric === PHOTOMETRIC.iccLab
  const { file, pixels } = rawTiff({ width, height }, kind, isLab ? undefined : page.profile)
  const convert = converterOf(page)
  const wanted = [...Array.from({ length: colors }, (_, sample) => sample), ...(alphaAt === undefined ? [] : [alphaAt])]
  let to = 0
  for (const row of rowsOf(source, page)) {
    convert?.(row, page.samples)
    for (let at = 0; at < row.length; at += page.samples) {
      // This loop runs for every sample, and an index loop is faster than `for … of`.
      for (let index = 0; index < wanted.length; index += 1) {
        const value = row[at + (wanted[index] ?? 0)] ?? 0
        if (kind.bits === 8) pixels[to] = toByte(value)
        else pixels.writeUInt16LE(value, to)
        to += kind.bits / 8
      }
    }
  }
  return file
}

/** Returns the first sample that is declared as alpha, or else the first extra sample, as other readers do. */
function alphaSample({ samples, extra }: TiffPage, colors: number): number | undefined {
  if (samples === colors) return undefined
  const stated = extra.findIndex((kind) => kind === 1 || kind === 2)
  return colors + Math.max(0, stated)
}

function plainKind(page: TiffPage, colors: number, alphaAt: number | undefined): RawTiffPixels {
  const isPremultiplied = alphaAt !== undefined && page.extra[alphaAt - colors] === 1
  const isDeep = page.profile !== undefined && page.bits > 8 && (colors === 1 || page.photometric === PHOTOMETRIC.rgb)
  return {
    colors: colors === 1 ? 'gray' : colors === 4 ? 'cmyk' : 'rgb',
    alpha: alphaAt === undefined ? 'none' : isPremultiplied ? 'premultiplied' : 'straight',
    bits: isDeep ? 16 : 8,
    orientation: page.orientation,
  }
}

/** Yields the rows of the page. All rows use the same memory. */
function* rowsOf(source: ByteReader, page: TiffPage): Generator<Uint16Array> {
  const { width, height, samples } = page
  const across = Math.ceil(width / page.chunk.width)
  const planes = page.isPlanar ? Array.from({ length: samples }, (_, plane) => plane) : [0]
  const bands = Math.ceil(height / page.chunk.height)
  const values = new Uint16Array(width * samples)
  for (let band = 0; band < bands; band += 1) {
    const rows = page.chunk.isTile ? page.chunk.height : Math.min(page.chunk.height, height - band * page.chunk.height)
    const chunks = planes.flatMap((plane) =>
      Array.from({ length: across }, (_, column) => {
        const shape = shapeOf(page, plane, rows)
        const bytes = readChunk(source, page, (plane * bands + band) * across + column, shape)
        return { bytes, plane, left: column * page.chunk.width, rowBytes: shape.rowBytes }
      }),
    )
    const shown = Math.min(rows, height - band * page.chunk.height)
    for (let y = 0; y < shown; y += 1) {
      for (const chunk of chunks) writeRow(page, chunk, y, values)
      yield values
    }
  }
}

type Chunk = { bytes: Buffer; plane: number; left: number; rowBytes: number }

const isShared = ({ photometric, subsampling: [across, down] }: TiffPage) =>
  photometric === PHOTOMETRIC.ycbcr && (across > 1 || down > 1)

function shapeOf(page: TiffPage, plane: number, rows: number) {
  const { samples, bits, isPlanar, subsampling } = page
  const [across, down] = isShared(page) ? subsampling : [1, 1]
  const units = Math.ceil(page.chunk.width / across)
  if (!isPlanar) {
    const unitSamples = isShared(page) ? across * down + 2 : samples
    return { rowBytes: Math.ceil((units * unitSamples * bits) / 8), rows: Math.ceil(rows / down), samples: unitSamples }
  }
  const isColor = plane === 1 || plane === 2
  const rowSamples = isColor ? units : page.chunk.width
  return { rowBytes: Math.ceil((rowSamples * bits) / 8), rows: isColor ? Math.ceil(rows / down) : rows, samples: 1 }
}

function writeRow(page: TiffPage, { bytes, plane, left, rowBytes }: Chunk, y: number, values: Uint16Array): void {
  const { samples, isPlanar } = page
  const width = Math.min(page.chunk.width, page.width - left)
  const unpack = unpackerOf(page)
  const first = left * samples + plane
  if (!isShared(page) || (isPlanar && plane !== 1 && plane !== 2)) {
    const step = isPlanar ? samples : 1
    unpack(bytes, y * rowBytes, isPlanar ? width : width * samples, { values, first, step })
    return
  }
  const [across, down] = page.subsampling
  // Subsampled colors have 8 or 16 bits. The upper byte of 16 bits is precise enough.
  const sampleBytes = page.bits / 8
  const start = Math.floor(y / down) * rowBytes + (sampleBytes === 2 && page.littleEndian ? 1 : 0)
  const sample = (at: number) => (bytes[start + at * sampleBytes] ?? 0) * 257
  for (let x = 0, to = first; x < width; x += 1, to += samples) {
    const unit = Math.floor(x / across)
    if (isPlanar) {
      values[to] = sample(unit)
      continue
    }
    const from = unit * (across * down + 2)
    values[to] = sample(from + (y % down) * across + (x % across))
    values[to + 1] = sample(from + across * down)
    values[to + 2] = sample(from + across * down + 1)
  }
}
