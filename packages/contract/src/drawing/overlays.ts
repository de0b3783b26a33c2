import type { Rgba } from '../domain/color.ts'
import type { Size } from '../domain/size.ts'

export const GRAVITIES = [
  'north_west',
  'north',
  'north_east',
  'west',
  'center',
  'east',
  'south_west',
  'south',
  'south_east',
] as const

export type Gravity = (typeof GRAVITIES)[number]

/** The position of a watermark. `stepX` and `stepY` are the distances between copies of a tiled watermark. */
export type Placement = { x: number; y: number; stepX: number | undefined; stepY: number | undefined }

export type PlacedWatermark = Placement & {
  assetUrl: string
  /** The anchor of the position. If set, `x` and `y` are margins from the named edges, or offsets from the center. */
  gravity?: Gravity | undefined
  /** The watermark's longer side in percent of the frame's shorter side. If missing, the watermark keeps its size. */
  scale?: number | undefined
}

/** Returns the drawn size, at least 1, in pixels or in points of a PDF page. For PDFs, `round` keeps fractions. */
export function watermarkSize(scale: number | undefined, frame: Size, image: Size, round = Math.round): Size {
  if (scale === undefined) return image
  const longer = (Math.min(frame.width, frame.height) * scale) / 100
  const factor = longer / Math.max(image.width, image.height)
  const side = (length: number) => Math.max(1, round(length * factor))
  return { width: side(image.width), height: side(image.height) }
}

export function anchorWatermark(
  { x, y, stepX, stepY, gravity }: Placement & Pick<PlacedWatermark, 'gravity'>,
  frame: Size,
  size: Size,
  round = Math.round,
): Placement {
  if (gravity === undefined) return { x, y, stepX, stepY }
  const along = (before: boolean, after: boolean, margin: number, room: number) => {
    if (before) return margin
    return after ? room - margin : round(room / 2) + margin
  }
  return {
    x: along(gravity.endsWith('west'), gravity.endsWith('east'), x, frame.width - size.width),
    y: along(gravity.startsWith('north'), gravity.startsWith('south'), y, frame.height - size.height),
    stepX,
    stepY,
  }
}

/** Two lines from corner to corner, `width` pixels wide. `opacity` (0 to 1) is multiplied with the color's alpha. */
export type DiagonalLines = { color: Rgba; opacity: number; width: number }

/** A drawing on every page of a PDF. Lengths are in points. Positions start at the top left of the displayed page. */
export type Stamp = ({ stamp: 'image' } & PlacedWatermark) | ({ stamp: 'lines' } & DiagonalLines)
