import type { EditedFile } from '../pdf/edited-file.ts'
import type { PdfText } from '../pdf/syntax.ts'
import { cleanValue, newScan } from './clean-value.ts'

/**
 * Removes active content (documents.process.3). Returns whether an object changed. If so, write only reachable objects.
 */
export function removeActiveContent(file: EditedFile): boolean {
  const scan = newScan(file.file)
  let removed = false
  for (const number of file.file.spans.keys()) {
    const text = file.file.text(number)
    if (text === undefined) continue
    const left = cleanValue(text, scan)
    if (left === text) continue
    removed = true
    if (left === undefined) file.drop(number)
    else file.changed.set(number, { text: left, ...streamData(file, number, text) })
  }
  return removed
}

function streamData({ file: { bytes, spans } }: EditedFile, number: number, text: PdfText): { data?: Buffer } {
  const span = spans.get(number)
  if (span === undefined) return {}
  const object = bytes.subarray(span.start, span.end)
  const keyword = object.indexOf('stream', object.indexOf(text, 0, 'latin1') + text.length, 'latin1')
  const end = object.lastIndexOf('endstream', undefined, 'latin1')
  if (keyword === -1 || end <= keyword) return {}
  const lineEnd = keyword + 'stream'.length
  const start = lineEnd + (object[lineEnd] === 0x0d && object[lineEnd + 1] === 0x0a ? 2 : 1)
  // PDFium writes a two-byte line end before `endstream`.
  const isLineEnd = object[end - 2] === 0x0d && object[end - 1] === 0x0a
  return { data: object.subarray(start, isLineEnd ? end - 2 : end) }
}
