import type { KeyColor } from './key-color.ts'
import { CUT, KEPT } from './key-mask.ts'
import type { RawImage } from './raw-image.ts'
import { RIM_DEPTH, rimRows } from './rim-depth.ts'
import type { ColorMean } from './rim-surroundings.ts'
import { groundMean, objectMean, ridge } from './rim-surroundings.ts'
import type { Shadow } from './soft-shadow.ts'

/** The minimum contrast of object and background. Below it, a mixed color does not reveal the object's share. */
const MIN_CONTRAST = 24
const SAME = 6

/** Makes a pixel that is half background half transparent. The mask values of edge pixels become their opacity. */
export function unmixRim(
  image: RawImage,
  mask: Uint8Array,
  { edge, key, shadow }: { edge: readonly number[]; key: KeyColor; shadow: Shadow | undefined },
): void {
  // Results are stored when no other pixel needs the old colors.
  const waiting: { indexes: number[]; unmixed: number[] }[] = []
  const writeNext = () => {
    const { indexes, unmixed } = waiting.shift() ?? { indexes: [], unmixed: [] }
    for (let index = 0; index < indexes.length; index += 1) {
      write(image.data, mask, indexes[index] ?? 0, unmixed[index] ?? 0)
    }
  }
  for (const indexes of rimRows(mask, image.width, edge)) {
    waiting.push({ indexes, unmixed: indexes.map((at) => unmix(image, mask, at, { key, shadow })) })
    if (waiting.length > RIM_DEPTH + 1) writeNext()
  }
  while (waiting.length > 0) writeNext()
  if (shadow !== undefined) paintShadow(image, mask, shadow)
}

function write(data: Buffer, mask: Uint8Array, at: number, unmixed: number): void {
  mask[at] = unmixed & 255
  data[at * 4] = (unmixed >>> 8) & 255
  data[at * 4 + 1] = (unmixed >>> 16) & 255
  data[at * 4 + 2] = unmixed >>> 24
}

function paintShadow({ data }: RawImage, mask: Uint8Array, shadow: Shadow): void {
  for (let at = shadow.from; at < shadow.to; at += 1) {
    const opacity = shadow.opacity[at] ?? 0
    if (opacity === 0) continue
    mask[at] = opacity
    data[at * 4] = 0
    data[at * 4 + 1] = 0
    data[at * 4 + 2] = 0
  }
}

const object: ColorMean = { red: 0, green: 0, blue: 0, opacity: 1 }
const ground: ColorMean = { red: 0, green: 0, blue: 0, opacity: 0 }

const largest = (a: number, b: number, c: number) => Math.max(Math.abs(a), Math.abs(b), Math.abs(c))

function unmix(
  image: RawImage,
  mask: Uint8Array,
  at: number,
  { key, shadow }: { key: KeyColor; shadow: Shadow | undefined },
): number {
  const { data } = image
  const red = data[at * 4] ?? 0
  const green = data[at * 4 + 1] ?? 0
  const blue = data[at * 4 + 2] ?? 0
  const asItIs = packed(red, green, blue, KEPT)
  const depth = mask[at] ?? CUT
  if (data[at * 4 + 3] !== KEPT) return asItIs
  if (!objectMean(image, mask, at, object)) {
    if (depth > 1) return asItIs
    ridge(image, mask, at, { color: key.color, to: object })
  }
  if (largest(red - object.red, green - object.green, blue - object.blue) <= SAME) return asItIs
  groundMean(image, mask, at, { key, shadow, to: ground })
  const [wholeRed, wholeGreen, wholeBlue] = [
    object.red - ground.red,
    object.green - ground.green,
    object.blue - ground.blue,
  ]
  if (largest(wholeRed, wholeGreen, wholeBlue) < MIN_CONTRAST) return asItIs
  const [partRed, partGreen, partBlue] = [red - ground.red, green - ground.green, blue - ground.blue]
  const along = partRed * wholeRed + partGreen * wholeGreen + partBlue * wholeBlue
  const share = Math.max(0, along / (wholeRed ** 2 + wholeGreen ** 2 + wholeBlue ** 2))
  if (share >= 1) return asItIs
  const restRed = partRed - share * wholeRed
  const restGreen = partGreen - share * wholeGreen
  const restBlue = partBlue - share * wholeBlue
  // JPEG stores color at half size, so an edge pixel may have a different share of the object in luma than in color.
  const maxRest = 10 + 3 * key.noise + 0.25 * largest(partRed, partGreen, partBlue)
  if (largest(restRed, restGreen, restBlue) > maxRest) return asItIs
  // Over a black shadow, the share of the object in the color is smaller than its opacity.
  const opacity = share + (1 - share) * ground.opacity
  const weight = opacity === 0 ? 0 : share / opacity
  return packed(
    toByte(object.red + restRed) * weight,
    toByte(object.green + restGreen) * weight,
    toByte(object.blue + restBlue) * weight,
    opacity * 255,
  )
}

const toByte = (value: number) => Math.min(255, Math.max(0, value))

/** Returns an edge pixel as one number: opacity in the lowest byte, then red, green, and blue. */
const packed = (red: number, green: number, blue: number, opacity: number): number =>
  (Math.round(opacity) | (Math.round(red) << 8) | (Math.round(green) << 16) | (Math.round(blue) << 24)) >>> 0
