import type { ColorMatrix } from '@mediamill/contract/drawing/color-matrix'
import { applyMatrix } from '../pixels/matrix.ts'
import { pixelStep } from './step.ts'

/** Computes red, green, and blue from all three and a constant, in 0 to 255. Keeps alpha. */
export type MatrixStep = { step: 'matrix'; rows: ColorMatrix }

export const matrix = pixelStep<MatrixStep>({
  weight: 1,
  prepare:
    ({ rows }) =>
    (frame) => {
      applyMatrix(frame, rows)
      return frame
    },
})
