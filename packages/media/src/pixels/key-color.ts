import type { RawImage } from './raw-image.ts'

/** The color of a background. `noise` is the standard deviation of its noise, 0 for a flat background. */
export type KeyColor = { color: readonly [number, number, number]; noise: number }

/** The side of the corner in which noise is measured, in pixels. A smaller image uses only the top-left pixel. */
const CORNER = 16
/** The factor that converts a mean absolute deviation to a standard deviation, for normal noise. */
const TO_STANDARD = Math.sqrt(Math.PI / 2)

/**
 * Returns the median of the corner pixels similar to the top-left one, which may be an outlier.
 * `maxDifference` is the largest channel difference of a similar pixel (operations.remove_background.4).
 */
export function keyColor({ data, width, height }: RawImage, maxDifference: number): KeyColor {
  let color: KeyColor['color'] = [data[0] ?? 0, data[1] ?? 0, data[2] ?? 0]
  if (width < CORNER || height < CORNER) return { color, noise: 0 }
  let near: number[] = []
  // The second round compares with the median instead of a single pixel.
  for (let round = 0; round < 2; round += 1) {
    near = nearInCorner(data, width, color, maxDifference)
    color = [median(data, near, 0), median(data, near, 1), median(data, near, 2)]
  }
  return { color, noise: Math.max(...color.map((value, channel) => scatter(data, near, channel, value))) }
}

function nearInCorner(data: Buffer, width: number, color: KeyColor['color'], maxDifference: number): number[] {
  const near: number[] = []
  for (let y = 0; y < CORNER; y += 1) {
    for (let x = 0; x < CORNER; x += 1) {
      const p = (y * width + x) * 4
      const isNear = color.every((value, channel) => Math.abs((data[p + channel] ?? 0) - value) <= maxDifference)
      if (isNear && data[p + 3] !== 0) near.push(p)
    }
  }
  // The medians of the channels may form a color that is near none of the pixels.
  return near.length === 0 ? [0] : near
}

function median(data: Buffer, pixels: readonly number[], channel: number): number {
  const values = pixels.map((p) => data[p + channel] ?? 0).toSorted((a, b) => a - b)
  return values[values.length >> 1] ?? 0
}

function scatter(data: Buffer, pixels: readonly number[], channel: number, middle: number): number {
  const sum = pixels.reduce((total, p) => total + Math.abs((data[p + channel] ?? 0) - middle), 0)
  return (sum / pixels.length) * TO_STANDARD
}
