import { applyTones } from '../pixels/tones.ts'
import { pixelStep } from './step.ts'

type TonesStep = { step: 'tones'; table: Uint8Array }

export const tones = pixelStep<TonesStep>({
  weight: 1,
  prepare:
    ({ table }) =>
    (frame) => {
      applyTones(frame, table)
      return frame
    },
})
