import type { PdfObjects } from './objects.ts'
import type { PdfText } from './syntax.ts'
import { readDictionary, readNumber, skipValue, skipWhite } from './syntax.ts'

/** The bytes of an object: from its number to the start of the next object. */
type Span = { start: number; end: number }

/** A file that PDFium saved: one cross-reference table, no object streams, and no encryption. */
export type WholeFile = PdfObjects & {
  bytes: Buffer
  spans: ReadonlyMap<number, Span>
  size: number
}

// Enough for most objects. A longer object is read again.
const FIRST_READ_BYTES = 2048

export function readWholeFile(bytes: Buffer): WholeFile {
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - 64))
  const tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1])
  if (!Number.isInteger(tableAt)) throw new TypeError('PDFium saved a file without a cross-reference table')
  const { offsets, trailerAt } = readTable(bytes, tableAt)
  const trailer = readDictionary(bytes.toString('latin1', trailerAt))
  if (trailer === undefined) throw new TypeError('PDFium saved a file without a trailer')

  const used = [...offsets].flatMap(([number, start]) => (start === undefined ? [] : [{ number, start }]))
  used.sort((one, other) => one.start - other.start)
  const spans = new Map<number, Span>()
  let size = Math.max(1, readNumber(trailer.get('Size')) ?? 0)
  used.forEach(({ number, start }, index) => {
    spans.set(number, { start, end: used[index + 1]?.start ?? tableAt })
    size = Math.max(size, number + 1)
  })
  return { bytes, spans, size, trailer, text: (number) => readObject(bytes, spans.get(number)) }
}

/** Reads a cross-reference table. In `offsets`, a free object is `undefined`. The trailer starts at `trailerAt`. */
export function readTable(bytes: Buffer, at: number): { offsets: Map<number, number | undefined>; trailerAt: number } {
  const end = bytes.indexOf('trailer', at, 'latin1')
  if (end === -1) throw new RangeError('the trailer is missing')
  const offsets = new Map<number, number | undefined>()
  let number = 0
  for (const line of bytes.toString('latin1', at + 'xref'.length, end).split(/[\r\n]+/)) {
    const entry = /^\s*(\d{10}) \d{5} ([nf])/.exec(line)
    const section = /^\s*(\d+) (\d+)\s*$/.exec(line)
    if (entry !== null) {
      offsets.set(number, entry[2] === 'n' ? Number(entry[1]) : undefined)
      number += 1
    } else if (section !== null) number = Number(section[1])
    else if (line.trim() !== '') throw new RangeError('the cross-reference table is malformed')
  }
  return { offsets, trailerAt: end + 'trailer'.length }
}

function readObject(bytes: Buffer, span: Span | undefined): PdfText | undefined {
  if (span === undefined) return undefined
  const length = span.end - span.start
  return (
    readValue(bytes.toString('latin1', span.start, span.start + Math.min(length, FIRST_READ_BYTES))) ??
    (length > FIRST_READ_BYTES ? readValue(bytes.toString('latin1', span.start, span.end)) : undefined)
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
