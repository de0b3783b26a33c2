import { RequestFailure } from '@mediamill/contract/domain/errors'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import { formatCount } from '@mediamill/contract/lib/format-text'
import sharp from 'sharp'
import type { EngineFile, EngineResult, JobOf } from '../protocol/messages.ts'
import { writeResult } from '../protocol/result-file.ts'
import { findPages, readPdf } from './open.ts'
import { EditedFile } from './pdf/edited-file.ts'
import { walkPages } from './pdf/page-tree.ts'
import { readWholeFile } from './pdf/whole-file.ts'
import { writeFile } from './pdf/write-file.ts'
import { openDocument } from './pdfium/pdf-document.ts'
import type { Pdfium } from './pdfium/pdfium-instance.ts'
import type { PdfiumPool } from './pdfium/pdfium-pool.ts'
import { renderPage } from './pdfium/render.ts'
import { keepPages } from './trim/trim.ts'

// Optimizing the Huffman tables would take most of the encoding time.
const JPEG = { quality: 80, optimiseCoding: false }

export async function snapshotDocument(
  pool: PdfiumPool,
  job: JobOf<'documents/snapshot'>,
): Promise<EngineResult<'documents/snapshot'>> {
  const { page, output } = job.parameters
  const { width, height, pixels } = await pool.run((pdfium) =>
    drawPage(pdfium, job.input, page, job.limits.maxFramePixels),
  )
  const image = () => sharp(pixels, { raw: { width, height, channels: 3 }, limitInputPixels: false })
  const encoded = await (output.format === 'jpg' ? image().jpeg(JPEG) : image().png()).toBuffer()
  const fix = 'Use output.format jpg, which makes the smallest file.'
  const file = writeResult(job, output.format, { parts: [encoded], fix })
  const format = OUTPUT.image[output.format].name
  return { data: { width, height, format, size: file.size, page }, files: [file], units: 1 }
}

/** A page as rows of RGB pixels. Rendering the next page overwrites `pixels`. */
type PageImage = Size & { pixels: Buffer }

/** An image has 150 pixels per inch (documents.snapshot.1), and a PDF has 72 points per inch. */
const PIXELS_PER_POINT = 150 / 72

// The longest side that libjpeg supports, also used for PNG.
const MAX_SIDE_PIXELS = 65_500

/** Draws a page. `page` counts from 1. Reduces the resolution if the image would be too large. */
function drawPage(pdfium: Pdfium, file: EngineFile, page: number, maxPixels: number): PageImage {
  const bytes = readPdf(file)
  using document = openDocument(pdfium, bytes)
  const { geometries, isIntact } = findPages(document, bytes)
  const geometry = geometries[page - 1]
  if (geometry === undefined) throw noSuchPage(page, geometries.length)
  const size = pixelSize(geometry.size, maxPixels)
  if (isIntact) return { ...size, pixels: renderPage(pdfium, document, page - 1, size) }
  using mended = openDocument(pdfium, withValidTree(document.save()))
  return { ...size, pixels: renderPage(pdfium, mended, page - 1, size) }
}

function withValidTree(saved: Buffer): Buffer {
  const file = new EditedFile(readWholeFile(saved))
  keepPages(file, walkPages(file))
  return Buffer.concat(writeFile(file, { packed: false }))
}

function pixelSize({ width, height }: Size, maxPixels: number): Size {
  const [fullWidth, fullHeight] = [width * PIXELS_PER_POINT, height * PIXELS_PER_POINT]
  const scale = Math.min(
    1,
    Math.sqrt(maxPixels / (fullWidth * fullHeight)),
    MAX_SIDE_PIXELS / Math.max(fullWidth, fullHeight),
  )
  const whole = scale < 1 ? Math.floor : Math.round
  return { width: Math.max(1, whole(fullWidth * scale)), height: Math.max(1, whole(fullHeight * scale)) }
}

const noSuchPage = (page: number, pages: number) =>
  new RequestFailure('processing_failed', `The document has ${formatCount(pages, 'page')}; there is no page ${page}.`)
