import type { ImageOutputFormat, ImageSourceFormat } from '@mediamill/contract/domain/media'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { ImageFrame, Size } from '@mediamill/contract/domain/size'
import type { OperationInput } from '@mediamill/contract/operations/schema'
import type { DrawingStep } from '../steps/image-steps.ts'
import { sizeAfter } from '../steps/image-steps.ts'
import { upright } from '../steps/orient.ts'
import type { PixelLimits } from './image-budget.ts'
import { checkOutput, checkSource, PixelBudget } from './image-budget.ts'
import { instructionsOf } from './instructions.ts'

/**
 * The facts of a picture's header. They are its size as stored, its frames, and the EXIF orientation still to be
 * applied.
 */
export type ImageSource = ImageFrame & { format: ImageSourceFormat; frames: number }

/** One thing to draw, its operation, and the sizes before and after it. */
export type PlannedStep = { step: DrawingStep; operation: number; before: Size; after: Size }

export type ImagePlan = {
  steps: PlannedStep[]
  /** The size of the result. */
  size: Size
  /** Frames that are worked on: all of an animation that stays one, else the first. */
  frames: number
  format: ImageOutputFormat
  /** What `compress` or `thumbnail` asked for last, 1 to 100; the encoder's default when missing. */
  quality: number | undefined
}

type PlanOptions = {
  format: ImageOutputFormat
  limits: PixelLimits
  /** Sizes of the watermark images by URL, where they are known: they bound what tiling costs. */
  marks?: ReadonlyMap<string, Size>
}

/**
 * Walks the operations with sizes only and says what the engine draws.
 *
 * Throws `RequestFailure` for whatever can be known before a pixel is decoded: a picture or an intermediate past a
 * limit, a crop with nothing left, a result its format cannot hold.
 */
export function planImage(operations: readonly OperationInput[], source: ImageSource, options: PlanOptions): ImagePlan {
  checkSource(source, options.limits)
  const frames = staysAnimated(source, options.format) ? source.frames : 1
  const budget = new PixelBudget(frames, options.limits, options.marks ?? new Map())
  const steps: PlannedStep[] = []
  let frame: ImageFrame = source
  let quality: number | undefined

  operations.forEach((input, operation) => {
    for (const step of instructionsOf(input, { frame, operation }, (found) => found.image)) {
      if (step.step === 'encode') {
        quality = step.quality
        continue
      }
      for (const drawing of step.step === 'orient' ? upright(frame.orientation) : [step]) {
        const planned = { step: drawing, operation, before: sizeOf(frame), after: sizeAfter(drawing, frame) }
        budget.spend({ ...planned, type: input.type })
        steps.push(planned)
        frame = { ...frame, ...planned.after }
      }
      if (step.step === 'orient') frame = { ...frame, orientation: 1 }
    }
  })

  checkOutput(frame, options.format, steps.at(-1)?.operation)
  budget.spendOutput(frame, options.format)
  return { steps, size: sizeOf(frame), frames, format: options.format, quality }
}

/** Rulings 15: animations stay animated in gif and webp; a TIFF's pages are no animation. */
const staysAnimated = (source: ImageSource, format: ImageOutputFormat) =>
  source.frames > 1 && (source.format === 'GIF' || source.format === 'WEBP') && OUTPUT.image[format].animated

const sizeOf = ({ width, height }: Size): Size => ({ width, height })
