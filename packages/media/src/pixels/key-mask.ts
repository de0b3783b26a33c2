import type { KeyColor } from './key-color.ts'
import type { RawImage } from './raw-image.ts'

export const CUT = 0
export const KEPT = 255

const NEAR = 3
const NEARLY = 2
/** The mask value of a pixel that differs slightly too much from the key color, possibly because of noise. */
const DOUBTFUL = 254
/** A doubtful pixel with this many removed neighbors (of 8) is noise of the background. */
const MIN_NOISE_NEIGHBORS = 5

/** Returns `CUT` for background pixels, otherwise `KEPT`. In a noisy background, accepts more than `maxDifference`. */
export function keyMask(
  { data, width, height }: RawImage,
  { color, noise }: KeyColor,
  maxDifference: number,
): Uint8Array {
  // Nearly all noise is within 4 standard deviations, but the range is at most twice the tolerance.
  const reach = maxDifference + Math.min(maxDifference, Math.round(4 * noise))
  const [red, green, blue] = color.map((value) => nearTable(value, maxDifference, reach)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  const outcome = Uint8Array.of(KEPT, KEPT, DOUBTFUL, CUT)
  const mask = new Uint8Array(width * height)
  for (let at = 0, p = 0; at < mask.length; at += 1, p += 4) {
    const near = (red[data[p] ?? 0] ?? 0) & (green[data[p + 1] ?? 0] ?? 0) & (blue[data[p + 2] ?? 0] ?? 0)
    mask[at] = outcome[near] ?? KEPT
  }
  if (reach > maxDifference) classifyDoubtful(mask, width)
  return mask
}

function nearTable(key: number, maxDifference: number, reach: number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, value) => {
    const difference = Math.abs(value - key)
    return difference <= maxDifference ? NEAR : difference <= reach ? NEARLY : 0
  })
}

function classifyDoubtful(mask: Uint8Array, width: number): void {
  // Two rounds, because doubtful pixels may be adjacent.
  for (let round = 0; round < 2; round += 1) {
    const noise: number[] = []
    for (let at = mask.indexOf(DOUBTFUL); at !== -1; at = mask.indexOf(DOUBTFUL, at + 1)) {
      if (cutAround(mask, width, at) >= MIN_NOISE_NEIGHBORS) noise.push(at)
    }
    for (const at of noise) mask[at] = CUT
  }
  for (let at = mask.indexOf(DOUBTFUL); at !== -1; at = mask.indexOf(DOUBTFUL, at + 1)) mask[at] = KEPT
}

/** Counts the removed pixels among the 8 neighbors. Pixels outside the frame count as removed. */
function cutAround(mask: Uint8Array, width: number, at: number): number {
  const x = at % width
  let count = 0
  for (let row = at - width; row <= at + width; row += width) {
    if (x === 0 || (mask[row - 1] ?? CUT) === CUT) count += 1
    if (row !== at && (mask[row] ?? CUT) === CUT) count += 1
    if (x === width - 1 || (mask[row + 1] ?? CUT) === CUT) count += 1
  }
  return count
}
