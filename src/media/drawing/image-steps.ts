import type { Rgba } from '../../domain/color.ts'
import type { ColorMatrix } from './color-matrix.ts'
import type { LookName } from './looks.ts'

/**
 * The closed set of things the image engine can do. Each says the size it leaves (`media/plan/image.ts`).
 * Coordinates are pixels from the top left of the frame as it is when the step runs.
 */
export type ImageStep =
  /** `fill` takes the whole frame to exactly `to`; `cover` keeps its proportions and trims what sticks out, centered. */
  | { step: 'resize'; to: { width: number; height: number }; fit: 'fill' | 'cover' }
  | { step: 'extract'; left: number; top: number; width: number; height: number }
  | { step: 'extend'; top: number; bottom: number; left: number; right: number; color: Rgba }
  /** Clockwise, above 0 and below 360; other than by quarter turns the canvas grows and its new corners are transparent. */
  | { step: 'turn'; degrees: number }
  | { step: 'flip'; horizontal: boolean; vertical: boolean }
  /** Applies what is left of the EXIF orientation, once. */
  | { step: 'orient' }
  /** Rows give red, green and blue out of red, green, blue in 0 to 255 and a constant; alpha is kept. */
  | { step: 'matrix'; rows: ColorMatrix }
  /** What each of the 256 values of red, green and blue becomes; alpha is kept. */
  | { step: 'tones'; table: Uint8Array }
  /** One of the looks of `looks.ts`, blended with the picture: strength 0 to 1. */
  | { step: 'look'; name: LookName; strength: number }
  /** A mark drawn over the frame: at one place, or tiled to the right and down from it. */
  | { step: 'blend'; assetUrl: string; x: number; y: number; stepX: number | undefined; stepY: number | undefined }
  /** Two lines from corner to corner; opacity 0 to 1, times the colour's own alpha. */
  | { step: 'lines'; color: Rgba; opacity: number; width: number }
  /** Makes what is near the top-left pixel's colour transparent: tolerance 0 to 1, the edge fades over `blur` pixels. */
  | { step: 'cutout'; tolerance: number; blur: number }
  /** What the encoder is asked for; the last one wins wherever it stands (rulings 15). */
  | { step: 'encode'; quality: number }

/** The steps that change pixels: what is left when `orient` is resolved and `encode` handed to the encoder. */
export type DrawingStep = Exclude<ImageStep, { step: 'orient' } | { step: 'encode' }>
