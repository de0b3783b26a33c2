import type { ImageOutputFormat } from '@mediamill/contract/domain/media'
import type { ImagePlan } from '@mediamill/media/plan/image'
import type { Sharp } from 'sharp'
import type { Timing } from './sources/opened-source.ts'

const DEFAULT_QUALITY: Partial<Record<ImageOutputFormat, number>> = { avif: 50 }
const USUAL_QUALITY = 80

// For a larger image, optimizing the Huffman tables would need too much memory for the coefficients.
const LARGE_PIXELS = 30_000_000

// Large images get less effort, so that they finish within the deadline.
const WEBP_EFFORT = { usual: 4, large: 2 }
// At effort 4, AV1 encoding takes ten times as long, and files are only slightly smaller.
const AVIF_EFFORT = { usual: 2, large: 1 }
const AVIF_LARGE_PIXELS = 4_000_000

const GIF_EFFORT = { usual: { effort: 7, dither: 1 }, large: { effort: 1, dither: 0 } }

type Settings = {
  quality: number
  pixels: number
  scale: 'usual' | 'large'
  playing: { loop?: number; delay?: number[] }
  /** Whether a GIF can keep the palette of its source, because no new colors were drawn. */
  keepsPalette: boolean
}

const ENCODERS: { [Format in ImageOutputFormat]: (image: Sharp, settings: Settings) => Sharp } = {
  jpg: (image, { quality, scale }) => image.jpeg({ quality, optimiseCoding: scale === 'usual' }),
  png: (image) => image.png(),
  webp: (image, { quality, scale, playing }) => image.webp({ quality, effort: WEBP_EFFORT[scale], ...playing }),
  gif: (image, { scale, playing, keepsPalette }) =>
    image.gif({ keepDuplicateFrames: true, reuse: keepsPalette, ...GIF_EFFORT[scale], ...playing }),
  tif: (image) => image.tiff({ compression: 'lzw', predictor: 'horizontal' }),
  avif: (image, { quality, pixels }) =>
    image.avif({ quality, effort: AVIF_EFFORT[pixels > AVIF_LARGE_PIXELS ? 'large' : 'usual'] }),
}

/** Encodes an image in sRGB without metadata (images.process.2). `jpg`, `webp`, and `avif` are lossy. */
export function encode(image: Sharp, plan: ImagePlan, timing: Timing, keepsPalette: boolean): Sharp {
  const quality = qualityOf(plan)
  const pixels = plan.size.width * plan.size.height * plan.frames
  const scale = pixels > LARGE_PIXELS ? 'large' : 'usual'
  return ENCODERS[plan.format](image, { quality, pixels, scale, playing: playing(plan, timing), keepsPalette })
}

export const qualityOf = ({ format, quality }: Pick<ImagePlan, 'format' | 'quality'>): number =>
  quality ?? DEFAULT_QUALITY[format] ?? USUAL_QUALITY

const playing = (plan: ImagePlan, { delays, loop }: Timing): Settings['playing'] =>
  plan.frames > 1 ? { loop, ...(delays.length > 0 && { delay: delays.slice(0, plan.frames) }) } : {}
