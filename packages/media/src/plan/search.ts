import type { ImageOutputFormat } from '@mediamill/contract/domain/media'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import { SAMPLE_SIDE } from '../pixels/sample.ts'

/** A quality, a maximum size in bytes, or both. The quality `auto` limits the visible difference. */
export type EncodingGoal = {
  quality?: number | 'auto' | undefined
  max_bytes?: number | undefined
  max_bytes_resize?: boolean | undefined
}

/** The maximum number of encodings for `max_bytes`: at the requested quality, then a binary search below it. */
export const BYTE_SEARCH_ENCODINGS = 8

/** The minimum quality with `max_bytes_resize`. Below it, a smaller image looks better. */
export const RESIZE_QUALITY = 40

/** The safety factor of each resize. It multiplies the estimated scale. The product is at most `MAX_SHRINK`. */
export const SHRINK_STEPS = [0.95, 0.85, 0.7, 0.5, 0.5, 0.5]
export const MAX_SHRINK = 0.9

/** The qualities that `auto` searches. The binary search takes six encodings of a sample. */
export const AUTO_QUALITY = { min: 40, max: 95 }
const AUTO_ENCODINGS = 6

export const isSearched = ({ quality, max_bytes }: EncodingGoal) => quality === 'auto' || max_bytes !== undefined

export function searchWork(
  { width, height }: Size,
  frames: number,
  { format, ...goal }: EncodingGoal & { format: ImageOutputFormat },
): number {
  const { isLossy, searchWeight } = OUTPUT.image[format]
  const sample = Math.min(width, SAMPLE_SIDE) * Math.min(height, SAMPLE_SIDE)
  const forDistance = goal.quality === 'auto' && isLossy ? AUTO_ENCODINGS * sample : 0
  const forBytes = goal.max_bytes !== undefined && isLossy ? BYTE_SEARCH_ENCODINGS - 1 : 0
  // All resized images together have less than twice the pixels of the image.
  const forSide = goal.max_bytes !== undefined && goal.max_bytes_resize === true ? 2 : 0
  return searchWeight * (forDistance + (forBytes + forSide) * width * height * frames)
}
