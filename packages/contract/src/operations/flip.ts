import { z } from 'zod'
import type { NamedFilter } from '../drawing/video-filters.ts'
import { defineOperation, flag } from './operation.ts'

export const flip = defineOperation({
  name: 'flip',
  description: 'Mirrors the picture.',
  params: z.strictObject({
    horizontal: flag('Mirror left and right.'),
    vertical: flag('Mirror top and bottom.'),
  }),
  image: (p) => (p.horizontal || p.vertical ? [{ step: 'flip', horizontal: p.horizontal, vertical: p.vertical }] : []),
  video: (p) => mirror(p.horizontal, p.vertical),
})

/** The filters that mirror a video; both together are half a turn. */
export function mirror(horizontal: boolean, vertical: boolean): NamedFilter[] {
  const filters: NamedFilter[] = []
  if (horizontal) filters.push({ name: 'hflip', args: {} })
  if (vertical) filters.push({ name: 'vflip', args: {} })
  return filters
}
