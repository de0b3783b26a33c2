import type { Sharp } from 'sharp'
import type { ImageOutputFormat } from '../../domain/media.ts'
import type { ImagePlan } from '../../plan/image.ts'
import type { Timing } from './open.ts'

/**
 * What the encoders are asked for. `quality` of `compress` and `thumbnail` is the encoder's own scale of 1 to 100.
 *
 * | format | default | with a quality |
 * |---|---|---|
 * | jpg | quality 80, colour at half size (4:2:0), baseline, optimised tables | that quality |
 * | webp | lossy, quality 80, effort 4 | that quality |
 * | png | deflate level 6, 8 bits, never a palette | no loss, so ignored |
 * | gif | at most 256 colours, dithered, effort 7 | ignored |
 * | tif | LZW with horizontal prediction | no loss, so ignored |
 */
const DEFAULT_QUALITY = 80

// Optimised Huffman tables hold the whole picture's coefficients in memory: 1.8 GB at 300 megapixels against
// 110 MB without, for a file 22 % smaller (research: image, section 8).
const OPTIMISED_UP_TO_PIXELS = 30_000_000

/** Encodes what the sharp has drawn. Metadata stays behind: outputs carry none and are sRGB (decisions 15). */
export function encode(image: Sharp, plan: ImagePlan, timing: Timing): Sharp {
  const quality = plan.quality ?? DEFAULT_QUALITY
  switch (plan.format) {
    case 'jpg':
      return image.jpeg({ quality, optimiseCoding: plan.size.width * plan.size.height <= OPTIMISED_UP_TO_PIXELS })
    case 'png':
      return image.png()
    case 'webp':
      return image.webp({ quality, ...playing(plan, timing) })
    case 'gif':
      return image.gif({ keepDuplicateFrames: true, ...playing(plan, timing) })
    case 'tif':
      return image.tiff({ compression: 'lzw', predictor: 'horizontal' })
  }
}

const playing = (plan: ImagePlan, { delays, loop }: Timing) =>
  plan.frames > 1 ? { loop, ...(delays.length > 0 && { delay: delays.slice(0, plan.frames) }) } : {}

/** The name of each output format in `result.data` (decisions 14). */
export const FORMAT_NAMES: Record<ImageOutputFormat, string> = {
  jpg: 'JPEG',
  png: 'PNG',
  webp: 'WEBP',
  gif: 'GIF',
  tif: 'TIFF',
}
