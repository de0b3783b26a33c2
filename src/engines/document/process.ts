import type { Size } from '../../domain/size.ts'
import { planDocument } from '../../media/plan/document.ts'
import type { OperationInput } from '../../operations/schema.ts'
import type { EngineDone, EngineJob } from '../protocol/messages.ts'
import { writeResult } from '../protocol/result-file.ts'
import type { EngineAsk } from '../protocol/serve.ts'
import { documentFacts } from './facts.ts'
import { geometryOf } from './geometry.ts'
import { EditedFile } from './pdf/edited-file.ts'
import { noPages, walkPages } from './pdf/page-tree.ts'
import { readWholeFile } from './pdf/whole-file.ts'
import { writeFile } from './pdf/write-file.ts'
import type { PdfiumKeeper } from './pdfium/pdfium-keeper.ts'
import { rewriteDocument } from './rewrite.ts'
import { readStampImages } from './stamp/stamp-images.ts'
import type { ShownPage } from './stamp/stamp-pages.ts'
import { stampPages } from './stamp/stamp-pages.ts'
import { keepPages, reachable } from './trim/trim.ts'

// PDFium writes objects out that the source had compressed together; a little growth is not worth the packing.
const PACKED_FROM_GROWTH = 1.01

/** Runs a request's operations on a document and writes the result: the task `documents/process`. */
export async function processDocument(keeper: PdfiumKeeper, job: EngineJob, ask: EngineAsk): Promise<EngineDone> {
  const { operations, max_pages: maxPages } = job.parameters as { operations: OperationInput[]; max_pages?: number }
  const images = await readStampImages(operations, job.assets, job.limits)
  const marks = new Map([...images].map(([url, image]) => [url, image.size]))
  const rewritten = await keeper.run((pdfium) => rewriteDocument(pdfium, job.input))
  const file = new EditedFile(readWholeFile(rewritten.bytes))
  const tree = walkPages(file)
  if (tree.pages.length === 0) throw noPages()
  const shown = keepPages(file, tree, maxPages).map((page): ShownPage => ({ page, geometry: geometryOf(file, page) }))
  await ask({ type: 'worth', units: shown.length })
  stampPages(file, shown, (size: Size) => planDocument(operations, size, marks), images)
  const grown = rewritten.bytes.length > rewritten.sourceBytes * PACKED_FROM_GROWTH
  const parts = writeFile(file, {
    ...(shown.length < tree.pages.length && { keep: reachable(file) }),
    packed: grown && rewritten.usesPacking && !file.trailer.has('Encrypt'),
  })
  const result = writeResult(job, 'pdf', { parts, wayOut: 'Use a smaller document or max_pages.' })
  const facts = documentFacts(
    shown.map(({ geometry }) => geometry.size),
    result.size,
  )
  return { data: facts, files: [result], units: shown.length }
}
