import type { EngineFile } from '../protocol/messages.ts'
import { readPdf } from './open.ts'
import { openDocument } from './pdfium/pdf-document.ts'
import type { Pdfium } from './pdfium/pdfium-instance.ts'

type Rewritten = {
  bytes: Buffer
  sourceBytes: number
  /** Whether the source contains compressed objects (PDF 1.5). */
  usesPacking: boolean
}

/** Rewrites a document with PDFium. Copies the data of streams unchanged. */
export function rewriteDocument(pdfium: Pdfium, file: EngineFile): Rewritten {
  const source = readPdf(file)
  using document = openDocument(pdfium, source)
  return { bytes: document.save(), sourceBytes: source.length, usesPacking: source.includes('/ObjStm', 0, 'latin1') }
}
