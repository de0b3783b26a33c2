import type { Size } from '@mediamill/contract/domain/size'
import type { PlacedWatermark } from '@mediamill/contract/drawing/overlays'
import { anchorWatermark, watermarkSize } from '@mediamill/contract/drawing/overlays'
import { blendMark } from '../pixels/blend.ts'
import { pixelStep } from './step.ts'

type BlendStep = { step: 'blend' } & PlacedWatermark

export const blend = pixelStep<BlendStep>({
  weight: 1,
  isCover: true,
  extraPixels: overlapPixels,
  async prepare(step, { frame: size, watermark }) {
    const mark = await watermark(step)
    const placement = anchorWatermark(step, size, mark)
    return (frame) => {
      blendMark(frame, mark, placement)
      return frame
    }
  },
})

/** Counts the pixels that overlapping copies draw again: none at whole-pixel steps, where copies are merged. */
function overlapPixels(step: BlendStep, frame: Size, watermarks: ReadonlyMap<string, Size>): number {
  const stored = watermarks.get(step.assetUrl)
  if (stored === undefined) return 0
  const mark = watermarkSize(step.scale, frame, stored)
  const whole = Number.isInteger(step.stepX ?? 1) && Number.isInteger(step.stepY ?? 1)
  if (whole) return 0
  const layers = (side: number, stepPixels: number | undefined) =>
    stepPixels === undefined ? 1 : Math.ceil(side / stepPixels)
  return (layers(mark.width, step.stepX) * layers(mark.height, step.stepY) - 1) * frame.width * frame.height
}
