import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { ImageOutputFormat } from '@mediamill/contract/domain/media'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import { formatCount } from '@mediamill/contract/lib/format-text'
import type { DrawingStep } from '../steps/image-steps.ts'
import { describeWeights, extraPixels, sizeBetween, weightOf } from '../steps/image-steps.ts'
import { megapixels } from './megapixels.ts'
import type { EncodingGoal } from './search.ts'
import { searchWork } from './search.ts'

/** The maximum pixels of one frame, and of all frames together (limits.media.2). */
export type PixelLimits = { maxFramePixels: number; maxSourcePixels: number }

/** The maximum sum of pixels × weight over all steps: 20 cheap operations on the largest still image. */
export const MAX_CHAIN_PIXELS = 2_000_000_000

// libvips allows this many pixels per side. A `cover` resize may have such a side, but does not store all pixels.
const MAX_COVERED_SIDE = 10_000_000

export function checkSource(source: Size & { frames: number }, limits: PixelLimits): void {
  const pixels = source.width * source.height
  const size = `${source.width} × ${source.height} pixels`
  if (pixels > limits.maxFramePixels) {
    throw new RequestFailure(
      'processing_failed',
      `The source image is ${size} (${megapixels(pixels)}); the limit is ${megapixels(limits.maxFramePixels)}.`,
    )
  }
  if (pixels * source.frames > limits.maxSourcePixels) {
    throw new RequestFailure(
      'processing_failed',
      `The source image has ${source.frames} frames of ${size} (${megapixels(pixels * source.frames)} together); the limit is ${megapixels(limits.maxSourcePixels)}.`,
    )
  }
}

export function checkMark(mark: Size, limits: PixelLimits, operation: number): void {
  const pixels = mark.width * mark.height
  if (pixels <= limits.maxFramePixels) return
  throw new RequestFailure(
    'processing_failed',
    `The watermark image is ${mark.width} × ${mark.height} pixels (${megapixels(pixels)}); the limit is ${megapixels(limits.maxFramePixels)}.`,
    { operation },
  )
}

export function checkOutput(size: Size, format: ImageOutputFormat, operation: number | undefined): void {
  const side = Math.max(size.width, size.height)
  const { maxSide } = OUTPUT.image[format]
  if (side <= maxSide) return
  throw new RequestFailure(
    'processing_failed',
    `The result would be ${size.width} × ${size.height} pixels; ${format === 'avif' ? 'an' : 'a'} ${format} file holds at most ${maxSide.toLocaleString('en')} per side. Make it smaller or choose another output.format.`,
    { operation },
  )
}

type Spending = {
  step: DrawingStep
  before: Size
  after: Size
  operation: number
  type: string
  frames: number
}

export class PixelBudget {
  readonly #limits: PixelLimits
  readonly #marks: ReadonlyMap<string, Size>
  #spent = 0

  constructor(limits: PixelLimits, marks: ReadonlyMap<string, Size>) {
    this.#limits = limits
    this.#marks = marks
  }

  spend({ step, before, after, operation, type, frames }: Spending): void {
    const reject = (problem: string) =>
      new RequestFailure('processing_failed', `operations[${operation}] (${type}) ${problem}`, { operation })
    const { maxFramePixels, maxSourcePixels } = this.#limits
    const pixels = after.width * after.height
    const size = `${after.width} × ${after.height} pixels`
    if (pixels > maxFramePixels) {
      throw reject(
        `would make an image of ${size} (${megapixels(pixels)}); the limit is ${megapixels(maxFramePixels)}.`,
      )
    }
    if (pixels * frames > maxSourcePixels) {
      const all = megapixels(pixels * frames)
      throw reject(`would make ${frames} frames of ${size} (${all}); the limit is ${megapixels(maxSourcePixels)}.`)
    }
    const covered = sizeBetween(step, before)
    if (Math.max(covered.width, covered.height) > MAX_COVERED_SIDE) {
      const enlarged = `${covered.width} × ${covered.height} pixels`
      throw reject(
        `would enlarge the image to ${enlarged} before trimming it; the limit is ${MAX_COVERED_SIDE} per side.`,
      )
    }
    this.#spent += (weightOf(step) * pixels + extraPixels(step, after, this.#marks)) * frames
    if (this.#spent > MAX_CHAIN_PIXELS) {
      throw reject(
        `brings the work of all operations to ${megapixels(this.#spent)} (${describeWeights()}); the limit is ${megapixels(MAX_CHAIN_PIXELS)}. Use fewer operations, smaller images, or a wider tile spacing.`,
      )
    }
  }

  spendOutput(size: Size, frames: number, output: EncodingGoal & { format: ImageOutputFormat }): void {
    const first = OUTPUT.image[output.format].weight * size.width * size.height * frames
    const more = searchWork(size, frames, output)
    this.#spent += first + more
    if (this.#spent <= MAX_CHAIN_PIXELS) return
    const writing = `Writing ${size.width} × ${size.height} pixels in ${formatCount(frames, 'frame')} as ${output.format}`
    const search = more > 0 ? `, and the search for max_bytes or quality "auto" needs ${megapixels(more)}` : ''
    throw new RequestFailure(
      'processing_failed',
      `This request needs ${megapixels(this.#spent)} of work; the limit is ${megapixels(MAX_CHAIN_PIXELS)}. ${writing} needs ${megapixels(first)}${search}. Use fewer operations, a smaller image, or another output.format.`,
    )
  }
}
