import type { Size } from '@mediamill/contract/domain/size'
import type { PlacedWatermark } from '@mediamill/contract/drawing/overlays'
import { blendMark } from '../pixels/blend.ts'
import { pixelStep } from './step.ts'

/** A watermark image drawn over the frame. */
export type BlendStep = { step: 'blend' } & PlacedWatermark

export const blend = pixelStep<BlendStep>({
  weight: 1,
  isCover: true,
  extraPixels: overlapPixels,
  async prepare(step, { watermark }) {
    const mark = await watermark(step.assetUrl)
    return (frame) => {
      blendMark(frame, mark, step)
      return frame
    }
  },
})

/**
 * Counts pixels drawn more than once where tiled copies overlap.
 *
 * Whole steps cost nothing extra: the engine merges such copies into one sheet first. Copies at fractions of a pixel
 * have to be drawn one by one.
 */
function overlapPixels(step: BlendStep, frame: Size, watermarks: ReadonlyMap<string, Size>): number {
  const mark = watermarks.get(step.assetUrl)
  if (mark === undefined) return 0
  const whole = Number.isInteger(step.stepX ?? 1) && Number.isInteger(step.stepY ?? 1)
  // wall: copies laid over each other
  if (whole) return 0
  const layers = (side: number, stepPixels: number | undefined) =>
    stepPixels === undefined ? 1 : Math.ceil(side / stepPixels)
  return (layers(mark.width, step.stepX) * layers(mark.height, step.stepY) - 1) * frame.width * frame.height
}
