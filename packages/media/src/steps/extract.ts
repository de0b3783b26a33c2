import { geometryStep } from './step.ts'

type ExtractStep = { step: 'extract'; left: number; top: number; width: number; height: number }

export const extract = geometryStep<ExtractStep>({
  weight: 1,
  sizeAfter: ({ width, height }) => ({ width, height }),
})
