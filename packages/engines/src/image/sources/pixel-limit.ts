import { RequestFailure } from '@mediamill/contract/domain/errors'

/** Throws `processing_failed` when a frame has more pixels than a source's may have (rulings 9). */
export function refuseOverLimit(width: number, height: number, maxPixels: number): void {
  // wall: a bitmap or HEIC whose pixels are more than its header says
  if (width * height <= maxPixels) return
  throw new RequestFailure(
    'processing_failed',
    `The picture has ${width} × ${height} pixels, more than the limit of ${maxPixels / 1_000_000} megapixels.`,
  )
}
