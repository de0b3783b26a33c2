import { applyTones } from '../pixels/tones.ts'
import { pixelStep } from './step.ts'

/** Maps each of the 256 values of red, green, and blue. Keeps alpha. */
export type TonesStep = { step: 'tones'; table: Uint8Array }

export const tones = pixelStep<TonesStep>({
  weight: 1,
  prepare:
    ({ table }) =>
    (frame) => {
      applyTones(frame, table)
      return frame
    },
})
