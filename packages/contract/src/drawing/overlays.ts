import type { Rgba } from '../domain/color.ts'

/** Where copies of a watermark image lie. It is one place, or a tiling to the right and down from it. */
export type Placement = { x: number; y: number; stepX: number | undefined; stepY: number | undefined }

/** A watermark image by its URL, and where it lies. */
export type PlacedWatermark = Placement & { assetUrl: string }

/** Two lines from corner to corner. `width` in pixels, `opacity` 0 to 1, times the colour's own alpha. */
export type DiagonalLines = { color: Rgba; opacity: number; width: number }
