import type { Size } from '@mediamill/contract/domain/size'
import type { VideoFilter } from '@mediamill/contract/drawing/video-filters'
import { isScaling, positionOf } from '@mediamill/contract/drawing/video-filters'

/** The color resolution of a frame. `half`: half of the width and height, as in results. `full`: every pixel. */
export type Chroma = 'half' | 'full'

type Step = { filter: VideoFilter; after: Size }

/**
 * Returns the color resolution of the source and after each step. Half-size color requires even sizes and positions.
 * Color becomes full at the last scaling filter before the first odd size or position, or from the source on if there
 * is no such filter.
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
  const { x, y } = positionOf(filter)
  return isOdd(x, y)
}

const isOdd = (...lengths: number[]) => lengths.some((length) => length % 2 !== 0)
