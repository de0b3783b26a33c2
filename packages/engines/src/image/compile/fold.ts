import type { Size } from '@mediamill/contract/domain/size'
import { fitOutside } from '@mediamill/contract/drawing/fit-size'
import type { ExtendStep } from '@mediamill/media/steps/extend'
import type { FlipStep } from '@mediamill/media/steps/flip'
import type { GeometryName, StepNamed } from '@mediamill/media/steps/image-steps'
import type { ResizeStep } from '@mediamill/media/steps/resize'
import type { TurnStep } from '@mediamill/media/steps/turn'
import type { Pipeline, Rectangle } from './pipeline.ts'
import { beforeTurning } from './pipeline.ts'

type Fold<Step> = (pipeline: Pipeline, step: Step, before: Size) => Pipeline | undefined

const FOLDS: { [Name in GeometryName]: Fold<StepNamed<Name>> } = {
  extend: foldExtend,
  extract: foldExtract,
  flip: foldFlip,
  resize: foldResize,
  turn: foldTurn,
}

/** Adds `step` to the end of a pipeline. Returns `undefined` if sharp's fixed order does not allow the step there. */
export function fold<Name extends GeometryName>(
  pipeline: Pipeline,
  step: StepNamed<Name> & { step: Name },
  before: Size,
): Pipeline | undefined {
  return pipeline.extend === undefined ? FOLDS[step.step](pipeline, step, before) : undefined
}

function foldExtend(pipeline: Pipeline, step: ExtendStep): Pipeline | undefined {
  // sharp draws a border after a crop, but reports the size without it. After a resize, it premultiplies the border's
  // color again, so a transparent border becomes darker.
  const losesColor = pipeline.resize !== undefined && step.color.alpha < 255
  return pipeline.crop === undefined && !losesColor ? { ...pipeline, extend: step } : undefined
}

const isQuarter = (degrees: number) => degrees % 90 === 0

function foldTurn(pipeline: Pipeline, { degrees }: TurnStep): Pipeline | undefined {
  if (pipeline.crop !== undefined || !isQuarter(pipeline.turn)) return undefined
  // sharp supports one angle per run. Only quarter turns can be added up.
  if (pipeline.turn !== 0 && !isQuarter(degrees)) return undefined
  // After a resize the pixels are premultiplied. libvips' rotate premultiplies them again, so edges would glow.
  if (pipeline.resize !== undefined && !isQuarter(degrees)) return undefined
  return { ...pipeline, turn: (pipeline.turn + degrees) % 360 }
}

function foldFlip(pipeline: Pipeline, { horizontal, vertical }: FlipStep): Pipeline | undefined {
  if (pipeline.crop !== undefined || !isQuarter(pipeline.turn)) return undefined
  // A flip after a rotation equals a flip before the opposite one. A vertical flip is a horizontal one and a half turn.
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
  // Shrinking before the rotation needs fewer pixels, and JPEG and WebP shrink while decoding.
  // Enlarging is different: libvips places new pixels half a step to one side.
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
