import { failureOfOutput } from '@mediamill/contract/domain/errors'
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
import type { EncodingGoal } from './search.ts'

export type ImageSource = ImageFrame & { format: ImageSourceFormat; frames: number }

export type PlannedStep = { step: DrawingStep; operation: number; before: Size; after: Size }

export type ImagePlan = {
  steps: PlannedStep[]
  size: Size
  /** The number of frames to process: all if the result is animated, otherwise 1. */
  frames: number
  format: ImageOutputFormat
  /**
   * The quality of the output, or else of the last `compress` or `thumbnail`. If `undefined`, the encoder's default
   * applies.
   */
  quality: number | undefined
}

type PlanOptions = {
  format: ImageOutputFormat
  limits: PixelLimits
  marks?: ReadonlyMap<string, Size>
}

type OutputToPlan = {
  name: string
  operations: readonly OperationInput[]
  format: ImageOutputFormat
} & EncodingGoal

/** The plans of several outputs. Each plan starts with the `sharedSteps` steps of the request itself. */
export type OutputsPlan = { outputs: (ImagePlan & { name: string })[]; sharedSteps: number }

/** Plans the steps and sizes. Throws `RequestFailure` for every error that does not depend on the pixels. */
export function planImage(operations: readonly OperationInput[], source: ImageSource, options: PlanOptions): ImagePlan {
  checkSource(source, options.limits)
  const budget = new PixelBudget(options.limits, options.marks ?? new Map())
  const frames = framesOf(source, options.format)
  return planEnd(planSteps(operations, startOf(source), { budget, frames }), { ...options, budget, frames })
}

export function planOutputs(
  operations: readonly OperationInput[],
  outputs: readonly OutputToPlan[],
  source: ImageSource,
  { limits, marks = new Map() }: Omit<PlanOptions, 'format'>,
): OutputsPlan {
  checkSource(source, limits)
  const budget = new PixelBudget(limits, marks)
  const allFrames = Math.max(...outputs.map(({ format }) => framesOf(source, format)))
  const shared = planSteps(operations, startOf(source), { budget, frames: allFrames })
  const planned = outputs.map(({ name, operations: own, format, ...goal }) =>
    ofOutput(name, () => {
      const frames = framesOf(source, format)
      const plan = planEnd(planSteps(own, shared, { budget, frames }), { format, budget, frames, goal })
      return { ...plan, name, quality: typeof goal.quality === 'number' ? goal.quality : plan.quality }
    }),
  )
  return { outputs: planned, sharedSteps: shared.steps.length }
}

function ofOutput<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw failureOfOutput(name, error)
  }
}

type Planned = { steps: readonly PlannedStep[]; frame: ImageFrame; quality: number | undefined; last?: number }

const startOf = (source: ImageSource): Planned => ({ steps: [], frame: source, quality: undefined })

function planSteps(
  operations: readonly OperationInput[],
  start: Planned,
  { budget, frames }: { budget: PixelBudget; frames: number },
): Planned {
  const steps = [...start.steps]
  let { frame, quality } = start
  let last: number | undefined
  operations.forEach((input, operation) => {
    for (const step of instructionsOf(input, { frame, operation }, (found) => found.image)) {
      if (step.step === 'encode') {
        quality = step.quality
        continue
      }
      for (const drawing of step.step === 'orient' ? upright(frame.orientation) : [step]) {
        const planned = { step: drawing, operation, before: sizeOf(frame), after: sizeAfter(drawing, frame) }
        budget.spend({ ...planned, type: input.type, frames })
        steps.push(planned)
        frame = { ...frame, ...planned.after }
        last = operation
      }
      if (step.step === 'orient') frame = { ...frame, orientation: 1 }
    }
  })
  return { steps, frame, quality, ...(last !== undefined && { last }) }
}

function planEnd(
  { steps, frame, quality, last }: Planned,
  {
    format,
    budget,
    frames,
    goal,
  }: { format: ImageOutputFormat; budget: PixelBudget; frames: number; goal?: EncodingGoal },
): ImagePlan {
  checkOutput(frame, format, last)
  budget.spendOutput(frame, frames, { ...goal, format })
  return { steps: [...steps], size: sizeOf(frame), frames, format, quality }
}

/** Returns the number of frames to process: all for gif and webp (images.process.3). Pages of a TIFF are not frames. */
const framesOf = (source: ImageSource, format: ImageOutputFormat) => (staysAnimated(source, format) ? source.frames : 1)

const staysAnimated = (source: ImageSource, format: ImageOutputFormat) =>
  source.frames > 1 && (source.format === 'GIF' || source.format === 'WEBP') && OUTPUT.image[format].animated

const sizeOf = ({ width, height }: Size): Size => ({ width, height })
