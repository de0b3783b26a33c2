import { geometryStep } from './step.ts'

/** Mirrors the frame left to right, top to bottom, or both. */
export type FlipStep = { step: 'flip'; horizontal: boolean; vertical: boolean }

export const flip = geometryStep<FlipStep>({
  weight: 1,
  sizeAfter: (_, { width, height }) => ({ width, height }),
})
