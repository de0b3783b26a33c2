import { z } from 'zod'
import { FORMATS_OF_OUTPUTS, OUTPUT } from '../domain/media.ts'
import { integer } from '../objects/fields.ts'
import { defineOperation } from './operation.ts'

const CLEAR_FORMATS = new Intl.ListFormat('en-US', { type: 'disjunction' }).format(
  FORMATS_OF_OUTPUTS.filter((format) => OUTPUT.image[format].alpha === 'all'),
)

export const removeBackground = defineOperation({
  name: 'remove_background',
  description: `Makes the color of the top-left corner and similar colors transparent, or white if the output is not ${CLEAR_FORMATS}.`,
  params: z.strictObject({
    tolerance: integer(0, 100, 'Tolerance in percent: colors within it count as background.'),
    blur: integer(0, 10, 'Width of the faded edge in pixels, inwards.').default(0),
  }),
  image: (p) => [{ step: 'cutout', tolerance: p.tolerance / 100, blur: p.blur }],
})
