import { z } from 'zod'
import type { ColorMatrix } from './color-matrix.ts'
import { defineOperation, integer } from './operation.ts'

const MIDDLE_GRAY = 127.5

export const exposure = defineOperation({
  name: 'exposure',
  description: 'Makes the picture brighter or darker, and its contrast stronger or weaker.',
  params: z.strictObject({
    brightness: integer(-100, 100, 'From -100, all black, to 100, all white.').default(0),
    contrast: integer(-100, 100, 'From -100, all the same gray, to 100, four times the contrast.').default(0),
  }),

  image(p) {
    if (p.brightness === 0 && p.contrast === 0) return []
    // The square keeps 0 as it is, reaches 0 at -100 and 4 at 100 without a kink in between.
    const slope = (1 + p.contrast / 100) ** 2
    const constant = ((p.brightness / 100) * 255 - MIDDLE_GRAY) * slope + MIDDLE_GRAY
    const rows: ColorMatrix = [
      [slope, 0, 0, constant],
      [0, slope, 0, constant],
      [0, 0, slope, constant],
    ]
    return [{ step: 'matrix', rows }]
  },
})
