import { inflateSync, constants as zlib, zstdDecompressSync } from 'node:zlib'
import type { ByteReader } from '@mediamill/media/formats/byte-reader'
import type { TiffPage } from '@mediamill/media/formats/tiff/tiff-page'
import { notSupported } from './tiff-kind.ts'
import { unpackLzw } from './tiff-lzw.ts'

type ChunkShape = { rowBytes: number; rows: number; samples: number }

export function readChunk(source: ByteReader, page: TiffPage, index: number, shape: ChunkShape): Buffer {
  const offset = page.offsets[index]
  const length = shape.rowBytes * shape.rows
  const stored = page.byteCounts[index] ?? (page.compression === 1 ? length : undefined)
  if (offset === undefined || stored === undefined) throw new RangeError('a strip or tile is missing')
  const data = source.read(offset, Math.min(stored, source.size))
  const bytes = unpack(page.isBitReversed ? Buffer.from(data.map(reversed)) : data, page.compression, length)
  if (bytes.length < length) throw new RangeError('a strip or tile is truncated')
  return undoPrediction(bytes, page, shape)
}

function reversed(byte: number): number {
  let bits = 0
  for (let bit = 0; bit < 8; bit += 1) bits |= ((byte >> bit) & 1) << (7 - bit)
  return bits
}

function unpack(data: Buffer, compression: number, length: number): Buffer {
  const limits = { maxOutputLength: length + 65_536 }
  switch (compression) {
    case 1:
      return data.subarray(0, length)
    case 5: {
      const to = Buffer.alloc(length)
      return to.subarray(0, unpackLzw(data, to))
    }
    case 8:
    case 32_946:
      return orRangeError(() => inflateSync(data, { ...limits, finishFlush: zlib.Z_SYNC_FLUSH }))
    case 32_773:
      return unpackBits(data, length)
    case 50_000:
      return orRangeError(() => zstdDecompressSync(data, limits))
    default:
      throw notSupported('its compression')
  }
}

function orRangeError(run: () => Buffer): Buffer {
  try {
    return run()
  } catch (error) {
    throw new RangeError('the data of a strip or tile is damaged', { cause: error })
  }
}

function unpackBits(data: Buffer, length: number): Buffer {
  const to = Buffer.alloc(length)
  let out = 0
  for (let at = 0; at < data.length && out < length; ) {
    const count = data.readInt8(at)
    at += 1
    if (count >= 0) {
      out += data.copy(to, out, at, at + count + 1)
      at += count + 1
    } else if (count !== -128) {
      to.fill(data[at] ?? 0, out, out + 1 - count)
      out += 1 - count
      at += 1
    }
  }
  return to.subarray(0, Math.min(out, length))
}

const HORIZONTAL = 2
const FLOATING = 3

function undoPrediction(stored: Buffer, page: TiffPage, shape: ChunkShape): Buffer {
  const { predictor, bits, littleEndian } = page
  if (predictor === 1) return stored
  // Uncompressed data is part of the reader's buffer, so copy it before a change.
  const bytes = page.compression === 1 ? Buffer.from(stored) : stored
  const sampleBytes = bits / 8
  for (let row = 0; row < shape.rows; row += 1) {
    const line = bytes.subarray(row * shape.rowBytes, (row + 1) * shape.rowBytes)
    if (predictor === HORIZONTAL && (bits === 8 || bits === 16 || bits === 32)) {
      addUp(line, sampleBytes, shape.samples, littleEndian)
    } else if (predictor === FLOATING && page.format === 3) {
      addUp(line, 1, shape.samples, littleEndian)
      sortFloats(line, sampleBytes, littleEndian)
    } else {
      throw notSupported('its prediction of samples')
    }
  }
  return bytes
}

function addUp(line: Buffer, sampleBytes: number, samples: number, littleEndian: boolean): void {
  const step = samples * sampleBytes
  for (let at = step; at + sampleBytes <= line.length; at += sampleBytes) {
    if (sampleBytes === 1) line[at] = (line[at] ?? 0) + (line[at - step] ?? 0)
    else if (littleEndian) {
      const sum = line.readUIntLE(at, sampleBytes) + line.readUIntLE(at - step, sampleBytes)
      line.writeUIntLE(sum % 256 ** sampleBytes, at, sampleBytes)
    } else {
      const sum = line.readUIntBE(at, sampleBytes) + line.readUIntBE(at - step, sampleBytes)
      line.writeUIntBE(sum % 256 ** sampleBytes, at, sampleBytes)
    }
  }
}

function sortFloats(line: Buffer, sampleBytes: number, littleEndian: boolean): void {
  const stored = Buffer.from(line)
  const count = line.length / sampleBytes
  for (let index = 0; index < count; index += 1) {
    for (let byte = 0; byte < sampleBytes; byte += 1) {
      const to = littleEndian ? sampleBytes - 1 - byte : byte
      line[index * sampleBytes + to] = stored[byte * count + index] ?? 0
    }
  }
}
