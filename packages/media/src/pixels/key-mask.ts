import type { KeyColor } from './key-color.ts'
import type { RawPicture } from './raw-picture.ts'

export const CUT = 0
export const KEPT = 255

const NEAR = 3
const NEARLY = 2
/** Stands in the mask, while it is made, where noise alone may have put a pixel out of reach. */
const DOUBTFUL = 254
/** Of a pixel's 8 neighbours, how many are ground where it is noise of the ground: an edge leaves five. */
const MOST_AROUND = 5

/**
 * Tells which pixels a key colour takes. A pixel is `CUT` where every channel is within `most` of that colour, wherever
 * it lies, else `KEPT`.
 *
 * Where the ground has noise, a pixel that is a little further off but lies among cut ones is cut too: of a million
 * pixels, thousands are, and would stay behind as snow. The picture has 4 channels.
 */
export function keyMask({ data, width, height }: RawPicture, { color, noise }: KeyColor, most: number): Uint8Array {
  // Within 4 deviations are all but a few of a million; and noise never reaches further than twice the tolerance.
  const reach = most + Math.min(most, Math.round(4 * noise))
  const [red, green, blue] = color.map((value) => nearTable(value, most, reach)) as [Uint8Array, Uint8Array, Uint8Array]
  const outcome = Uint8Array.of(KEPT, KEPT, DOUBTFUL, CUT)
  const mask = new Uint8Array(width * height)
  for (let at = 0, p = 0; at < mask.length; at += 1, p += 4) {
    const near = (red[data[p] ?? 0] ?? 0) & (green[data[p + 1] ?? 0] ?? 0) & (blue[data[p + 2] ?? 0] ?? 0)
    mask[at] = outcome[near] ?? KEPT
  }
  if (reach > most) settleDoubts(mask, width)
  return mask
}

/** For each value of a channel: whether it is near the key's, or would be without noise. */
function nearTable(key: number, most: number, reach: number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, value) => {
    const difference = Math.abs(value - key)
    return difference <= most ? NEAR : difference <= reach ? NEARLY : 0
  })
}

function settleDoubts(mask: Uint8Array, width: number): void {
  // Twice, as two such pixels may lie side by side.
  for (let round = 0; round < 2; round += 1) {
    const snow: number[] = []
    for (let at = mask.indexOf(DOUBTFUL); at !== -1; at = mask.indexOf(DOUBTFUL, at + 1)) {
      if (cutAround(mask, width, at) >= MOST_AROUND) snow.push(at)
    }
    for (const at of snow) mask[at] = CUT
  }
  for (let at = mask.indexOf(DOUBTFUL); at !== -1; at = mask.indexOf(DOUBTFUL, at + 1)) mask[at] = KEPT
}

/** How many of the 8 neighbours are cut; what lies outside the frame counts as cut. */
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
