import { cutOut } from '../pixels/cutout.ts'
import { pixelStep } from './step.ts'

/**
 * Makes the top-left pixel's colour and what is near it transparent. The tolerance is 0 to 1, and the edge fades over
 * `blur` pixels.
 */
export type CutoutStep = { step: 'cutout'; tolerance: number; blur: number }

// A product on a ground (12 megapixels, by itself) takes 2.5 to 3.1 s of a processor and with blur 3.7 to 4.2 s, a busy
// photograph up to 13 s; but a second cutout finds its corner cut already.
export const cutout = pixelStep<CutoutStep>({
  weight: { times: 2, of: 'cutouts' },
  prepare:
    ({ tolerance, blur }) =>
    (frame) =>
      cutOut(frame, tolerance, blur),
})
