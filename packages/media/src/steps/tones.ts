import type { RawImage } from '../pixels/raw-image.ts'
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

function applyTones({ data, channels }: RawImage, table: Uint8Array): void {
  for (let at = 0; at < data.length; at += channels) {
    data[at] = table[data[at] ?? 0] ?? 0
    data[at + 1] = table[data[at + 1] ?? 0] ?? 0
    data[at + 2] = table[data[at + 2] ?? 0] ?? 0
  }
}
