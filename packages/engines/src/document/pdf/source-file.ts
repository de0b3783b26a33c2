import { inflateSync } from 'node:zlib'
import type { ObjectLocation } from './file-output.ts'
import type { PdfObjects } from './objects.ts'
import type { PdfDictionary, PdfText } from './syntax.ts'
import { readArray, readDictionary, readName, readNumber, readReference, skipValue, skipWhite } from './syntax.ts'
import { readTable, readValue } from './whole-file.ts'

const MAX_TABLES = 64

/** Reads the objects of a source. Returns `undefined` if the file is damaged or unsupported: PDFium must rewrite it. */
export function readSourceFile(bytes: Buffer): PdfObjects | undefined {
  try {
    const { locations, trailer } = readTables(bytes)
    const streams = new Map<number, Map<number, PdfText>>()
    const text = (number: number): PdfText | undefined => {
      const location = locations.get(number)
      if (location === undefined) return undefined
      if ('offset' in location) return objectAt(bytes, location.offset, number)
      const known = streams.get(location.container) ?? readObjectStream(bytes, locations, location.container)
      streams.set(location.container, known)
      return known.get(number)
    }
    return { trailer, text }
  } catch {
    return undefined
  }
}

function objectAt(bytes: Buffer, offset: number, number: number): PdfText | undefined {
  for (const length of [FIRST_READ_BYTES, 64 * FIRST_READ_BYTES, MAX_STREAM_BYTES]) {
    const text = bytes.toString('latin1', offset, offset + length)
    if (Number.parseInt(text, 10) !== number) throw new RangeError(`object ${number} is not at its offset in the table`)
    const value = readValue(text)
    if (value !== undefined || offset + length >= bytes.length) return value
  }
  return undefined
}

function readTables(bytes: Buffer): { locations: Map<number, ObjectLocation>; trailer: PdfDictionary } {
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - 1024))
  const start = /startxref\s+(\d+)\s+%%EOF/.exec(tail.slice(tail.lastIndexOf('startxref')))
  if (start === null) throw new RangeError('startxref is missing')
  const locations = new Map<number, ObjectLocation>()
  const free = new Set<number>()
  let trailer: PdfDictionary | undefined
  const waiting = [Number(start[1])]
  let tables = 0
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    tables += 1
    if (tables > MAX_TABLES) throw new RangeError(`more than ${MAX_TABLES} cross-reference tables`)
    const section =
      bytes.toString('latin1', at, at + 4) === 'xref' ? readPlainTable(bytes, at) : readTableStream(bytes, at)
    // The newest table is first. Its entry hides the entries of older tables, even if it marks the object as free.
    for (const [number, location] of section.locations) {
      if (locations.has(number) || free.has(number)) continue
      if (location === undefined) free.add(number)
      else locations.set(number, location)
    }
    trailer ??= section.trailer
    const others = [readNumber(section.trailer.get('XRefStm')), readNumber(section.trailer.get('Prev'))]
    waiting.push(...others.filter((other) => other !== undefined))
  }
  if (trailer === undefined) throw new RangeError('the trailer is missing')
  return { locations, trailer }
}

type Section = { locations: Map<number, ObjectLocation | undefined>; trailer: PdfDictionary }

function readPlainTable(bytes: Buffer, at: number): Section {
  const { offsets, trailerAt } = readTable(bytes, at)
  const locations = new Map(
    [...offsets].map(([number, offset]) => [number, offset === undefined ? offset : { offset }]),
  )
  return { locations, trailer: dictionaryIn(bytes, trailerAt) }
}

function readTableStream(bytes: Buffer, at: number): Section {
  const trailer = streamDictionary(bytes, at)
  const rows = inflated(bytes, at, trailer, undefined)
  const widths = (readArray(trailer.get('W')) ?? []).map((width) => readNumber(width) ?? 0)
  const [w0 = 0, w1 = 0, w2 = 0] = widths
  const size = readNumber(trailer.get('Size')) ?? 0
  const index = (readArray(trailer.get('Index')) ?? ['0', String(size)]).map((part) => readNumber(part) ?? 0)
  const locations: Section['locations'] = new Map()
  let row = 0
  const field = (width: number, fallback: number) => {
    let value = width === 0 ? fallback : 0
    for (let byte = 0; byte < width; byte += 1, row += 1) value = value * 256 + (rows[row] ?? 0)
    return value
  }
  for (let part = 0; part + 1 < index.length; part += 2) {
    const first = index[part] ?? 0
    for (let count = 0; count < (index[part + 1] ?? 0) && row < rows.length; count += 1) {
      const [type, second, third] = [field(w0, 1), field(w1, 0), field(w2, 0)]
      const location = type === 1 ? { offset: second } : type === 2 ? { container: second, index: third } : undefined
      locations.set(first + count, location)
    }
  }
  return { locations, trailer }
}

function readObjectStream(
  bytes: Buffer,
  locations: Map<number, ObjectLocation>,
  container: number,
): Map<number, PdfText> {
  const location = locations.get(container)
  if (location === undefined || !('offset' in location)) throw new RangeError('the object stream is missing')
  const dictionary = streamDictionary(bytes, location.offset)
  const text = inflated(bytes, location.offset, dictionary, locations).toString('latin1')
  const first = readNumber(dictionary.get('First')) ?? 0
  const numbers = text.slice(0, first).trim().split(/\s+/).map(Number)
  const found = new Map<number, PdfText>()
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const start = skipWhite(text, first + (numbers[index + 1] ?? 0))
    const end = skipValue(text, start)
    if (end !== -1) found.set(numbers[index] ?? 0, text.substring(start, end))
  }
  return found
}

// Real cross-reference and object streams are smaller. The limit stops decompression bombs.
const MAX_STREAM_BYTES = 64 * 1024 * 1024
const FIRST_READ_BYTES = 2048

function streamDictionary(bytes: Buffer, at: number): PdfDictionary {
  const head = /^\s*\d+\s+\d+\s+obj/.exec(bytes.toString('latin1', at, at + 64))
  if (head === null) throw new RangeError('the stream is missing')
  return dictionaryIn(bytes, at + head[0].length)
}

function dictionaryIn(bytes: Buffer, at: number): PdfDictionary {
  const dictionary = readDictionary(bytes.toString('latin1', at, at + 64 * FIRST_READ_BYTES))
  if (dictionary === undefined) throw new RangeError('the dictionary is missing')
  return dictionary
}

function inflated(
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

const readAt = (bytes: Buffer, offset: number) => readValue(bytes.toString('latin1', offset, offset + FIRST_READ_BYTES))

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
