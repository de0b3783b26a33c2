import type { Rgba } from '@mediamill/contract/domain/color'
import { geometryStep } from './step.ts'

export type ExtendStep = { step: 'extend'; top: number; bottom: number; left: number; right: number; color: Rgba }

export const extend = geometryStep<ExtendStep>({
  weight: 1,
  sizeAfter: ({ top, bottom, left, right }, { width, height }) => ({
    width: width + left + right,
    height: height + top + bottom,
  }),
})
