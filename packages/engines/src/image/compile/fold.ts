import type { Size } from '@mediamill/contract/domain/size'
import { fitOutside } from '@mediamill/contract/drawing/sizes'
import type { PlannedStep } from '@mediamill/media/plan/image'
import type { ExtendStep } from '@mediamill/media/steps/extend'
import type { FlipStep } from '@mediamill/media/steps/flip'
import type { GeometryName, PixelStep, StepNamed } from '@mediamill/media/steps/image-steps'
import { isPixelStep } from '@mediamill/media/steps/image-steps'
import type { ResizeStep } from '@mediamill/media/steps/resize'
import type { TurnStep } from '@mediamill/media/steps/turn'
import type { Pipeline, Rectangle } from './pipeline.ts'
import { beforeTurning, PASS_THROUGH } from './pipeline.ts'

type Fold<Step> = (pipeline: Pipeline, step: Step, before: Size) => Pipeline | undefined

const FOLDS: { [Name in GeometryName]: Fold<StepNamed<Name>> } = {
  extend: foldExtend,
  extract: foldExtract,
  flip: foldFlip,
  resize: foldResize,
  turn: foldTurn,
}

/** Adds a step to a pipeline. Returns `undefined` if the step does not fit into sharp's fixed order. */
function fold<Name extends GeometryName>(
  pipeline: Pipeline,
  step: StepNamed<Name> & { step: Name },
  before: Size,
): Pipeline | undefined {
  return pipeline.extend === undefined ? FOLDS[step.step](pipeline, step, before) : undefined
}

function foldExtend(pipeline: Pipeline, step: ExtendStep): Pipeline | undefined {
  // After a crop, sharp reports the size without the border. After a resize, it darkens a transparent border's color.
  const losesColor = pipeline.resize !== undefined && step.color.alpha < 255
  return pipeline.crop === undefined && !losesColor ? { ...pipeline, extend: step } : undefined
}

const isQuarter = (degrees: number) => degrees % 90 === 0

function foldTurn(pipeline: Pipeline, { degrees }: TurnStep, before: Size): Pipeline | undefined {
  if (pipeline.crop !== undefined || !isQuarter(pipeline.turn)) return undefined
  if (pipeline.turn !== 0 && !isQuarter(degrees)) return undefined
  // After a resize, pixels are premultiplied. For a rotation, libvips would premultiply again: edges become bright.
  if (pipeline.resize !== undefined && !isQuarter(degrees)) return undefined
  const sizeBeforeTurn = isQuarter(degrees) ? undefined : before
  return { ...pipeline, turn: (pipeline.turn + degrees) % 360, sizeBeforeTurn }
}

function foldFlip(pipeline: Pipeline, { horizontal, vertical }: FlipStep): Pipeline | undefined {
  if (pipeline.crop !== undefined || !isQuarter(pipeline.turn)) return undefined
  // A flip after a rotation equals a flip before the opposite rotation. A vertical flip is a horizontal flip and 180°.
  let { mirror, turn } = pipeline
  if (horizontal) [mirror, turn] = [!mirror, (360 - turn) % 360]
  if (vertical) [mirror, turn] = [!mirror, (540 - turn) % 360]
  return { ...pipeline, mirror, turn }
}

function foldResize(pipeline: Pipeline, step: ResizeStep, before: Size): Pipeline | undefined {
  if (pipeline.resize !== undefined || !isQuarter(pipeline.turn)) return undefined
  const to = step.fit === 'cover' ? fitOutside(before, step.to) : step.to
  const enlarges = to.width > before.width || to.height > before.height
  if (enlarges && (pipeline.mirror || pipeline.turn !== 0)) return undefined
  // Shrinking first leaves fewer pixels to rotate, and JPEG and WebP shrink while they are decoded. Enlarging stays
  // last, because libvips moves new pixels by half a pixel.
  const resize = pipeline.turn % 180 === 0 ? to : { width: to.height, height: to.width }
  if (to.width === step.to.width && to.height === step.to.height) return { ...pipeline, resize }
  const left = Math.floor((to.width - step.to.width) / 2)
  const top = Math.floor((to.height - step.to.height) / 2)
  return { ...pipeline, resize, crop: { left, top, ...step.to } }
}

function foldExtract(pipeline: Pipeline, part: Rectangle, before: Size): Pipeline | undefined {
  const { left, top, width, height } = part
  const within = (outer: Rectangle | undefined) => ({
    left: left + (outer?.left ?? 0),
    top: top + (outer?.top ?? 0),
    width,
    height,
  })
  if (pipeline.resize !== undefined) return { ...pipeline, crop: within(pipeline.crop) }
  if (!isQuarter(pipeline.turn)) return undefined
  const unturned = beforeTurning(part, before, pipeline)
  const outer = pipeline.extract
  return {
    ...pipeline,
    extract: { ...unturned, left: unturned.left + (outer?.left ?? 0), top: unturned.top + (outer?.top ?? 0) },
  }
}

export type Stage = { kind: 'pipeline'; pipeline: Pipeline } | { kind: 'in place'; step: PixelStep; operation: number }

export function foldSteps(steps: readonly PlannedStep[]): Stage[] {
  const stages: Stage[] = []
  for (const { step, before, operation } of steps) {
    if (isPixelStep(step)) {
      stages.push({ kind: 'in place', step, operation })
      continue
    }
    const last = stages.at(-1)
    const folded = last?.kind === 'pipeline' ? fold(last.pipeline, step, before) : undefined
    if (folded !== undefined) stages.pop()
    const pipeline = folded ?? fold(PASS_THROUGH, step, before)
    if (pipeline === undefined) throw new RangeError(`no pipeline supports the step ${step.step}`)
    stages.push({ kind: 'pipeline', pipeline })
  }
  return stages
}
