import { z } from 'zod'
import { defineOperation, integer } from './operation.ts'

export const removeBackground = defineOperation({
  name: 'remove_background',
  description:
    "Makes the top-left corner's colour and colours near it transparent, white where the output is not png or webp.",
  params: z.strictObject({
    tolerance: integer(0, 100, 'How far from the corner colour still counts as background, in percent.'),
    blur: integer(0, 10, 'Over how many pixels the cut edge fades inwards.').default(0),
  }),
  image: (p) => [{ step: 'cutout', tolerance: p.tolerance / 100, blur: p.blur }],
})
