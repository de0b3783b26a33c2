import type { ColorMatrix } from '@mediamill/contract/drawing/color-matrix'
import type { RawImage } from '../pixels/raw-image.ts'
import { pixelStep } from './step.ts'

type MatrixStep = { step: 'matrix'; rows: ColorMatrix }

export const matrix = pixelStep<MatrixStep>({
  weight: 1,
  prepare:
    ({ rows }) =>
    (frame) => {
      applyMatrix(frame, rows)
      return frame
    },
})

// Integers in units of 1/65536 are faster than floating point, and exact enough.
const FIXED = 16
const ONE = 1 << FIXED
const HALF = ONE / 2

const clamp = (value: number) => (value < 0 ? 0 : value > 255 ? 255 : value)

export function applyMatrix({ data, channels }: RawImage, rows: ColorMatrix): void {
  const fixed = (row: number, column: number) => Math.round((rows[row]?.[column] ?? 0) * ONE)
  const constant = (row: number) => fixed(row, 3) + HALF
  const [rr, rg, rb, rc] = [fixed(0, 0), fixed(0, 1), fixed(0, 2), constant(0)]
  const [gr, gg, gb, gc] = [fixed(1, 0), fixed(1, 1), fixed(1, 2), constant(1)]
  const [br, bg, bb, bc] = [fixed(2, 0), fixed(2, 1), fixed(2, 2), constant(2)]
  for (let at = 0; at < data.length; at += channels) {
    const r = data[at] ?? 0
    const g = data[at + 1] ?? 0
    const b = data[at + 2] ?? 0
    data[at] = clamp((rr * r + rg * g + rb * b + rc) >> FIXED)
    data[at + 1] = clamp((gr * r + gg * g + gb * b + gc) >> FIXED)
    data[at + 2] = clamp((br * r + bg * g + bb * b + bc) >> FIXED)
  }
}
