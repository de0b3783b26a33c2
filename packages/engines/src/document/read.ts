import type { EngineFile, EngineResult, JobOf } from '../protocol/messages.ts'
import type { ActiveContent } from './active/clean-value.ts'
import { findActiveContent } from './active/find-active-content.ts'
import { documentMetadata, sizesVary } from './metadata.ts'
import type { OpenedPages } from './open.ts'
import { findPages, pdfVersion, readPdf } from './open.ts'
import { readWholeFile } from './pdf/whole-file.ts'
import type { PdfDocument } from './pdfium/pdf-document.ts'
import { openDocument } from './pdfium/pdf-document.ts'
import type { Pdfium } from './pdfium/pdfium-instance.ts'
import type { PdfiumPool } from './pdfium/pdfium-pool.ts'

// A longer title is cut, because the console shows titles.
const MAX_TITLE_CHARACTERS = 1_000

export async function readDocument(
  pool: PdfiumPool,
  job: JobOf<'documents/read'>,
): Promise<EngineResult<'documents/read'>> {
  return { data: await pool.run((pdfium) => metadataOf(pdfium, job.input)), files: [], units: 1 }
}

function metadataOf(pdfium: Pdfium, file: EngineFile): EngineResult<'documents/read'>['data'] {
  const bytes = readPdf(file)
  using document = openDocument(pdfium, bytes)
  const found = findPages(document, bytes)
  const sizes = found.geometries.map(({ size }) => size)
  const active = activeContentOf(document, found)
  return {
    ...documentMetadata(sizes, file.size),
    pdf_version: pdfVersion(bytes, found.objects),
    encrypted: document.isEncrypted,
    page_sizes_vary: sizesVary(sizes),
    title: printable(document.information('Title')),
    has_javascript: active.hasJavascript,
    attachments: active.attachments.size,
  }
}

/** Finds the active content. An encrypted or damaged document is searched in the copy that PDFium wrote. */
function activeContentOf(document: PdfDocument, { objects }: OpenedPages): ActiveContent {
  try {
    if (!document.isEncrypted) return findActiveContent(objects)
  } catch {
    // The cross-reference table has a wrong offset. PDFium's copy has a new table.
  }
  return findActiveContent(readWholeFile(document.save()))
}

function printable(title: string | null): string | null {
  if (title === null) return null
  const text = title.replaceAll('\0', '').slice(0, MAX_TITLE_CHARACTERS).toWellFormed().trim()
  return text === '' ? null : text
}
