import { z } from 'zod'
import { LUMA_ROWS } from '../drawing/color-matrix.ts'
import { defineOperation } from './operation.ts'

export const grayscale = defineOperation({
  name: 'grayscale',
  description: 'Removes the colors.',
  params: z.strictObject({}),
  image: () => [{ step: 'matrix', rows: LUMA_ROWS }],
  video: () => [{ name: 'hue', args: { s: 0 } }],
})
