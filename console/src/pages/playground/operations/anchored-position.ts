import type { Size } from './frame-size.ts'

type Position = { x: number; y: number }

/** Returns the size of a scaled watermark. `scale` is its longer side in percent of the frame's shorter side. */
export function scaledSize(scale: unknown, frame: Size, mark: Size): Size {
  if (typeof scale !== 'number' || scale < 1 || scale > 100) return mark
  const factor = (Math.min(frame.width, frame.height) * scale) / 100 / Math.max(mark.width, mark.height)
  const side = (length: number) => Math.max(1, Math.round(length * factor))
  return { width: side(mark.width), height: side(mark.height) }
}

/** Converts `x` and `y`, whose meaning depends on `gravity`, to the left and top edges of the watermark. */
export const toEdges = (gravity: unknown, { x, y }: Position, room: Size): Position => {
  const { along, down } = axesOf(gravity)
  return { x: along(x, room.width), y: down(y, room.height) }
}

/** Inverts `toEdges`. The formulas of both functions differ only on an axis that `gravity` centers. */
export const fromEdges = (gravity: unknown, { x, y }: Position, room: Size): Position => {
  const { along, down, isShiftedX, isShiftedY } = axesOf(gravity)
  return {
    x: isShiftedX ? x - along(0, room.width) : along(x, room.width),
    y: isShiftedY ? y - down(0, room.height) : down(y, room.height),
  }
}

const fromStart = (margin: number) => margin
const fromEnd = (margin: number, room: number) => room - margin
const fromMiddle = (offset: number, room: number) => Math.round(room / 2) + offset

function axesOf(gravity: unknown) {
  const name = typeof gravity === 'string' ? gravity : 'north_west'
  const axis = (start: boolean, end: boolean) => {
    if (start) return fromStart
    return end ? fromEnd : fromMiddle
  }
  const along = axis(name.endsWith('west'), name.endsWith('east'))
  const down = axis(name.startsWith('north'), name.startsWith('south'))
  return { along, down, isShiftedX: along === fromMiddle, isShiftedY: down === fromMiddle }
}
