import { z } from 'zod'
import { defineOperation } from './operation.ts'

export const orient = defineOperation({
  name: 'orient',
  description: 'Turns the pixels upright according to the EXIF orientation.',
  params: z.strictObject({}),
  image: () => [{ step: 'orient' }],
})
