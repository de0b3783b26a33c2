import type { Size } from '@mediamill/contract/domain/size'

const WINDOW = 8
const STEP = 4
const PIXELS = WINDOW * WINDOW

// Constants of SSIM (Wang et al. 2004, "Image quality assessment").
const C1 = (0.01 * 255) ** 2
const C2 = (0.03 * 255) ** 2

export type Brightness = Size & { data: Uint8Array }

/** The maximum variance of a flat window. Windows that are flat in both images would hide differences elsewhere. */
const FLAT_VARIANCE = 4

/** Returns the mean SSIM of two images; 1 if they are equal. The 8 × 8 windows overlap, to find block edges. */
export function structuralSimilarity(one: Brightness, other: Brightness): number {
  const { width, height } = one
  if (other.width !== width || other.height !== height) throw new RangeError('the images differ in size')
  if (width < WINDOW || height < WINDOW) return one.data.every((value, at) => value === other.data[at]) ? 1 : 0
  let sum = 0
  let windows = 0
  for (let y = 0; y + WINDOW <= height; y += STEP) {
    for (let x = 0; x + WINDOW <= width; x += STEP) {
      const similarity = similarityAt(one.data, other.data, y * width + x, width)
      if (similarity === undefined) continue
      sum += similarity
      windows += 1
    }
  }
  return windows === 0 ? 1 : sum / windows
}

function similarityAt(one: Uint8Array, other: Uint8Array, start: number, width: number): number | undefined {
  let [sumOne, sumOther, squaresOne, squaresOther, products] = [0, 0, 0, 0, 0]
  for (let row = 0; row < WINDOW; row += 1) {
    const from = start + row * width
    for (let at = from; at < from + WINDOW; at += 1) {
      const a = one[at] ?? 0
      const b = other[at] ?? 0
      sumOne += a
      sumOther += b
      squaresOne += a * a
      squaresOther += b * b
      products += a * b
    }
  }
  const meanOne = sumOne / PIXELS
  const meanOther = sumOther / PIXELS
  const varianceOne = squaresOne / PIXELS - meanOne * meanOne
  const varianceOther = squaresOther / PIXELS - meanOther * meanOther
  if (varianceOne < FLAT_VARIANCE && varianceOther < FLAT_VARIANCE) return undefined
  const covariance = products / PIXELS - meanOne * meanOther
  const brightness = (2 * meanOne * meanOther + C1) / (meanOne * meanOne + meanOther * meanOther + C1)
  return (brightness * (2 * covariance + C2)) / (varianceOne + varianceOther + C2)
}
