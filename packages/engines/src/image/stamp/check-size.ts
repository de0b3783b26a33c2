import { RequestFailure } from '@mediamill/contract/domain/errors'
import { MAX_STAMP } from '@mediamill/contract/domain/rendering/stamp'
import type { Size } from '@mediamill/contract/domain/size'

export function checkStampSize({ width, height }: Size): void {
  if (Math.max(width, height) <= MAX_STAMP.side && width * height <= MAX_STAMP.pixels) return
  throw new RequestFailure(
    'processing_failed',
    `The watermark would be ${width.toLocaleString('en')} × ${height.toLocaleString('en')} pixels; the limit is ${MAX_STAMP.side.toLocaleString('en')} per side and ${MAX_STAMP.pixels / 1_000_000} megapixels. Make it smaller.`,
  )
}
