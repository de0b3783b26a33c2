import type { Size } from '@mediamill/contract/domain/size'
import { fitOutside } from '@mediamill/contract/drawing/fit-size'
import { geometryStep } from './step.ts'

/** `fill` takes the whole frame to exactly `to`. `cover` keeps its proportions and trims what sticks out, centered. */
export type ResizeStep = { step: 'resize'; to: Size; fit: 'fill' | 'cover' }

// 2.8 s of a processor for each 100 megapixels.
export const resize = geometryStep<ResizeStep>({
  weight: { times: 2, of: 'resizes' },
  sizeAfter: ({ to }) => to,
  sizeBetween: ({ to, fit }, before) => (fit === 'cover' ? fitOutside(before, to) : to),
})
