import { turnedSize } from '@mediamill/contract/drawing/sizes'
import { geometryStep } from './step.ts'

/** Rotates a frame clockwise, by more than 0 and less than 360 degrees. Enlarges it, except for quarter turns. */
export type TurnStep = { step: 'turn'; degrees: number }

export const turn = geometryStep<TurnStep>({
  weight: { times: 2, of: 'rotations other than quarter turns', where: ({ degrees }) => degrees % 90 !== 0 },
  sizeAfter: ({ degrees }, before) => turnedSize(before, degrees),
})
