import type { DiagonalLines, PlacedWatermark } from './overlays.ts'

/** Something drawn on every page. It is in points from the top left of the page as displayed. */
export type Stamp = ({ stamp: 'image' } & PlacedWatermark) | ({ stamp: 'lines' } & DiagonalLines)
