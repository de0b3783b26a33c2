import type { KeyColor } from './key-color.ts'
import { CUT, KEPT } from './key-mask.ts'
import type { RawImage } from './raw-image.ts'
import { RIM_DEPTH } from './rim-depth.ts'
import type { Shadow } from './soft-shadow.ts'

// These functions run for every edge pixel, so they use plain loops, and write results to existing objects.

export type ColorMean = { red: number; green: number; blue: number; opacity: number }

/** Averages the nearby pixels farthest from the edge: they lack background. Returns `false` if no pixel is farther. */
export function objectMean({ data, width, height }: RawImage, mask: Uint8Array, at: number, to: ColorMean): boolean {
  const depth = mask[at] ?? CUT
  const reach = RIM_DEPTH + 1 - depth
  const x = at % width
  const y = (at - x) / width
  const [left, right] = [Math.max(0, x - reach), Math.min(width - 1, x + reach)]
  const last = Math.min(height - 1, y + reach)
  let deepest = depth
  let [red, green, blue, count] = [0, 0, 0, 0]
  for (let row = Math.max(0, y - reach); row <= last; row += 1) {
    const end = row * width + right
    for (let other = row * width + left; other <= end; other += 1) {
      const otherDepth = mask[other] ?? CUT
      if (otherDepth <= depth || otherDepth < deepest || data[other * 4 + 3] !== KEPT) continue
      if (otherDepth > deepest) {
        deepest = otherDepth
        red = 0
        green = 0
        blue = 0
        count = 0
      }
      red += data[other * 4] ?? 0
      green += data[other * 4 + 1] ?? 0
      blue += data[other * 4 + 2] ?? 0
      count += 1
    }
  }
  if (count === 0) return false
  to.red = red / count
  to.green = green / count
  to.blue = blue / count
  return true
}

export function ridge(
  { data, width, height }: RawImage,
  mask: Uint8Array,
  at: number,
  { color, to }: { color: KeyColor['color']; to: ColorMean },
): void {
  const x = at % width
  const y = (at - x) / width
  const [keyRed, keyGreen, keyBlue] = [color[0], color[1], color[2]]
  let best = at
  let maxDifference = -1
  for (let row = Math.max(0, y - 2); row <= Math.min(height - 1, y + 2); row += 1) {
    for (let other = row * width + Math.max(0, x - 2); other <= row * width + Math.min(width - 1, x + 2); other += 1) {
      const p = other * 4
      if (mask[other] === CUT || data[p + 3] !== KEPT) continue
      const red = Math.abs((data[p] ?? 0) - keyRed)
      const green = Math.abs((data[p + 1] ?? 0) - keyGreen)
      const blue = Math.abs((data[p + 2] ?? 0) - keyBlue)
      const difference = Math.max(red, green, blue)
      if (difference <= maxDifference) continue
      maxDifference = difference
      best = other
    }
  }
  to.red = data[best * 4] ?? 0
  to.green = data[best * 4 + 1] ?? 0
  to.blue = data[best * 4 + 2] ?? 0
}

export function groundMean(
  { data, width, height }: RawImage,
  mask: Uint8Array,
  at: number,
  { key, shadow, to }: { key: KeyColor; shadow: Shadow | undefined; to: ColorMean },
): void {
  let [red, green, blue, opacity, count, clear] = [0, 0, 0, 0, 0, 0]
  const depth = mask[at] ?? CUT
  if (shadow !== undefined) {
    const x = at % width
    const y = (at - x) / width
    for (let row = Math.max(0, y - depth); row <= Math.min(height - 1, y + depth); row += 1) {
      const end = row * width + Math.min(width - 1, x + depth)
      for (let other = row * width + Math.max(0, x - depth); other <= end; other += 1) {
        if (mask[other] !== CUT) continue
        const shade = shadow.opacity[other] ?? 0
        if (shade === 0) {
          clear += 1
          continue
        }
        opacity += shade
        count += 1
        red += data[other * 4] ?? 0
        green += data[other * 4 + 1] ?? 0
        blue += data[other * 4 + 2] ?? 0
      }
    }
  }
  const all = count + clear
  const part = all === 0 ? 1 : clear / all
  to.red = key.color[0] * part + (all === 0 ? 0 : red / all)
  to.green = key.color[1] * part + (all === 0 ? 0 : green / all)
  to.blue = key.color[2] * part + (all === 0 ? 0 : blue / all)
  to.opacity = all === 0 ? 0 : opacity / all / 255
}
