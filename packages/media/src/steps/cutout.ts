import { cutOut } from '../pixels/cutout.ts'
import { pixelStep } from './step.ts'

/** Makes the color of the top-left pixel transparent. `tolerance` is 0 to 1. Edges fade over `blur` pixels. */
type CutoutStep = { step: 'cutout'; tolerance: number; blur: number }

// A second cutout is cheap, because the top-left pixel is already transparent.
export const cutout = pixelStep<CutoutStep>({
  weight: { times: 2, of: 'cutouts' },
  prepare:
    ({ tolerance, blur }) =>
    (frame) =>
      cutOut(frame, tolerance, blur),
})
