import type { RawImage } from './raw-image.ts'

/** The color of a background. `noise` is the standard deviation of its noise; 0 without noise. */
export type KeyColor = { color: readonly [number, number, number]; noise: number }

/** The side of the top-left square that is measured for color and noise. Smaller images use only the top-left pixel. */
const CORNER = 16
/** Converts the mean absolute deviation of normal noise to its standard deviation. */
const TO_STANDARD = Math.sqrt(Math.PI / 2)

/**
 * Measures the background in the top-left square. The color is a median, because the top-left pixel itself may be noise
 * (operations.remove_background.4).
 */
export function keyColor({ data, width, height }: RawImage, maxDifference: number): KeyColor {
  let color: KeyColor['color'] = [data[0] ?? 0, data[1] ?? 0, data[2] ?? 0]
  if (width < CORNER || height < CORNER) return { color, noise: 0 }
  let near: number[] = []
  // The second round compares with the median of the first round instead of the top-left pixel.
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
  // The three medians together may be a color that no pixel has.
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
