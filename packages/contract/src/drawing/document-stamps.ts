import type { DiagonalLines, PlacedWatermark } from './overlays.ts'

/** A drawing on every page of a PDF. Lengths are in points. Positions start at the top left of the displayed page. */
export type Stamp = ({ stamp: 'image' } & PlacedWatermark) | ({ stamp: 'lines' } & DiagonalLines)
