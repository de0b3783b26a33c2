import { geometryStep } from './step.ts'

export type FlipStep = { step: 'flip'; horizontal: boolean; vertical: boolean }

export const flip = geometryStep<FlipStep>({
  weight: 1,
  sizeAfter: (_, { width, height }) => ({ width, height }),
})
