import type { Size } from '@mediamill/contract/domain/size'
import type { StripFrame } from '../pixels/filmstrip.ts'
import type { RawImage } from '../pixels/raw-image.ts'

/** The cost of a step: its CPU seconds per 100 megapixels, divided by 1.6 and rounded up (`plan/image-budget.ts`). */
export type Weight<Step> =
  | 1
  | {
      times: number
      /** The plural name of the step in error messages about the limit, such as `resizes`. */
      of: string
      /** Whether a step has this weight. Other steps of this kind have weight 1. */
      where?: (step: Step) => boolean
    }

type Costs<Step> = { weight: Weight<Step> }

/** Declares a step that scales, moves, or adds pixels. `engines/src/image/compile` draws it with sharp. */
export type GeometryDeclaration<Step> = Costs<Step> & {
  kind: 'geometry'
  sizeAfter: (step: Step, before: Size) => Size
  /** The intermediate size, if the step enlarges the frame before it trims the frame. */
  sizeBetween?: (step: Step, before: Size) => Size
}

export type PixelDeclaration<Step> = Costs<Step> & {
  kind: 'pixels'
  /**
   * Whether the step covers pixels without reading them. Then transparency may be composited before or after the step.
   */
  isCover: boolean
  /** Returns the pixels drawn in addition to the frame. `watermarks` contains the sizes of watermark images by URL. */
  extraPixels?: (step: Step, frame: Size, watermarks: ReadonlyMap<string, Size>) => number
  prepare: (step: Step, context: DrawingContext) => DrawFrame | Promise<DrawFrame>
}

/** Draws on a frame. Returns the changed frame, or a new frame of the same size. */
export type DrawFrame = (frame: StripFrame) => StripFrame

export type DrawingContext = {
  frame: Size
  /** Returns a watermark image's pixels in 4 channels, resized to `scale` percent of the frame if set. */
  watermark: (placed: { assetUrl: string; scale?: number | undefined }) => Promise<RawImage>
}

export const geometryStep = <Step>(declared: Omit<GeometryDeclaration<Step>, 'kind'>): GeometryDeclaration<Step> => ({
  kind: 'geometry',
  ...declared,
})

export const pixelStep = <Step>(
  declared: Omit<PixelDeclaration<Step>, 'kind' | 'isCover'> & { isCover?: boolean },
): PixelDeclaration<Step> => ({ kind: 'pixels', isCover: false, ...declared })
