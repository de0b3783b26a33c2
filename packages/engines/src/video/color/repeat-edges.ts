import type { Size } from '@mediamill/contract/domain/size'
import { evenSize } from '@mediamill/media/plan/video'
import type { GraphFilter } from '../libav/filter-text.ts'

export function repeatEdges(size: Size): GraphFilter[] {
  const even = evenSize(size)
  const right = even.width - size.width
  const bottom = even.height - size.height
  if (right + bottom === 0) return []
  return [
    { name: 'pad', args: { w: even.width, h: even.height, x: 0, y: 0 } },
    { name: 'fillborders', args: { right, bottom, mode: 'smear' } },
  ]
}
