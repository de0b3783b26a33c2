import type { Size } from '@mediamill/contract/domain/size'
import { fitOutside } from '@mediamill/contract/drawing/sizes'
import { geometryStep } from './step.ts'

/** Resizes a frame to `to`. `fill` stretches it. `cover` keeps the aspect ratio, and trims both sides equally. */
export type ResizeStep = { step: 'resize'; to: Size; fit: 'fill' | 'cover' }

export const resize = geometryStep<ResizeStep>({
  weight: { times: 2, of: 'resizes' },
  sizeAfter: ({ to }) => to,
  sizeBetween: ({ to, fit }, before) => (fit === 'cover' ? fitOutside(before, to) : to),
})
