import { z } from 'zod'
import { integer } from '../objects/fields.ts'
import { defineOperation } from './operation.ts'

export const compress = defineOperation({
  name: 'compress',
  description: 'Sets the quality of a jpg, webp, or avif result. Lossless formats ignore it.',
  params: z.strictObject({
    quality: integer(1, 100, 'Quality. Lower values make smaller files.'),
  }),
  image: (p) => [{ step: 'encode', quality: p.quality }],
})
