import type { Size } from '@mediamill/contract/domain/size'
import type { VideoFilter } from '@mediamill/contract/drawing/video-filters'
import { isScaling, placeOf } from '@mediamill/contract/drawing/video-filters'

/**
 * How a frame keeps its colour. `half` has half the width and height, as the result has; `full` has a sample for every
 * pixel.
 */
export type Chroma = 'half' | 'full'

type Step = { filter: VideoFilter; after: Size }

/**
 * Says how the colour of every frame is kept. It begins with the source's, then takes what each filter leaves.
 *
 * Half-size colour planes can follow neither an odd place nor an odd side: filters round both to even, and lose a column
 * or row. From the first such frame on all are kept in full; the scaling before it brings them there at no pass more.
 */
export function chromaOfFrames(source: Size, steps: readonly Step[]): Chroma[] {
  const sizes = [source, ...steps.map(({ after }) => after)]
  const needed = sizes.findIndex((size, index) => isOdd(size.width, size.height) || isAtOddPlace(steps[index]?.filter))
  if (needed === -1) return sizes.map(() => 'half')
  const scaled = steps.slice(0, needed).findLastIndex(({ filter }) => isScaling(filter))
  return sizes.map((_, index) => (index > scaled ? 'full' : 'half'))
}

function isAtOddPlace(filter: VideoFilter | undefined): boolean {
  if (filter === undefined) return false
  const { x, y } = placeOf(filter)
  return isOdd(x, y)
}

const isOdd = (...lengths: number[]) => lengths.some((length) => length % 2 !== 0)
