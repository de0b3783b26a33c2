import type { Size } from '@mediamill/contract/domain/size'
import type { PdfObjects } from './pdf/objects.ts'
import { resolve } from './pdf/objects.ts'
import type { Page } from './pdf/page-tree.ts'
import type { PdfText } from './pdf/syntax.ts'
import { readArray, readNumber } from './pdf/syntax.ts'

/** A PDF transformation: `x' = ax + cy + e`, `y' = bx + dy + f`. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

export type PageGeometry = {
  /** The displayed size in points: the CropBox with `/Rotate` and `/UserUnit` applied (documents.data.2). */
  size: Size
  /** Converts displayed coordinates (origin at the bottom left, y upwards) to the coordinates of the page. */
  toPage: Matrix
}

export type Box = { left: number; bottom: number; right: number; top: number }

// The size that PDFium and poppler assume if the MediaBox is missing or invalid.
const LETTER: Box = { left: 0, bottom: 0, right: 612, top: 792 }

export function geometryOf(objects: PdfObjects, page: Page): PageGeometry {
  const media = readBox(objects, page.get('MediaBox')) ?? LETTER
  const { left, bottom, right, top } = intersect(readBox(objects, page.get('CropBox')) ?? media, media) ?? media
  const unit = positive(readNumber(resolve(objects, page.dictionary.get('UserUnit')))) ?? 1
  const width = (right - left) * unit
  const height = (top - bottom) * unit
  const s = 1 / unit
  switch (quarterTurns(readNumber(resolve(objects, page.get('Rotate'))) ?? 0)) {
    case 1:
      return { size: { width: height, height: width }, toPage: [0, s, -s, 0, right, bottom] }
    case 2:
      return { size: { width, height }, toPage: [-s, 0, 0, -s, right, top] }
    case 3:
      return { size: { width: height, height: width }, toPage: [0, -s, s, 0, left, top] }
    default:
      return { size: { width, height }, toPage: [s, 0, 0, s, left, bottom] }
  }
}

/** Converts degrees to quarter turns, 0 to 3. Rounds angles between quarter turns towards 0, like PDFium. */
const quarterTurns = (degrees: number) => ((Math.trunc(degrees / 90) % 4) + 4) % 4

const positive = (value: number | undefined) => (value !== undefined && value > 0 ? value : undefined)

function readBox(objects: PdfObjects, value: PdfText | undefined): Box | undefined {
  const [x0, y0, x1, y1] = (readArray(resolve(objects, value)) ?? []).map((side) => readNumber(resolve(objects, side)))
  if (x0 === undefined || y0 === undefined || x1 === undefined || y1 === undefined) return undefined
  const box = { left: Math.min(x0, x1), bottom: Math.min(y0, y1), right: Math.max(x0, x1), top: Math.max(y0, y1) }
  return box.right > box.left && box.top > box.bottom ? box : undefined
}

function intersect(a: Box, b: Box): Box | undefined {
  const box = {
    left: Math.max(a.left, b.left),
    bottom: Math.max(a.bottom, b.bottom),
    right: Math.min(a.right, b.right),
    top: Math.min(a.top, b.top),
  }
  return box.right > box.left && box.top > box.bottom ? box : undefined
}
