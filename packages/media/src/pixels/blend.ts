import type { Placement } from '@mediamill/contract/drawing/overlays'
import type { RawImage } from './raw-image.ts'
import { copiesAlong, mapAxis, mergeOverlaps } from './tiling.ts'

/** Draws `mark` (4 channels) over `frame`: once, or repeated to the right and down. Later copies are on top. */
export function blendMark(frame: RawImage, mark: RawImage, { x, y, stepX, stepY }: Placement): void {
  const overlapsX = stepX !== undefined && stepX < mark.width
  const overlapsY = stepY !== undefined && stepY < mark.height
  if ((!overlapsX && !overlapsY) || isOpaque(mark)) {
    // The copies do not overlap or are opaque, so one copy is visible at each pixel.
    paint(frame, mark, mapAxis(frame.width, x, mark.width, stepX), mapAxis(frame.height, y, mark.height, stepY))
    return
  }
  if (Number.isInteger(stepX ?? 1) && Number.isInteger(stepY ?? 1)) {
    const merged = mergeOverlaps(mark, stepX, stepY)
    paint(frame, merged.sheet, merged.axisX(frame.width, x), merged.axisY(frame.height, y))
    return
  }
  for (const top of copiesAlong(frame.height, y, mark.height, stepY)) {
    const rows = mapAxis(frame.height, top, mark.height, undefined)
    for (const left of copiesAlong(frame.width, x, mark.width, stepX)) {
      paint(frame, mark, mapAxis(frame.width, left, mark.width, undefined), rows)
    }
  }
}

export function isOpaque({ data }: Pick<RawImage, 'data'>): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false
  return true
}

function extent(axis: Int32Array): [number, number] {
  return [axis.findIndex((from) => from >= 0), axis.findLastIndex((from) => from >= 0) + 1]
}

/** Draws the pixel `columns[x], rows[y]` of the mark over each pixel x, y of the frame. -1 draws nothing. */
function paint(frame: RawImage, mark: RawImage, columns: Int32Array, rows: Int32Array): void {
  const [left, right] = extent(columns)
  const [top, bottom] = extent(rows)
  if (left < 0 || top < 0) return
  const { data: to, channels } = frame
  const { data: from } = mark
  for (let y = top; y < bottom; y += 1) {
    const row = rows[y] ?? -1
    if (row < 0) continue
    for (let x = left; x < right; x += 1) {
      const column = columns[x] ?? -1
      if (column < 0) continue
      const source = (row * mark.width + column) * 4
      const alpha = from[source + 3] ?? 0
      if (alpha !== 0) {
        drawOver(
          to,
          (y * frame.width + x) * channels,
          channels,
          from[source] ?? 0,
          from[source + 1] ?? 0,
          from[source + 2] ?? 0,
          alpha,
        )
      }
    }
  }
}

/** Draws a color with alpha 1 to 255, not premultiplied, over the pixel at the offset `at` (Porter and Duff). */
export function drawOver(
  to: Buffer,
  at: number,
  channels: number,
  r: number,
  g: number,
  b: number,
  alpha: number,
): void {
  const below = channels === 4 ? (to[at + 3] ?? 0) : 255
  if (alpha === 255 || below === 0) {
    to[at] = r
    to[at + 1] = g
    to[at + 2] = b
    if (channels === 4) to[at + 3] = alpha
    return
  }
  if (below === 255) {
    const rest = 255 - alpha
    to[at] = (r * alpha + (to[at] ?? 0) * rest + 127) / 255
    to[at + 1] = (g * alpha + (to[at + 1] ?? 0) * rest + 127) / 255
    to[at + 2] = (b * alpha + (to[at + 2] ?? 0) * rest + 127) / 255
    return
  }
  const rest = (below * (255 - alpha)) / 255
  const sum = alpha + rest
  to[at] = (r * alpha + (to[at] ?? 0) * rest) / sum + 0.5
  to[at + 1] = (g * alpha + (to[at + 1] ?? 0) * rest) / sum + 0.5
  to[at + 2] = (b * alpha + (to[at + 2] ?? 0) * rest) / sum + 0.5
  to[at + 3] = sum + 0.5
}
