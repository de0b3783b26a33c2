import { RequestFailure } from '@mediamill/contract/domain/errors'

export function rejectOverLimit(width: number, height: number, maxPixels: number): void {
  if (width * height <= maxPixels) return
  throw new RequestFailure(
    'processing_failed',
    `The image has ${width} × ${height} pixels; the limit is ${maxPixels / 1_000_000} megapixels.`,
  )
}
