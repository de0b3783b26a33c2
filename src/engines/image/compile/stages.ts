import type { Rgba } from '../../../domain/color.ts'
import type { Size } from '../../../domain/size.ts'
import { fitOutside } from '../../../media/drawing/fit-size.ts'
import type { DrawingStep } from '../../../media/drawing/image-steps.ts'
import type { PlannedStep } from '../../../media/plan/image.ts'

export type Rectangle = { left: number; top: number; width: number; height: number }
export type Margins = { top: number; bottom: number; left: number; right: number; color: Rgba }

/**
 * What one run of sharp does, in the order in which sharp itself does it, whatever the order of the calls
 * (sharp 0.35, `pipeline.cc`): extract, resize, mirror, turn, crop, extend.
 */
export type Pipeline = {
  extract: Rectangle | undefined
  resize: Size | undefined
  /** Mirrored left to right before it is turned. */
  mirror: boolean
  /** Degrees clockwise, 0 to 359. */
  turn: number
  /** Only after a resize, as sharp takes any other as `extract`; and without `extend`. */
  crop: Rectangle | undefined
  extend: Margins | undefined
}

/** Steps that the engine draws into raw pixels itself. */
export type InPlaceStep = Extract<DrawingStep, { step: 'matrix' | 'tones' | 'look' | 'blend' | 'lines' | 'cutout' }>

export type Stage =
  | { kind: 'pipeline'; pipeline: Pipeline }
  | { kind: 'in place'; step: InPlaceStep; operation: number }

/** A pipeline that leaves the picture as it is: what decodes and encodes without drawing. */
export const PASS_THROUGH: Pipeline = {
  extract: undefined,
  resize: undefined,
  mirror: false,
  turn: 0,
  crop: undefined,
  extend: undefined,
}

/** Folds planned steps into the fewest stages that keep their order. */
export function foldSteps(steps: readonly PlannedStep[]): Stage[] {
  const stages: Stage[] = []
  for (const planned of steps) {
    const { step, before, operation } = planned
    switch (step.step) {
      case 'matrix':
      case 'tones':
      case 'look':
      case 'blend':
      case 'lines':
      case 'cutout':
        stages.push({ kind: 'in place', step, operation })
        break
      case 'resize':
      case 'extract':
      case 'extend':
      case 'turn':
      case 'flip': {
        const last = stages.at(-1)
        const folded = last?.kind === 'pipeline' ? fold(last.pipeline, step, before) : undefined
        if (folded !== undefined) stages.pop()
        const pipeline = folded ?? fold(PASS_THROUGH, step, before)
        if (pipeline === undefined) throw new RangeError(`a ${step.step} fits no pipeline`)
        stages.push({ kind: 'pipeline', pipeline })
      }
    }
  }
  return stages
}

/** The pipeline that does `step` after everything it did before, or `undefined` when sharp's order forbids it. */
function fold(pipeline: Pipeline, step: Exclude<DrawingStep, InPlaceStep>, before: Size): Pipeline | undefined {
  if (pipeline.extend !== undefined) return undefined
  switch (step.step) {
    case 'extend':
      return foldExtend(pipeline, step)
    case 'flip':
    case 'turn':
      return pipeline.crop === undefined ? foldTurn(pipeline, step) : undefined
    case 'resize':
      return foldResize(pipeline, step, before)
    case 'extract':
      return foldExtract(pipeline, step, before)
  }
}

function foldExtend(pipeline: Pipeline, step: Extract<DrawingStep, { step: 'extend' }>): Pipeline | undefined {
  // sharp draws a border after a crop, but then reports the size without it. After a resize its colour goes through
  // premultiplied bytes as the picture's does, and what is see-through comes back darker.
  const losesColor = pipeline.resize !== undefined && step.color.alpha < 255
  return pipeline.crop === undefined && !losesColor ? { ...pipeline, extend: step } : undefined
}

const isQuarter = (degrees: number) => degrees % 90 === 0

function foldTurn(pipeline: Pipeline, step: Extract<DrawingStep, { step: 'flip' | 'turn' }>): Pipeline | undefined {
  if (!isQuarter(pipeline.turn)) return undefined
  if (step.step === 'turn') {
    // sharp holds one angle: another one is only added to where both are quarter turns.
    if (pipeline.turn !== 0 && !isQuarter(step.degrees)) return undefined
    // After a resize the pixels are premultiplied, and libvips' rotate does so again: edges would glow.
    if (pipeline.resize !== undefined && !isQuarter(step.degrees)) return undefined
    return { ...pipeline, turn: (pipeline.turn + step.degrees) % 360 }
  }
  // A mirror after a turn is a mirror before the opposite turn; top to bottom is left to right and half a turn.
  let { mirror, turn } = pipeline
  if (step.horizontal) [mirror, turn] = [!mirror, (360 - turn) % 360]
  if (step.vertical) [mirror, turn] = [!mirror, (540 - turn) % 360]
  return { ...pipeline, mirror, turn }
}

function foldResize(
  pipeline: Pipeline,
  step: Extract<DrawingStep, { step: 'resize' }>,
  before: Size,
): Pipeline | undefined {
  if (pipeline.resize !== undefined || !isQuarter(pipeline.turn)) return undefined
  const to = step.fit === 'cover' ? fitOutside(before, step.to) : step.to
  const enlarges = to.width > before.width || to.height > before.height
  if (enlarges && (pipeline.mirror || pipeline.turn !== 0)) return undefined
  // Shrinking first gives the same picture as turning first, from fewer pixels, and lets JPEG and WebP shrink on load.
  // Enlarging does not: libvips lays its new pixels half a step to one side.
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

/** What is left of a pipeline whose extract and resize are done. */
export function afterResize(pipeline: Pipeline): Pipeline {
  const { resize, turn, crop } = pipeline
  const rest = { ...pipeline, extract: undefined, resize: undefined, crop: undefined }
  if (resize === undefined || crop === undefined) return rest
  const turned = turn % 180 === 0 ? resize : { width: resize.height, height: resize.width }
  // Without its resize the crop is an extract, which sharp does before it turns.
  return { ...rest, extract: beforeTurning(crop, turned, pipeline) }
}

/** Where a part of a turned and mirrored frame of size `frame` lay before: so an extract can come first. */
function beforeTurning(part: Rectangle, frame: Size, { mirror, turn }: Pipeline): Rectangle {
  let { left, top, width, height } = part
  let size = frame
  for (let undone = 0; undone < turn; undone += 90) {
    // One quarter turn back, counterclockwise.
    ;[left, top, width, height] = [top, size.width - left - width, height, width]
    size = { width: size.height, height: size.width }
  }
  return { left: mirror ? size.width - left - width : left, top, width, height }
}
