import { forEachAnnotation } from './annotation-boxes.ts'
import type { Pdfium } from './pdfium-instance.ts'

/** Constants of annotations and form fields (`fpdf_annot.h` and `fpdf_formfill.h`). */
const WIDGET = 20
const CHECK_BOX = 2
const RADIO_BUTTON = 3
const NORMAL = 0
const HIDDEN = 1 << 1

/** An empty UTF-16 text has 2 bytes: its terminating zero. */
const EMPTY_BYTES = 2

/** Sets check boxes and radio buttons without a state to `Off`. Hides a button if its state has no image. */
export function settleButtons(pdfium: Pdfium, page: number, environment: number): void {
  forEachAnnotation(pdfium, page, (annotation) => {
    if (pdfium.api.FPDFAnnot_GetSubtype(annotation) !== WIDGET) return
    const type = pdfium.api.FPDFAnnot_GetFormFieldType(environment, annotation)
    if (type === CHECK_BOX || type === RADIO_BUTTON) settle(pdfium, annotation)
  })
}

function settle(pdfium: Pdfium, annotation: number): void {
  const { api } = pdfium
  if (api.FPDFAnnot_GetStringValue(annotation, 'AS', 0, 0) <= EMPTY_BYTES) setOff(pdfium, annotation)
  if (api.FPDFAnnot_GetAP(annotation, NORMAL, 0, 0) > EMPTY_BYTES) return
  api.FPDFAnnot_SetFlags(annotation, api.FPDFAnnot_GetFlags(annotation) | HIDDEN)
}

function setOff(pdfium: Pdfium, annotation: number): void {
  const off = Buffer.from('Off\0', 'utf16le')
  const pointer = pdfium.allocate(off.length)
  pdfium.heap().set(off, pointer)
  pdfium.api.FPDFAnnot_SetStringValue(annotation, 'AS', pointer)
  pdfium.free(pointer)
}
