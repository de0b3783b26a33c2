import type { Size } from '@mediamill/contract/domain/size'
import { widenAnnotationBoxes } from './annotation-boxes.ts'
import { settleButtons } from './button-states.ts'
import type { PdfDocument } from './pdf-document.ts'
import { damagedDocument } from './pdf-document.ts'
import type { Pdfium } from './pdfium-instance.ts'

/**
 * The pixel format `FPDFBitmap_BGR` (`fpdfview.h`), without alpha, because PDFium draws transparency groups wrongly
 * with alpha.
 */
const BGR = 2
const CHANNELS = 3
const WHITE = 0xffffffff
/** The flags `FPDF_ANNOT` (draw annotations) and `FPDF_REVERSE_BYTE_ORDER` (red first). */
const WITH_ANNOTATIONS_RGB = 0x01 | 0x10

// Pages are drawn in bands of this many pixels, so that the largest page fits into PDFium's memory.
const BAND_PIXELS = 8_000_000

// The maximum buffer to keep between pages, enough for A3. Avoids frequent garbage collections.
const KEPT_BYTES = 16 * 1024 * 1024
let kept: Buffer = Buffer.alloc(0)

/** Draws a page on white as RGB bytes. `index` counts from 0. */
export function renderPage(pdfium: Pdfium, document: PdfDocument, index: number, size: Size): Buffer {
  const { api } = pdfium
  const forms = api.PDFiumExt_OpenFormFillInfo()
  const environment = api.PDFiumExt_InitFormFillEnvironment(document.handle, forms)
  const handle = api.FPDF_LoadPage(document.handle, index)
  try {
    if (handle === 0) throw damagedDocument(`page ${index} cannot be loaded`)
    widenAnnotationBoxes(pdfium, handle)
    if (environment !== 0) {
      api.FORM_OnAfterLoadPage(handle, environment)
      settleButtons(pdfium, handle, environment)
      // Viewers highlight form fields, but the highlight is not part of the document.
      api.FPDF_SetFormFieldHighlightAlpha(environment, 0)
    }
    return drawBands(pdfium, handle, environment, size)
  } finally {
    if (handle !== 0) {
      if (environment !== 0) api.FORM_OnBeforeClosePage(handle, environment)
      api.FPDF_ClosePage(handle)
    }
    if (environment !== 0) api.PDFiumExt_ExitFormFillEnvironment(environment)
    api.PDFiumExt_CloseFormFillInfo(forms)
  }
}

function drawBands(pdfium: Pdfium, page: number, environment: number, { width, height }: Size): Buffer {
  const { api } = pdfium
  const bandHeight = Math.min(height, Math.max(1, Math.floor(BAND_PIXELS / width)))
  const rowBytes = width * CHANNELS
  const pixels = pixelsFor(height * rowBytes)
  const pointer = pdfium.allocate(bandHeight * rowBytes)
  const bitmap = api.FPDFBitmap_CreateEx(width, bandHeight, BGR, pointer, rowBytes)
  try {
    for (let top = 0; top < height; top += bandHeight) {
      api.FPDFBitmap_FillRect(bitmap, 0, 0, width, bandHeight, WHITE)
      api.FPDF_RenderPageBitmap(bitmap, page, 0, -top, width, height, 0, WITH_ANNOTATIONS_RGB)
      if (environment !== 0) {
        api.FPDF_FFLDraw(environment, bitmap, page, 0, -top, width, height, 0, WITH_ANNOTATIONS_RGB)
      }
      // Copies only the rows that fit, because the last band can end below the page.
      pdfium.heap().copy(pixels, top * rowBytes, pointer, pointer + bandHeight * rowBytes)
    }
    return pixels
  } finally {
    api.FPDFBitmap_Destroy(bitmap)
    pdfium.free(pointer)
  }
}

/** Returns a buffer for a page. Small pages share a buffer, which each page overwrites completely. */
function pixelsFor(bytes: number): Buffer {
  if (bytes > KEPT_BYTES) return Buffer.allocUnsafeSlow(bytes)
  if (kept.length < bytes) kept = Buffer.allocUnsafeSlow(bytes)
  return kept.subarray(0, bytes)
}
