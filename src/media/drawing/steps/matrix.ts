import { applyMatrix } from '../../pixels/matrix.ts'
import type { ColorMatrix } from '../color-matrix.ts'
import { pixelStep } from './step.ts'

/** Rows give red, green and blue out of red, green, blue in 0 to 255 and a constant; alpha is kept. */
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
