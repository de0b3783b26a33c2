import { z } from 'zod'
import type { Size } from '../domain/size.ts'
import { fitInside, fitOutside } from '../drawing/sizes.ts'
import { integer } from '../objects/fields.ts'
import { defineOperation, flag } from './operation.ts'

const params = z.strictObject({
  width: integer(1, 20_000, 'Width of the box, in pixels.'),
  height: integer(1, 20_000, 'Height of the box, in pixels.'),
  preserve_aspect_ratio: z
    .boolean()
    .default(true)
    .meta({ description: 'Fit inside the box instead of stretching to it.' }),
  crop_center: flag('Fill the box and trim the overflow, centered.'),
})

export const resize = defineOperation({
  name: 'resize',
  description: 'Changes the size: fits inside a box, fills it, or stretches to it.',
  params,

  image(p, frame) {
    const box = { width: p.width, height: p.height }
    if (p.crop_center) return [{ step: 'resize', to: box, fit: 'cover' }]
    return [{ step: 'resize', to: p.preserve_aspect_ratio ? fitInside(frame, box) : box, fit: 'fill' }]
  },

  video(p, size) {
    const box = { width: p.width, height: p.height }
    if (!p.crop_center) return [scale(p.preserve_aspect_ratio ? fitInside(size, box) : box)]
    const covering = fitOutside(size, box)
    const left = Math.floor((covering.width - box.width) / 2)
    const top = Math.floor((covering.height - box.height) / 2)
    return [scale(covering), { name: 'crop', args: { w: box.width, h: box.height, x: left, y: top, exact: 1 } }]
  },
})

const scale = ({ width, height }: Size) => ({ name: 'scale' as const, args: { w: width, h: height } })
