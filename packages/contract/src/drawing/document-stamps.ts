import type { DiagonalLines, PlacedWatermark } from './overlays.ts'

/** A drawing on every page, in points from the top left of the displayed page. */
export type Stamp = ({ stamp: 'image' } & PlacedWatermark) | ({ stamp: 'lines' } & DiagonalLines)
