import type { Sharp } from 'sharp'
import { thumbnailSize } from '../../domain/drawn/thumbnail.ts'
import type { Size } from '../../domain/size.ts'
import type { EngineJob, EngineThumbnail } from '../protocol/messages.ts'
import { writeThumbnail } from '../protocol/result-file.ts'

// The cheapest: of a small picture's thumbnail the encoder is most of the cost, and effort 4 doubles it for a quarter of
// its bytes.
const WEBP = { quality: 75, effort: 0 }

/**
 * Makes the thumbnail of a picture out of its pixels. `image` is one frame of `size`.
 *
 * None, where it cannot be made: a result is worth more than its thumbnail.
 */
export async function makeThumbnail(
  job: Pick<EngineJob, 'scratch'>,
  image: Sharp,
  size: Size,
): Promise<{ thumbnail?: EngineThumbnail }> {
  try {
    // Linear averages as much as it has to; Lanczos costs a quarter more and rings at this size.
    const small = image.resize({ ...thumbnailSize(size), fit: 'fill', kernel: 'linear' })
    return writeThumbnail(job, await small.toColourspace('srgb').webp(WEBP).toBuffer())
  } catch {
    return {}
  }
}
