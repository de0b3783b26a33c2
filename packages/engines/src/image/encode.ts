import type { ImageOutputFormat } from '@mediamill/contract/domain/media'
import type { ImagePlan } from '@mediamill/media/plan/image'
import type { Sharp } from 'sharp'
import type { Timing } from './sources/opened-source.ts'

/** The quality of `jpg` and `webp` where none was asked for, on the encoder's own scale of 1 to 100. */
const DEFAULT_QUALITY = 80

// Optimised Huffman tables hold the whole picture's coefficients in memory: 1.8 GB at 300 megapixels against
// 110 MB without, for a file 22 % smaller.
const LARGE_PIXELS = 30_000_000

// The largest picture has to be written within the deadline: 100 megapixels of a photograph took 29 s of CPU at
// effort 4 and 6 s at effort 2, for a file about 5 % larger.
const WEBP_EFFORT = { usual: 4, large: 2 }
// Six megapixels to gif: 3.3 s with effort 7 and dither, 1.7 s with effort 1 and none.
const GIF_CARE = { usual: { effort: 7, dither: 1 }, large: { effort: 1, dither: 0 } }

/** The wishes of a plan, as the encoders take them. */
type Settings = { quality: number; scale: 'usual' | 'large'; playing: { loop?: number; delay?: number[] } }

const ENCODERS: { [Format in ImageOutputFormat]: (image: Sharp, settings: Settings) => Sharp } = {
  jpg: (image, { quality, scale }) => image.jpeg({ quality, optimiseCoding: scale === 'usual' }),
  png: (image) => image.png(),
  webp: (image, { quality, scale, playing }) => image.webp({ quality, effort: WEBP_EFFORT[scale], ...playing }),
  gif: (image, { scale, playing }) => image.gif({ keepDuplicateFrames: true, ...GIF_CARE[scale], ...playing }),
  tif: (image) => image.tiff({ compression: 'lzw', predictor: 'horizontal' }),
}

/**
 * Encodes what the sharp has drawn. Metadata stays behind: outputs carry none and are sRGB (rulings 15).
 *
 * A quality counts for `jpg` and `webp` alone: what the other formats hold, they keep exactly.
 */
export function encode(image: Sharp, plan: ImagePlan, timing: Timing): Sharp {
  const quality = plan.quality ?? DEFAULT_QUALITY
  const scale = plan.size.width * plan.size.height * plan.frames > LARGE_PIXELS ? 'large' : 'usual'
  return ENCODERS[plan.format](image, { quality, scale, playing: playing(plan, timing) })
}

const playing = (plan: ImagePlan, { delays, loop }: Timing): Settings['playing'] =>
  plan.frames > 1 ? { loop, ...(delays.length > 0 && { delay: delays.slice(0, plan.frames) }) } : {}
