import type { PdfObjects } from './objects.ts'
import type { PdfText } from './syntax.ts'
import { readDictionary, readNumber, skipValue, skipWhite } from './syntax.ts'

/** The byte range of an object: from its number to the start of the next object. */
export type Span = { start: number; end: number }

/** A file that PDFium saved: one cross-reference table, no object streams, and no encryption. */
export type WholeFile = PdfObjects & {
  bytes: Buffer
  spans: ReadonlyMap<number, Span>
  size: number
}

// How many bytes of an object to read first. This is enough for most objects. A longer object is read again.
const FIRST_LOOK_BYTES = 2048

/** Reads a file that PDFium saved. Throws if the file has another structure. */
export function readWholeFile(bytes: Buffer): WholeFile {
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - 64))
  const tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1])
  if (!Number.isInteger(tableAt)) throw new TypeError('PDFium saved a file without a cross-reference table')
  const { offsets, trailerAt } = readTable(bytes, tableAt)
  const trailer = readDictionary(bytes.toString('latin1', trailerAt))
  if (trailer === undefined) throw new TypeError('PDFium saved a file without a trailer')

  const sorted = [...offsets].sort(([, a], [, b]) => a - b)
  const spans = new Map<number, Span>()
  sorted.forEach(([number, start], index) => spans.set(number, { start, end: sorted[index + 1]?.[1] ?? tableAt }))
  const size = Math.max(readNumber(trailer.get('Size')) ?? 0, ...lastOf(offsets))
  return { bytes, spans, size, trailer, text: (number) => readObject(bytes, spans.get(number)) }
}

function lastOf(offsets: ReadonlyMap<number, number>): number[] {
  let last = 0
  for (const number of offsets.keys()) last = Math.max(last, number)
  return [last + 1]
}

function readTable(bytes: Buffer, at: number): { offsets: Map<number, number>; trailerAt: number } {
  const table = bytes.toString('latin1', at)
  const trailer = table.lastIndexOf('trailer')
  if (!table.startsWith('xref') || trailer === -1)
    throw new TypeError('PDFium saved a cross-reference table that cannot be read')
  const offsets = new Map<number, number>()
  let number = 0
  for (const line of table.slice(0, trailer).split(/[\r\n]+/)) {
    const section = /^(\d+) (\d+) *$/.exec(line)
    if (section !== null) number = Number(section[1])
    else if (/^\d{10} \d{5} [nf]/.test(line)) {
      if (line[17] === 'n') offsets.set(number, Number(line.slice(0, 10)))
      number += 1
    }
  }
  return { offsets, trailerAt: at + trailer + 'trailer'.length }
}

function readObject(bytes: Buffer, span: Span | undefined): PdfText | undefined {
  if (span === undefined) return undefined
  const length = span.end - span.start
  return (
    readValue(bytes.toString('latin1', span.start, span.start + Math.min(length, FIRST_LOOK_BYTES))) ??
    (length > FIRST_LOOK_BYTES ? readValue(bytes.toString('latin1', span.start, span.end)) : undefined)
  )
}

export function readValue(text: string): PdfText | undefined {
  const head = /^[\s\0]*\d+[\s\0]+\d+[\s\0]+obj/.exec(text)
  if (head === null) return undefined
  const start = skipWhite(text, head[0].length)
  const end = skipValue(text, start)
  // A number or name that reaches the end of `text` may be truncated.
  return end === -1 || end >= text.length ? undefined : text.substring(start, end)
}
