import type { Size } from '@mediamill/contract/domain/size'
import type { StripFrame } from '../pixels/filmstrip.ts'
import type { RawPicture } from '../pixels/raw-picture.ts'

/**
 * How often the pixels that a step leaves count towards the work of a request.
 *
 * It is the seconds of a processor for each 100 megapixels, over 1.6 and rounded up, measured on 49 megapixels in 4
 * equal steps. So a request at the limit of `plan/image-budget.ts` draws for about 32 s, half of its deadline.
 */
export type Weight<Step> =
  | 1
  | {
      times: number
      /** The plural that clients read in the message about the limit, such as `resizes`. */
      of: string
      /** Which of these steps count that often, where the others count once. */
      where?: (step: Step) => boolean
    }

type Costs<Step> = { weight: Weight<Step> }

/** Declares a step that scales, moves or adds pixels; `engines/image/compile/fold.ts` says how sharp draws it. */
export type GeometryDeclaration<Step> = Costs<Step> & {
  kind: 'geometry'
  /** The size it leaves. */
  sizeAfter: (step: Step, before: Size) => Size
  /** The size on the way, for a step that enlarges the frame before it trims it. */
  sizeBetween?: (step: Step, before: Size) => Size
}

/** Declares a step that changes pixels where they are. */
export type PixelDeclaration<Step> = Costs<Step> & {
  kind: 'pixels'
  /** Whether it covers pixels and reads none: then transparency may be laid on white before it as well as after. */
  isCover: boolean
  /** Pixels that it draws besides those of the frame; `watermarks` has the sizes of watermark images by URL. */
  extraPixels?: (step: Step, frame: Size, watermarks: ReadonlyMap<string, Size>) => number
  /** Prepares the step once for all frames of a picture. */
  prepare: (step: Step, context: DrawingContext) => DrawFrame | Promise<DrawFrame>
}

/** Draws on one frame and returns it, or a new frame of the same size. */
export type DrawFrame = (frame: StripFrame) => StripFrame

export type DrawingContext = {
  /** The pixels of a watermark image, in 4 channels. */
  watermark: (assetUrl: string) => Promise<RawPicture>
}

/** Declares a step that scales, moves or adds pixels. */
export const geometryStep = <Step>(declared: Omit<GeometryDeclaration<Step>, 'kind'>): GeometryDeclaration<Step> => ({
  kind: 'geometry',
  ...declared,
})

/** Declares a step that changes pixels where they are. */
export const pixelStep = <Step>(
  declared: Omit<PixelDeclaration<Step>, 'kind' | 'isCover'> & { isCover?: boolean },
): PixelDeclaration<Step> => ({ kind: 'pixels', isCover: false, ...declared })
