import type { Size } from '@mediamill/contract/domain/size'
import { planDocument } from '@mediamill/media/plan/document'
import type { EngineFile, EngineResult, JobOf } from '../protocol/messages.ts'
import { writeResult } from '../protocol/result-file.ts'
import type { CallWorker } from '../protocol/serve.ts'
import { removeActiveContent } from './active/remove-active-content.ts'
import { geometryOf } from './geometry.ts'
import { documentMetadata } from './metadata.ts'
import { readPdf } from './open.ts'
import { EditedFile } from './pdf/edited-file.ts'
import { reachable } from './pdf/objects.ts'
import { noPages, walkPages } from './pdf/page-tree.ts'
import { readWholeFile } from './pdf/whole-file.ts'
import { writeFile } from './pdf/write-file.ts'
import { openDocument } from './pdfium/pdf-document.ts'
import type { Pdfium } from './pdfium/pdfium-instance.ts'
import type { PdfiumPool } from './pdfium/pdfium-pool.ts'
import { readStampImages } from './stamp/stamp-images.ts'
import type { ShownPage } from './stamp/stamp-pages.ts'
import { stampPages } from './stamp/stamp-pages.ts'
import { keepPages } from './trim/trim.ts'

// PDFium unpacks compressed objects. If the file grows by more than this factor, the objects are packed again.
const PACKED_FROM_GROWTH = 1.01

export async function processDocument(
  pool: PdfiumPool,
  job: JobOf<'documents/process'>,
  callWorker: CallWorker,
): Promise<EngineResult<'documents/process'>> {
  const { operations, max_pages: maxPages, output } = job.parameters
  const images = await readStampImages(operations, job.assets, job.limits)
  const marks = new Map([...images].map(([url, image]) => [url, image.size]))
  const rewritten = await pool.run((pdfium) => rewriteDocument(pdfium, job.input))
  const file = new EditedFile(readWholeFile(rewritten.bytes))
  const isCleaned = output.active_content !== 'keep' && removeActiveContent(file)
  const tree = walkPages(file)
  if (tree.pages.length === 0) throw noPages()
  const shown = keepPages(file, tree, maxPages).map((page): ShownPage => ({ page, geometry: geometryOf(file, page) }))
  await callWorker({ type: 'estimate', units: shown.length })
  stampPages(file, shown, (size: Size) => planDocument(operations, size, marks), images)
  const grown = rewritten.bytes.length > rewritten.sourceBytes * PACKED_FROM_GROWTH
  const parts = writeFile(file, {
    ...((isCleaned || shown.length < tree.pages.length) && { keep: reachable(file) }),
    packed: grown && rewritten.usesPacking && !file.trailer.has('Encrypt'),
  })
  const result = writeResult(job, 'pdf', { parts, fix: 'Use a smaller document or max_pages.' })
  const metadata = documentMetadata(
    shown.map(({ geometry }) => geometry.size),
    result.size,
  )
  return { data: metadata, files: [result], units: shown.length }
}

type Rewritten = {
  bytes: Buffer
  sourceBytes: number
  usesPacking: boolean
}

/** Saves the document with PDFium. PDFium copies the data of streams unchanged. */
function rewriteDocument(pdfium: Pdfium, file: EngineFile): Rewritten {
  const source = readPdf(file)
  using document = openDocument(pdfium, source)
  return { bytes: document.save(), sourceBytes: source.length, usesPacking: source.includes('/ObjStm') }
}
