import type { RequestError, ResultData } from '../../domain/request.ts'
import type { EngineFile } from '../messages.ts'
import type { PagePicture } from './draw-page.ts'
import type { Rewritten } from './rewrite.ts'

/** What the thread that PDFium runs in can be asked for: one call at a time. */
export type PdfiumCall =
  | { call: 'read'; file: EngineFile }
  | { call: 'draw'; file: EngineFile; page: number; maxPixels: number }
  | { call: 'rewrite'; file: EngineFile }

export type PdfiumResults = { read: ResultData; draw: PagePicture; rewrite: Rewritten }

export type PdfiumReply = {
  /** What PDFium's memory has grown to; it never shrinks. */
  heapBytes: number
} & (
  | { type: 'done'; result: PdfiumResults[PdfiumCall['call']] }
  | { type: 'failed'; error: RequestError; cause: string | undefined }
  /** PDFium gave up, for want of memory or on a fault of its own: it must not be used again. */
  | { type: 'broken'; cause: string }
)
