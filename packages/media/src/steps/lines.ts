import type { DiagonalLines } from '@mediamill/contract/drawing/overlays'
import { drawLines } from '../pixels/lines.ts'
import { pixelStep } from './step.ts'

type LinesStep = { step: 'lines' } & DiagonalLines

export const lines = pixelStep<LinesStep>({
  weight: 1,
  isCover: true,
  prepare: (step) => (frame) => {
    drawLines(frame, step)
    return frame
  },
})
