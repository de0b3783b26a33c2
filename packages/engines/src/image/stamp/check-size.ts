import { MAX_STAMP } from '@mediamill/contract/domain/drawn/stamp'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Size } from '@mediamill/contract/domain/size'

/** Refuses a stamp that would be too large, before its pixels are there. */
export function checkStampSize({ width, height }: Size): void {
  // wall: a stamp of any size
  if (Math.max(width, height) <= MAX_STAMP.side && width * height <= MAX_STAMP.pixels) return
  throw new RequestFailure(
    'processing_failed',
    `The stamp would be ${width.toLocaleString('en')} × ${height.toLocaleString('en')} pixels; it may have ${MAX_STAMP.side.toLocaleString('en')} on a side and ${MAX_STAMP.pixels / 1_000_000} megapixels in all. Make it smaller.`,
  )
}
