import type { Rgba } from '../../domain/color.ts'

/** Something drawn on every page, in points from the top left of the page as displayed. */
export type Stamp =
  | { stamp: 'image'; assetUrl: string; x: number; y: number; stepX: number | undefined; stepY: number | undefined }
  | { stamp: 'lines'; color: Rgba; opacity: number; width: number }
