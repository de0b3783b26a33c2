import type { Size } from '@mediamill/contract/domain/size'
import type { RawImage } from '../pixels/raw-image.ts'

/** The cost of a step: its CPU seconds per 100 megapixels, divided by 1.6 and rounded up. */
export type Weight<Step> =
  | 1
  | {
      times: number
      /** The plural name of the step for errors about the work limit, such as `resizes`. */
      of: string
      /** Whether the step has this weight. If not, its weight is 1. */
      where?: (step: Step) => boolean
    }

type Costs<Step> = { weight: Weight<Step> }

export type GeometryDeclaration<Step> = Costs<Step> & {
  kind: 'geometry'
  sizeAfter: (step: Step, before: Size) => Size
  /** The size between enlarging and trimming, if the step does both. */
  sizeBetween?: (step: Step, before: Size) => Size
}

export type PixelDeclaration<Step> = Costs<Step> & {
  kind: 'pixels'
  /** Whether the step never reads the colors below. If so, transparency can become white before or after the step. */
  isCover: boolean
  /** Returns the number of pixels drawn in addition to the frame. `watermarks` has the size of each image by URL. */
  extraPixels?: (step: Step, frame: Size, watermarks: ReadonlyMap<string, Size>) => number
  prepare: (step: Step, context: DrawingContext) => DrawFrame | Promise<DrawFrame>
}

export type DrawFrame = (frame: RawImage) => RawImage

export type DrawingContext = {
  frame: Size
  /** Returns a watermark image's pixels in 4 channels, resized to `scale` percent of the frame if `scale` is set. */
  watermark: (placed: { assetUrl: string; scale?: number | undefined }) => Promise<RawImage>
}

export const geometryStep = <Step>(declared: Omit<GeometryDeclaration<Step>, 'kind'>): GeometryDeclaration<Step> => ({
  kind: 'geometry',
  ...declared,
})

export const pixelStep = <Step>(
  declared: Omit<PixelDeclaration<Step>, 'kind' | 'isCover'> & { isCover?: boolean },
): PixelDeclaration<Step> => ({ kind: 'pixels', isCover: false, ...declared })
