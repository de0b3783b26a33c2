import type { LookName } from '@mediamill/contract/drawing/looks'
import { LOOKS } from '@mediamill/contract/drawing/looks'
import { applyLook, bakeLook } from '../pixels/look-table.ts'
import { pixelStep } from './step.ts'

type LookStep = { step: 'look'; name: LookName; strength: number }

export const look = pixelStep<LookStep>({
  weight: { times: 2, of: 'filters' },
  prepare({ name, strength }) {
    const table = bakeLook(LOOKS[name], strength)
    return (frame) => {
      applyLook(frame, table)
      return frame
    }
  },
})
