import type { KeyColor } from './key-color.ts'
import { CUT, KEPT } from './key-mask.ts'
import type { RawImage } from './raw-image.ts'

/** The minimum brightness of the background, 0 to 255. A shadow is not visible on a darker background. */
const MIN_GROUND = 64
/** The maximum step from pixel to pixel in a shadow, as a share of the background's light. Edges have larger steps. */
const MAX_STEP = 0.035
/** The maximum share of the background's light that a shadow removes. A darker pixel belongs to an object. */
const DEEPEST = 0.75
/** The maximum share of the image that a shadow covers. A larger dark area is part of the background. */
const MAX_SHARE_OF_IMAGE = 0.3

/** The opacity of black at each pixel, 0 to 255. Pixels before `from`, and from `to` on, have no shadow. */
export type Shadow = { opacity: Uint8Array; from: number; to: number }

/**
 * Finds the shadow of an object. A shadow starts with nearly no opacity at the removed background, so that no hard edge
 * is visible.
 */
export function findShadow(
  image: RawImage,
  mask: Uint8Array,
  { edge, key: { color }, maxDifference }: { edge: readonly number[]; key: KeyColor; maxDifference: number },
): Shadow | undefined {
  const brightest = Math.max(...color)
  if (brightest < MIN_GROUND || maxDifference < 1) return undefined
  const ground = new Ground(image, color)
  const begins = maxDifference / brightest
  const front: Front = { indexes: [], shades: [] }
  for (const at of edge) {
    const shade = ground.shade(at)
    if (shade === undefined || shade > begins + 2 * MAX_STEP || !ground.fadesInto(mask, at, begins)) continue
    front.indexes.push(at)
    front.shades.push(shade)
  }
  return front.indexes.length === 0 ? undefined : spread(front, { mask, ground, begins, width: image.width })
}

type Front = { indexes: number[]; shades: number[] }
type Surroundings = { mask: Uint8Array; ground: Ground; begins: number; width: number }

function spread(beginning: Front, { mask, ground, begins, width }: Surroundings): Shadow | undefined {
  const shadow: Shadow = { opacity: new Uint8Array(mask.length), from: mask.length, to: 0 }
  let left = mask.length * MAX_SHARE_OF_IMAGE
  const take = (at: number) => {
    left -= 1
    const opacity = (ground.ownShade(at) - begins) / (1 - begins)
    shadow.opacity[at] = Math.min(255, Math.max(1, Math.round(opacity * 255)))
    if (at < shadow.from) shadow.from = at
    if (at >= shadow.to) shadow.to = at + 1
  }
  for (const at of beginning.indexes) take(at)
  const neighbors = [-1, 1, -width, width]
  for (let front = beginning; front.indexes.length > 0; ) {
    if (left < 0) return undefined
    const next: Front = { indexes: [], shades: [] }
    for (let index = 0; index < front.indexes.length; index += 1) {
      const [at, from] = [front.indexes[index] ?? 0, front.shades[index] ?? 0]
      const x = at % width
      for (const offset of neighbors) {
        const place = at + offset
        if (mask[place] !== KEPT || shadow.opacity[place] !== 0) continue
        if ((offset === -1 && x === 0) || (offset === 1 && x === width - 1)) continue
        const shade = ground.shade(place)
        if (shade === undefined || Math.abs(shade - from) > MAX_STEP) continue
        take(place)
        next.indexes.push(place)
        next.shades.push(shade)
      }
    }
    front = next
  }
  return shadow
}

/** The share of the background's light that a pixel lacks, 0 to 1. Runs for every pixel of a shadow. */
class Ground {
  readonly #data: Buffer
  readonly #width: number
  readonly #height: number
  readonly #red: number
  readonly #green: number
  readonly #blue: number
  readonly #square: number

  constructor({ data, width, height }: RawImage, color: KeyColor['color']) {
    this.#data = data
    this.#width = width
    this.#height = height
    this.#red = color[0]
    this.#green = color[1]
    this.#blue = color[2]
    this.#square = color[0] ** 2 + color[1] ** 2 + color[2] ** 2
  }

  ownShade(at: number): number {
    const data = this.#data
    const p = at * 4
    const light = (data[p] ?? 0) * this.#red + (data[p + 1] ?? 0) * this.#green + (data[p + 2] ?? 0) * this.#blue
    return 1 - light / this.#square
  }

  shade(at: number): number | undefined {
    const data = this.#data
    if (data[at * 4 + 3] !== 255) return undefined
    const width = this.#width
    const x = at % width
    const y = (at - x) / width
    const [left, right] = [x > 0 ? x - 1 : x, x + 1 < width ? x + 1 : x]
    const [top, bottom] = [y > 0 ? y - 1 : y, y + 1 < this.#height ? y + 1 : y]
    let red = 0
    let green = 0
    let blue = 0
    for (let row = top; row <= bottom; row += 1) {
      const end = (row * width + right) * 4
      for (let p = (row * width + left) * 4; p <= end; p += 4) {
        red += data[p] ?? 0
        green += data[p + 1] ?? 0
        blue += data[p + 2] ?? 0
      }
    }
    const count = (right - left + 1) * (bottom - top + 1)
    const kept = (red * this.#red + green * this.#green + blue * this.#blue) / (count * this.#square)
    const shade = 1 - kept
    if (shade <= 0 || shade > DEEPEST) return undefined
    // Shadows are slightly bluer than lit areas.
    const maxDifference = 8 + 0.1 * shade * 255
    const isShade =
      Math.abs(red / count - kept * this.#red) <= maxDifference &&
      Math.abs(green / count - kept * this.#green) <= maxDifference &&
      Math.abs(blue / count - kept * this.#blue) <= maxDifference
    return isShade ? shade : undefined
  }

  fadesInto(mask: Uint8Array, at: number, begins: number): boolean {
    const width = this.#width
    const x = at % width
    const y = (at - x) / width
    let sum = 0
    let count = 0
    for (let row = Math.max(0, y - 2); row <= Math.min(this.#height - 1, y + 2); row += 1) {
      for (let column = Math.max(0, x - 2); column <= Math.min(width - 1, x + 2); column += 1) {
        const other = row * width + column
        if (mask[other] !== CUT) continue
        sum += this.ownShade(other)
        count += 1
      }
    }
    return count > 0 && sum / count >= begins / 2
  }
}
