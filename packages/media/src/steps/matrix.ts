import type { ColorMatrix } from '@mediamill/contract/drawing/color-matrix'
import { applyMatrix } from '../pixels/matrix.ts'
import { pixelStep } from './step.ts'

/** Makes red, green and blue anew out of all three and a constant. They are in 0 to 255; alpha is kept. */
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
