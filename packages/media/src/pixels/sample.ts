import type { Filmstrip } from './filmstrip.ts'
import type { Brightness } from './structural-similarity.ts'

export const SAMPLE_SIDE = 768
const TILE = 128

/** Samples the first frame, at most 768 × 768 pixels. A longer side gives six evenly spaced strips of 128 pixels. */
export function sampleOf({ data, width, height, channels }: Filmstrip): Filmstrip {
  const columns = partsOf(width)
  const rows = partsOf(height)
  const sample = { width: lengthOf(columns), height: lengthOf(rows), channels, frames: 1 }
  const pixels = Buffer.allocUnsafe(sample.width * sample.height * channels)
  let at = 0
  for (const row of rows) {
    for (let y = row.from; y < row.from + row.length; y += 1) {
      for (const column of columns) {
        const start = (y * width + column.from) * channels
        at += data.copy(pixels, at, start, start + column.length * channels)
      }
    }
  }
  return { ...sample, data: pixels }
}

type Part = { from: number; length: number }

function partsOf(side: number): Part[] {
  if (side <= SAMPLE_SIDE) return [{ from: 0, length: side }]
  const parts = SAMPLE_SIDE / TILE
  return Array.from({ length: parts }, (_, index) => ({
    from: Math.round((index * (side - TILE)) / (parts - 1)),
    length: TILE,
  }))
}

const lengthOf = (parts: Part[]) => parts.reduce((sum, { length }) => sum + length, 0)

/** Returns the brightness of each pixel, on white if it is transparent (ITU-R BT.601). */
export function brightnessOf({ data, width, height, channels }: Omit<Filmstrip, 'frames'>): Brightness {
  const values = new Uint8Array(width * height)
  for (let pixel = 0, at = 0; pixel < values.length; pixel += 1, at += channels) {
    const value = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0)
    const alpha = channels === 4 ? (data[at + 3] ?? 255) / 255 : 1
    values[pixel] = Math.round(value * alpha + 255 * (1 - alpha))
  }
  return { width, height, data: values }
}
