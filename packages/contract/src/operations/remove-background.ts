import { z } from 'zod'
import { OUTPUT, OUTPUT_FORMATS } from '../domain/media.ts'
import { defineOperation, integer } from './operation.ts'

const CLEAR_FORMATS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  OUTPUT_FORMATS.image.filter((format) => OUTPUT.image[format].alpha === 'all'),
)

export const removeBackground = defineOperation({
  name: 'remove_background',
  description: `Makes the top-left corner's colour and colours near it transparent, white where the output is not ${CLEAR_FORMATS}.`,
  params: z.strictObject({
    tolerance: integer(0, 100, 'How far from the corner colour still counts as background, in percent.'),
    blur: integer(0, 10, 'Over how many pixels the cut edge fades inwards.').default(0),
  }),
  image: (p) => [{ step: 'cutout', tolerance: p.tolerance / 100, blur: p.blur }],
})
