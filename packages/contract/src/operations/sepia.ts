import { z } from 'zod'
import type { ColorMatrix } from '../drawing/color-matrix.ts'
import { IDENTITY, mixMatrix } from '../drawing/color-matrix.ts'
import { integer } from '../objects/fields.ts'
import { defineOperation } from './operation.ts'

// The color matrix of full sepia, from W3C Filter Effects 1.
const SEPIA: ColorMatrix = [
  [0.393, 0.769, 0.189, 0],
  [0.349, 0.686, 0.168, 0],
  [0.272, 0.534, 0.131, 0],
]

export const sepia = defineOperation({
  name: 'sepia',
  description: 'Applies the brown tone of an old photo.',
  params: z.strictObject({
    threshold: integer(0, 100, 'Strength of the tone in percent; 0 changes nothing.'),
  }),
  image: (p) => (p.threshold === 0 ? [] : [{ step: 'matrix', rows: mixMatrix(IDENTITY, SEPIA, p.threshold / 100) }]),
})
