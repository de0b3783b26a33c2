import { cutOut } from '../pixels/cutout.ts'
import { pixelStep } from './step.ts'

/**
 * Makes the color of the top-left pixel and similar colors transparent. The tolerance is 0 to 1, and the edge fades
 * over `blur` pixels.
 */
export type CutoutStep = { step: 'cutout'; tolerance: number; blur: number }

// A second cutout is cheap: its corner is already transparent.
export const cutout = pixelStep<CutoutStep>({
  weight: { times: 2, of: 'cutouts' },
  prepare:
    ({ tolerance, blur }) =>
    (frame) =>
      cutOut(frame, tolerance, blur),
})
