import { anchorWatermark, GRAVITIES, watermarkSize } from '@mediamill/contract/drawing/overlays'
import type { Size } from './frame-size.ts'

type Position = { x: number; y: number }

/** Returns the size of a scaled watermark. An invalid `scale`, which a user is still typing, has no effect. */
export function scaledSize(scale: unknown, frame: Size, mark: Size): Size {
  const isValid = typeof scale === 'number' && scale >= 1 && scale <= 100
  return watermarkSize(isValid ? scale : undefined, frame, mark)
}

/** Converts `x` and `y`, whose meaning depends on `gravity`, to the left and top edges of the watermark. */
export function toEdges(gravity: unknown, { x, y }: Position, frame: Size, mark: Size): Position {
  const known = GRAVITIES.find((one) => one === gravity)
  return anchorWatermark({ x, y, stepX: undefined, stepY: undefined, gravity: known }, frame, mark)
}

/** Inverts `toEdges`. */
export function fromEdges(gravity: unknown, { x, y }: Position, frame: Size, mark: Size): Position {
  const origin = toEdges(gravity, { x: 0, y: 0 }, frame, mark)
  const name = String(gravity)
  return {
    x: name.endsWith('east') ? origin.x - x : x - origin.x,
    y: name.startsWith('south') ? origin.y - y : y - origin.y,
  }
}
