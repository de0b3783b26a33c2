import { readFileSync } from 'node:fs'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { EngineFile } from '../protocol/messages.ts'
import type { PageGeometry } from './geometry.ts'
import { geometryOf } from './geometry.ts'
import type { PdfObjects } from './pdf/objects.ts'
import { dictionaryAt } from './pdf/objects.ts'
import type { PageTree } from './pdf/page-tree.ts'
import { noPages, walkPages } from './pdf/page-tree.ts'
import { readSourceFile } from './pdf/source-file.ts'
import { readName } from './pdf/syntax.ts'
import { readWholeFile } from './pdf/whole-file.ts'
import type { PdfDocument } from './pdfium/pdf-document.ts'
import { ASSUMED_VERSION } from './pdfium/repair.ts'

/** `geometries` has one element for each page. */
export type OpenedPages = PageTree & { objects: PdfObjects; geometries: PageGeometry[] }

export function readPdf(file: EngineFile): Buffer {
  if (file.format !== 'PDF') throw new RequestFailure('unsupported_media', 'The source is not a PDF.')
  return readFileSync(file.path)
}

/** Finds the pages. If the file is damaged, searches PDFium's repaired copy. Throws if the document has no pages. */
export function findPages(document: PdfDocument, bytes: Buffer): OpenedPages {
  const found = pagesAsSent(document, bytes) ?? pagesIn(readWholeFile(document.save()))
  if (found.pages.length === 0) throw noPages()
  return { ...found, isIntact: found.isIntact && found.pages.length === document.claimedPages }
}

function pagesAsSent(document: PdfDocument, bytes: Buffer): OpenedPages | undefined {
  const objects = readSourceFile(bytes)
  if (objects === undefined) return undefined
  try {
    const found = pagesIn(objects)
    return found.isIntact && found.pages.length === document.claimedPages ? found : undefined
  } catch {
    // The file is damaged or has too many pages. PDFium's repaired copy shows which of the two is true.
    return undefined
  }
}

function pagesIn(objects: PdfObjects): OpenedPages {
  const tree = walkPages(objects)
  return { objects, ...tree, geometries: tree.pages.map((page) => geometryOf(objects, page)) }
}

/** Returns the higher of the versions in the header and the catalog, such as `1.7` (ISO 32000-1, 7.2.2). */
export function pdfVersion(bytes: Buffer, objects: PdfObjects): string {
  const [, header = ASSUMED_VERSION] = /PDF-(\d\.\d)/.exec(bytes.toString('latin1', 0, 1024)) ?? []
  const stated = readName(dictionaryAt(objects, objects.trailer.get('Root'))?.get('Version')) ?? ''
  return /^\d\.\d$/.test(stated) && stated > header ? stated : header
}
