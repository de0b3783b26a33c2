import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { ImageOutputFormat } from '@mediamill/contract/domain/media'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import type { DrawingStep } from '../steps/image-steps.ts'
import { describeWeights, extraPixels, sizeBetween, weightOf } from '../steps/image-steps.ts'

/** Bounds in pixels, of one frame and of all frames together (rulings 9). */
export type PixelLimits = { maxFramePixels: number; maxSourcePixels: number }

/**
 * The most work that all steps of a request may be together. It is in pixels that they leave, each times its step's
 * weight.
 *
 * That is 20 cheap operations on the largest still picture, or 10 that count twice. Drawing that much took at most 32 s
 * of one processor, which leaves half of the deadline for reading and writing on a machine that is not busy with more.
 * It bounds long animations and copies of a watermark that overlap, too, whose cost the frame's size does not show.
 *
 * It is no promise that all it lets in ends in time: a gif of noise, one of hundreds of megapixels over all frames, and
 * any machine that is slower may take longer. Then the deadline ends the job, or the limit on its processor time.
 */
export const MAX_CHAIN_PIXELS = 2_000_000_000

// A resize that covers its box is computed lazily, but libvips counts at most this many pixels a side.
const MAX_COVERED_SIDE = 10_000_000

/** Refuses a source picture past the limits, by what its header says. */
export function checkSource(source: Size & { frames: number }, limits: PixelLimits): void {
  const pixels = source.width * source.height
  const size = `${source.width} × ${source.height} pixels`
  // wall: a source frame of any size
  if (pixels > limits.maxFramePixels) {
    throw new RequestFailure(
      'processing_failed',
      `The source picture is ${size} (${megapixels(pixels)}); at most ${megapixels(limits.maxFramePixels)} are processed.`,
    )
  }
  // wall: a source of any number of frames
  if (pixels * source.frames > limits.maxSourcePixels) {
    throw new RequestFailure(
      'processing_failed',
      `The source picture has ${source.frames} frames of ${size} (${megapixels(pixels * source.frames)} together); at most ${megapixels(limits.maxSourcePixels)} are processed.`,
    )
  }
}

/** Refuses a watermark image past the limit of a frame, by what its header says. */
export function checkMark(mark: Size, limits: PixelLimits, operation: number): void {
  const pixels = mark.width * mark.height
  // wall: a watermark of any size
  if (pixels <= limits.maxFramePixels) return
  throw new RequestFailure(
    'processing_failed',
    `The watermark image is ${mark.width} × ${mark.height} pixels (${megapixels(pixels)}); at most ${megapixels(limits.maxFramePixels)} are processed.`,
    { operation },
  )
}

/** Refuses a result that its format cannot hold (rulings 14). */
export function checkOutput(size: Size, format: ImageOutputFormat, operation: number | undefined): void {
  const side = Math.max(size.width, size.height)
  const { maxSide } = OUTPUT.image[format]
  // wall: a result that its format cannot hold
  if (side <= maxSide) return
  throw new RequestFailure(
    'processing_failed',
    `The result would be ${size.width} × ${size.height} pixels; a ${format} file holds at most ${maxSide.toLocaleString('en')} a side. Make it smaller or choose another output.format.`,
    operation === undefined ? {} : { operation },
  )
}

/** A step with the frame's size before and after it, and the operation it belongs to. */
type Spending = { step: DrawingStep; before: Size; after: Size; operation: number; type: string }

/** Counts the pixels of a request's steps and refuses the step past a limit. */
export class PixelBudget {
  readonly #frames: number
  readonly #limits: PixelLimits
  readonly #marks: ReadonlyMap<string, Size>
  #spent = 0

  constructor(frames: number, limits: PixelLimits, marks: ReadonlyMap<string, Size>) {
    this.#frames = frames
    this.#limits = limits
    this.#marks = marks
  }

  /** Takes what a step costs; throws `RequestFailure` with the operation's index when it is too much. */
  spend({ step, before, after, operation, type }: Spending): void {
    const refuse = (problem: string) =>
      new RequestFailure('processing_failed', `operations[${operation}] (${type}) ${problem}`, { operation })
    const { maxFramePixels, maxSourcePixels } = this.#limits
    const pixels = after.width * after.height
    const size = `${after.width} × ${after.height} pixels`
    // wall: an operation that makes a huge frame
    if (pixels > maxFramePixels) {
      throw refuse(
        `would make a picture of ${size} (${megapixels(pixels)}); the limit is ${megapixels(maxFramePixels)}.`,
      )
    }
    // wall: an operation that makes many large frames
    if (pixels * this.#frames > maxSourcePixels) {
      const all = megapixels(pixels * this.#frames)
      throw refuse(
        `would make ${this.#frames} frames of ${size} (${all}); the limit is ${megapixels(maxSourcePixels)}.`,
      )
    }
    const covered = sizeBetween(step, before)
    // wall: a crop of what was enlarged beyond measure
    if (Math.max(covered.width, covered.height) > MAX_COVERED_SIDE) {
      const enlarged = `${covered.width} × ${covered.height} pixels`
      throw refuse(
        `would enlarge the picture to ${enlarged} before trimming it; the limit is ${MAX_COVERED_SIDE} a side.`,
      )
    }
    this.#spent += (weightOf(step) * pixels + extraPixels(step, after, this.#marks)) * this.#frames
    // wall: operations that are too much together
    if (this.#spent > MAX_CHAIN_PIXELS) {
      throw refuse(
        `brings the work of all operations to ${megapixels(this.#spent)} (${describeWeights()}); the limit is ${megapixels(MAX_CHAIN_PIXELS)}. Use fewer operations, smaller pictures or a wider tile spacing.`,
      )
    }
  }

  /** Takes what writing the result costs, where that is dear; throws `RequestFailure` when it is too much. */
  spendOutput(size: Size, format: ImageOutputFormat): void {
    const { weight } = OUTPUT.image[format]
    const work = this.#spent + weight * size.width * size.height * this.#frames
    if (work <= MAX_CHAIN_PIXELS) return
    throw new RequestFailure(
      'processing_failed',
      `Writing a ${format} of ${size.width} × ${size.height} pixels in ${this.#frames} frames brings the work of this request to ${megapixels(work)} (it counts ${weight} times); the limit is ${megapixels(MAX_CHAIN_PIXELS)}. Use fewer operations, a smaller picture or another output.format.`,
    )
  }
}

/** `12.5 megapixels`, rounded up: what is a little past a limit must not read as the limit. */
const megapixels = (pixels: number) => `${Math.ceil(pixels / 10_000) / 100} megapixels`
