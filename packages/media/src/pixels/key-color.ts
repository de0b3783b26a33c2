import type { RawPicture } from './raw-picture.ts'

/** A ground's colour and how far its pixels scatter around it. That is one standard deviation, 0 for a drawn ground. */
export type KeyColor = { color: readonly [number, number, number]; noise: number }

/** A square of the corner as large as this tells a ground's noise; smaller pictures have the one pixel alone. */
const CORNER = 16
/** Mean absolute deviation to standard deviation, for noise as sensors make it. */
const TO_STANDARD = Math.sqrt(Math.PI / 2)

/**
 * Finds the colour that the top-left pixel names. It is the median of what is near that pixel in its corner (rulings
 * 15).
 *
 * A photographed ground scatters, and one pixel of it may lie well beside the rest. `most` is how far a channel may be
 * off and still be near; at 0 the colour is the pixel's own. The picture has 4 channels.
 */
export function keyColor({ data, width, height }: RawPicture, most: number): KeyColor {
  let color: KeyColor['color'] = [data[0] ?? 0, data[1] ?? 0, data[2] ?? 0]
  if (width < CORNER || height < CORNER) return { color, noise: 0 }
  let near: number[] = []
  // The second time without the chance of the one pixel.
  for (let round = 0; round < 2; round += 1) {
    near = nearInCorner(data, width, color, most)
    color = [median(data, near, 0), median(data, near, 1), median(data, near, 2)]
  }
  return { color, noise: Math.max(...color.map((value, channel) => scatter(data, near, channel, value))) }
}

function nearInCorner(data: Buffer, width: number, color: KeyColor['color'], most: number): number[] {
  const near: number[] = []
  for (let y = 0; y < CORNER; y += 1) {
    for (let x = 0; x < CORNER; x += 1) {
      const p = (y * width + x) * 4
      const isNear = color.every((value, channel) => Math.abs((data[p + channel] ?? 0) - value) <= most)
      if (isNear && data[p + 3] !== 0) near.push(p)
    }
  }
  // The second colour may, in a corner of a few pixels alone, be near none.
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
