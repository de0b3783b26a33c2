import type { ColorMatrix } from '@mediamill/contract/drawing/color-matrix'
import { applyMatrix } from '../pixels/matrix.ts'
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
