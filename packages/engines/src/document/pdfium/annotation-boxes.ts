import type { Box } from '../geometry.ts'
import type { Pdfium } from './pdfium-instance.ts'

/** Types of annotations (`fpdf_annot.h`). */
const LINE = 4
const POLYGON = 7
const POLYLINE = 8
const INK = 15

const FLOAT_BYTES = 4
const POINT_BYTES = 2 * FLOAT_BYTES
const BOX_BYTES = 4 * FLOAT_BYTES

// Limits per page, because annotations can share huge arrays. Annotations beyond them keep their boxes.
const MAX_POINTS = 1_000_000
const MAX_PATHS = 10_000

/** The space around the lines of an annotation, in points, for the width and the ends of lines. */
const MARGIN = 20

type Reader = { pdfium: Pdfium; annotation: number; budget: { points: number } }

/** Enlarges the boxes of annotations that draw outside of their box. Skips annotations with an appearance stream. */
export function widenAnnotationBoxes(pdfium: Pdfium, page: number): void {
  const budget = { points: MAX_POINTS }
  forEachAnnotation(pdfium, page, (annotation) => {
    if (!pdfium.api.FPDFAnnot_HasKey(annotation, 'AP')) widen({ pdfium, annotation, budget })
  })
}

export function forEachAnnotation({ api }: Pdfium, page: number, change: (annotation: number) => void): void {
  const count = api.FPDFPage_GetAnnotCount(page)
  for (let index = 0; index < count; index += 1) {
    const annotation = api.FPDFPage_GetAnnot(page, index)
    if (annotation === 0) continue
    try {
      change(annotation)
    } finally {
      api.FPDFPage_CloseAnnot(annotation)
    }
  }
}

function widen(reader: Reader): void {
  const around = boxAround(pointsOf(reader))
  if (around === undefined) return
  const { pdfium, annotation } = reader
  const pointer = pdfium.allocate(BOX_BYTES)
  try {
    // The order of `FS_RECTF` is left, top, right, bottom.
    const isStated = pdfium.api.FPDFAnnot_GetRect(annotation, pointer)
    const [left = 0, top = 0, right = 0, bottom = 0] = isStated ? floatsAt(pdfium, pointer, 4) : []
    const isInside =
      isStated && around.left >= left && around.right <= right && around.bottom >= bottom && around.top <= top
    if (isInside) return
    const wider = [around.left - MARGIN, around.top + MARGIN, around.right + MARGIN, around.bottom - MARGIN]
    wider.forEach((value, index) => pdfium.heap().writeFloatLE(value, pointer + index * FLOAT_BYTES))
    pdfium.api.FPDFAnnot_SetRect(annotation, pointer)
  } finally {
    pdfium.free(pointer)
  }
}

function pointsOf(reader: Reader): number[] {
  const { api } = reader.pdfium
  const { annotation } = reader
  switch (api.FPDFAnnot_GetSubtype(annotation)) {
    case POLYGON:
    case POLYLINE:
      return readPoints(reader, (pointer, length) => api.FPDFAnnot_GetVertices(annotation, pointer, length))
    case INK: {
      const paths = Math.min(MAX_PATHS, api.FPDFAnnot_GetInkListCount(annotation))
      return Array.from({ length: paths }, (_, path) =>
        readPoints(reader, (pointer, length) => api.FPDFAnnot_GetInkListPath(annotation, path, pointer, length)),
      ).flat()
    }
    case LINE:
      return readPoints(reader, (pointer, length) => {
        if (length > 0) api.FPDFAnnot_GetLine(annotation, pointer, pointer + POINT_BYTES)
        return 2
      })
    default:
      return []
  }
}

function readPoints({ pdfium, budget }: Reader, read: (pointer: number, length: number) => number): number[] {
  budget.points -= 1
  if (budget.points < 0) return []
  const count = read(0, 0)
  if (count === 0 || count > budget.points) return []
  budget.points -= count
  const pointer = pdfium.allocate(count * POINT_BYTES)
  pdfium.heap().fill(0, pointer, pointer + count * POINT_BYTES)
  try {
    read(pointer, count)
    return floatsAt(pdfium, pointer, count * 2)
  } finally {
    pdfium.free(pointer)
  }
}

const floatsAt = (pdfium: Pdfium, pointer: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => pdfium.heap().readFloatLE(pointer + index * FLOAT_BYTES))

function boxAround(points: readonly number[]): Box | undefined {
  const box = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity }
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x = Number.NaN, y = Number.NaN] = [points[at], points[at + 1]]
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue
    box.left = Math.min(box.left, x)
    box.right = Math.max(box.right, x)
    box.bottom = Math.min(box.bottom, y)
    box.top = Math.max(box.top, y)
  }
  return box.left <= box.right ? box : undefined
}
