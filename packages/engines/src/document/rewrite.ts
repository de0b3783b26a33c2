import type { EngineFile } from '../protocol/messages.ts'
import { readPdf } from './open.ts'
import { openDocument } from './pdfium/pdf-document.ts'
import type { Pdfium } from './pdfium/pdfium-instance.ts'

type Rewritten = {
  bytes: Buffer
  sourceBytes: number
  /** Whether the source uses object streams (PDF 1.5). */
  usesPacking: boolean
}

/** Rewrites a document with PDFium for `documents/process`. Copies streams without decoding them. */
export function rewriteDocument(pdfium: Pdfium, file: EngineFile): Rewritten {
  const source = readPdf(file)
  using document = openDocument(pdfium, source)
  return { bytes: document.save(), sourceBytes: source.length, usesPacking: source.includes('/ObjStm', 0, 'latin1') }
}
