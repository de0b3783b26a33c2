import { z } from 'zod'
import { defineOperation } from './operation.ts'

export const orient = defineOperation({
  name: 'orient',
  description: 'Rotates the image upright by its EXIF orientation.',
  params: z.strictObject({}),
  image: () => [{ step: 'orient' }],
})
