import { inflateSync } from 'node:zlib'
import type { ObjectLocation } from './file-output.ts'
import type { PdfDictionary } from './syntax.ts'
import { readArray, readDictionary, readName, readNumber, readReference } from './syntax.ts'
import { readValue } from './whole-file.ts'

// Real cross-reference and object streams are smaller. The limit stops decompression bombs.
export const MAX_STREAM_BYTES = 64 * 1024 * 1024
export const LOOK_BYTES = 2048

export function streamDictionary(bytes: Buffer, at: number): PdfDictionary {
  const head = /^\s*\d+\s+\d+\s+obj/.exec(bytes.toString('latin1', at, at + 64))
  if (head === null) throw new RangeError('the stream is missing')
  return dictionaryIn(bytes, at + head[0].length)
}

export function dictionaryIn(bytes: Buffer, at: number): PdfDictionary {
  const dictionary = readDictionary(bytes.toString('latin1', at, at + 64 * LOOK_BYTES))
  if (dictionary === undefined) throw new RangeError('the dictionary is missing')
  return dictionary
}

/** Decompresses a stream, with the filters that occur in cross-reference and object streams. */
export function inflated(
  bytes: Buffer,
  at: number,
  dictionary: PdfDictionary,
  locations: Map<number, ObjectLocation> | undefined,
): Buffer {
  const stream = bytes.indexOf('stream', at, 'latin1')
  const start = stream + 'stream'.length + (bytes[stream + 'stream'.length] === 0x0d ? 2 : 1)
  const stated = dictionary.get('Length')
  const referred = locations?.get(readReference(stated) ?? -1)
  const length =
    readNumber(stated) ??
    readNumber(referred !== undefined && 'offset' in referred ? readAt(bytes, referred.offset) : undefined)
  if (length === undefined) throw new RangeError('the stream has no length')
  const data = bytes.subarray(start, start + length)
  const filter = readName(readArray(dictionary.get('Filter'))?.[0] ?? dictionary.get('Filter'))
  if (filter === undefined) return data
  if (filter !== 'FlateDecode') throw new RangeError(`the filter ${filter} of a stream is not supported`)
  const parameters = readDictionary(readArray(dictionary.get('DecodeParms'))?.[0] ?? dictionary.get('DecodeParms'))
  const plain = inflateSync(data, { maxOutputLength: MAX_STREAM_BYTES })
  const predictor = readNumber(parameters?.get('Predictor')) ?? 1
  if (predictor === 1) return plain
  if (predictor < 10) throw new RangeError('TIFF predictors are not supported')
  return unpredicted(plain, readNumber(parameters?.get('Columns')) ?? 1)
}

const readAt = (bytes: Buffer, offset: number) => readValue(bytes.toString('latin1', offset, offset + LOOK_BYTES))

/** Reverses the PNG filters "none" and "up", the only filters that occur in cross-reference streams. */
function unpredicted(data: Buffer, columns: number): Buffer {
  const rows = Math.floor(data.length / (columns + 1))
  const plain = Buffer.alloc(rows * columns)
  for (let row = 0; row < rows; row += 1) {
    const filter = data[row * (columns + 1)] ?? 0
    if (filter !== 0 && filter !== 2) throw new RangeError(`the PNG filter ${filter} is not supported`)
    for (let column = 0; column < columns; column += 1) {
      const above = filter === 2 && row > 0 ? (plain[(row - 1) * columns + column] ?? 0) : 0
      plain[row * columns + column] = ((data[row * (columns + 1) + 1 + column] ?? 0) + above) & 0xff
    }
  }
  return plain
}
