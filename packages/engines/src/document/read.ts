import type { EngineFile, EngineResult, JobOf } from '../protocol/messages.ts'
import type { ActiveContent } from './active/clean-value.ts'
import { findActiveContent } from './active/find-active-content.ts'
import { documentFacts, sizesVary } from './facts.ts'
import { geometryOf } from './geometry.ts'
import type { OpenedPages } from './open.ts'
import { findPages, pdfVersion, readPdf } from './open.ts'
import { readWholeFile } from './pdf/whole-file.ts'
import type { PdfDocument } from './pdfium/pdf-document.ts'
import { openDocument } from './pdfium/pdf-document.ts'
import type { Pdfium } from './pdfium/pdfium-instance.ts'
import type { PdfiumKeeper } from './pdfium/pdfium-keeper.ts'

// A title is shown to people; one that is longer is no title.
const MAX_TITLE_CHARACTERS = 1_000

/** Tells the facts of a document: the task `documents/read` (rulings 2). */
export async function readDocument(
  keeper: PdfiumKeeper,
  job: JobOf<'documents/read'>,
): Promise<EngineResult<'documents/read'>> {
  return { data: await keeper.run((pdfium) => factsOf(pdfium, job.input)), files: [], units: 1 }
}

function factsOf(pdfium: Pdfium, file: EngineFile): EngineResult<'documents/read'>['data'] {
  const bytes = readPdf(file)
  using document = openDocument(pdfium, bytes)
  const found = findPages(document, bytes)
  const sizes = found.pages.map((page) => geometryOf(found.objects, page).size)
  const active = activeContentOf(document, found)
  return {
    ...documentFacts(sizes, file.size),
    pdf_version: pdfVersion(bytes, found.objects),
    encrypted: document.isEncrypted,
    page_sizes_vary: sizesVary(sizes),
    title: printable(document.information('Title')),
    has_javascript: active.hasJavascript,
    attachments: active.attachments.size,
  }
}

/** The active content of a document. An encrypted or damaged file is scanned as PDFium writes it. */
function activeContentOf(document: PdfDocument, { objects }: OpenedPages): ActiveContent {
  try {
    if (!document.isEncrypted) return findActiveContent(objects)
  } catch {
    // An object that is not where the table says.
  }
  return findActiveContent(readWholeFile(document.save()))
}

/** The text as a client may see it: whole characters, no NUL. */
function printable(title: string | null): string | null {
  if (title === null) return null
  // wall: a title that no database takes
  const text = title.replaceAll('\0', '').slice(0, MAX_TITLE_CHARACTERS).toWellFormed().trim()
  return text === '' ? null : text
}
