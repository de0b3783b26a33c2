import { geometryStep } from './step.ts'

/** Keeps a part of the frame. */
export type ExtractStep = { step: 'extract'; left: number; top: number; width: number; height: number }

export const extract = geometryStep<ExtractStep>({
  weight: 1,
  sizeAfter: ({ width, height }) => ({ width, height }),
})
