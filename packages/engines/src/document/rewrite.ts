import type { EngineFile } from '../protocol/messages.ts'
import { readPdf } from './open.ts'
import { openDocument } from './pdfium/pdf-document.ts'
import type { Pdfium } from './pdfium/pdfium-instance.ts'

/** A document written anew: repaired where it had to be, without encryption. */
export type Rewritten = {
  bytes: Buffer
  /** Of the file that was read. */
  sourceBytes: number
  /** Whether the file that was read had objects compressed together (PDF 1.5). */
  usesPacking: boolean
}

/** Lets PDFium write a document anew, for `documents/process`. Streams are copied as they are, never decoded. */
export function rewriteDocument(pdfium: Pdfium, file: EngineFile): Rewritten {
  const source = readPdf(file)
  using document = openDocument(pdfium, source)
  return { bytes: document.save(), sourceBytes: source.length, usesPacking: source.includes('/ObjStm', 0, 'latin1') }
}
