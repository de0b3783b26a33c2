import { z } from 'zod'
import { fitInside } from '../drawing/sizes.ts'
import { integer } from '../objects/fields.ts'
import { defineOperation } from './operation.ts'

const params = z.strictObject({
  width: integer(1, 4000, 'Width of the box, in pixels.'),
  height: integer(1, 4000, 'Height of the box, in pixels; by default in proportion to the width.').optional(),
  quality: integer(1, 100, 'Quality of a jpg, webp, or avif result.').optional(),
})

export const thumbnail = defineOperation({
  name: 'thumbnail',
  description: 'Makes a small image that fits a box, compressed and without metadata.',
  params,
  image: (p, frame) => [
    { step: 'resize', to: fitInside(frame, { width: p.width, height: p.height }), fit: 'fill' },
    ...(p.quality === undefined ? [] : [{ step: 'encode' as const, quality: p.quality }]),
  ],
})
