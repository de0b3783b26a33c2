import { z } from 'zod'
import { defineOperation, integer } from './operation.ts'

export const compress = defineOperation({
  name: 'compress',
  description: 'Sets the quality of the jpg or webp written; formats without loss are left as they are.',
  params: z.strictObject({
    quality: integer(1, 100, 'Quality: lower makes a smaller file.'),
  }),
  image: (p) => [{ step: 'encode', quality: p.quality }],
})
