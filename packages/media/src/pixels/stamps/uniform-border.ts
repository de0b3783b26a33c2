import type { RawImage } from '../raw-image.ts'

/** The maximum channel difference within a border. Scans and JPEGs are never exactly one color. */
const TOLERANCE = 10

/** Returns the area inside a border of the first pixel's color, or `undefined` if only border is left. */
export function withinBorder({
  data,
  width,
  height,
}: RawImage): { left: number; top: number; width: number; height: number } | undefined {
  const isClear = data[3] === 0
  const isBorder = (at: number) => {
    if (isClear || data[at + 3] === 0) return isClear && data[at + 3] === 0
    for (let channel = 0; channel < 4; channel += 1)
      if (Math.abs((data[at + channel] ?? 0) - (data[channel] ?? 0)) > TOLERANCE) return false
    return true
  }
  let [left, right, top, bottom] = [width, -1, height, -1]
  for (let y = 0; y < height; y += 1) {
    const row = y * width * 4
    let x = 0
    while (x < width && isBorder(row + x * 4)) x += 1
    if (x === width) continue
    let end = width - 1
    while (isBorder(row + end * 4)) end -= 1
    left = Math.min(left, x)
    right = Math.max(right, end)
    top = Math.min(top, y)
    bottom = y
  }
  return right < 0 ? undefined : { left, top, width: right - left + 1, height: bottom - top + 1 }
}
