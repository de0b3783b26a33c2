import type { PlannedStep } from '@mediamill/media/plan/image'
import type { PixelStep } from '@mediamill/media/steps/image-steps'
import { isPixelStep } from '@mediamill/media/steps/image-steps'
import { fold } from './fold.ts'
import type { Pipeline } from './pipeline.ts'
import { PASS_THROUGH } from './pipeline.ts'

export type Stage =
  | { kind: 'pipeline'; pipeline: Pipeline }
  /** A step that the engine draws on raw pixels without sharp. */
  | { kind: 'in place'; step: PixelStep; operation: number }

/** Combines steps into as few stages as possible, in the same order. */
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
