import { z } from 'zod'
import type { NamedFilter } from '../drawing/video-filters.ts'
import { defineOperation, flag } from './operation.ts'

export const flip = defineOperation({
  name: 'flip',
  description: 'Flips the image.',
  params: z.strictObject({
    horizontal: flag('Flip left and right.'),
    vertical: flag('Flip top and bottom.'),
  }),
  image: (p) => (p.horizontal || p.vertical ? [{ step: 'flip', horizontal: p.horizontal, vertical: p.vertical }] : []),
  video: (p) => mirror(p.horizontal, p.vertical),
})

export function mirror(horizontal: boolean, vertical: boolean): NamedFilter[] {
  const filters: NamedFilter[] = []
  if (horizontal) filters.push({ name: 'hflip', args: {} })
  if (vertical) filters.push({ name: 'vflip', args: {} })
  return filters
}
