import type { Mask } from './mask.ts'

const FAR = 1e20

/** Enlarges a mask by `radius` pixels with round corners (Felzenszwalb, Huttenlocher, "Distance Transforms", 2012). */
export function growMask({ data, width, height }: Mask, radius: number): Mask {
  const squared = Float32Array.from(data, (cover) => (cover === 255 ? 0 : cover === 0 ? FAR : halfCovered(cover)))
  const line = new LineDistance(Math.max(width, height))
  for (let x = 0; x < width; x += 1) line.run(squared, x, width, height)
  for (let y = 0; y < height; y += 1) line.run(squared, y * width, 1, width)
  // In a fully covered pixel, the distance is from its center; in a partly covered pixel, from the edge.
  const grown = Uint8Array.from(squared, (value) => {
    const cover = radius + EDGE - Math.sqrt(value)
    return cover <= 0 ? 0 : cover >= 1 ? 255 : Math.round(cover * 255)
  })
  for (let at = 0; at < grown.length; at += 1) grown[at] = Math.max(grown[at] ?? 0, data[at] ?? 0)
  return { data: grown, width, height }
}

const EDGE = 0.75

/** Returns the squared distance from the center of a partly covered pixel to the covered area; 0 if it covers half. */
const halfCovered = (cover: number) => Math.max(0, 0.5 - cover / 255) ** 2

class LineDistance {
  readonly #values: Float64Array
  readonly #roots: Int32Array
  readonly #borders: Float64Array

  constructor(longest: number) {
    this.#values = new Float64Array(longest)
    this.#roots = new Int32Array(longest)
    this.#borders = new Float64Array(longest + 1)
  }

  /** Sets each pixel of a line to the minimum, over all pixels of the line, of value plus squared distance. */
  run(grid: Float32Array, start: number, step: number, count: number): void {
    const [values, roots, borders] = [this.#values, this.#roots, this.#borders]
    for (let at = 0; at < count; at += 1) values[at] = grid[start + at * step] ?? 0
    const valueAt = (at: number) => (values[at] ?? 0) + at * at
    roots[0] = 0
    borders[0] = -FAR
    borders[1] = FAR
    for (let at = 1, last = 0; at < count; at += 1) {
      let border: number
      do {
        const root = roots[last] ?? 0
        border = (valueAt(at) - valueAt(root)) / (at - root) / 2
      } while (border <= (borders[last] ?? 0) && --last > -1)
      last += 1
      roots[last] = at
      borders[last] = border
      borders[last + 1] = FAR
    }
    for (let at = 0, piece = 0; at < count; at += 1) {
      while ((borders[piece + 1] ?? FAR) < at) piece += 1
      const root = roots[piece] ?? 0
      grid[start + at * step] = (values[root] ?? 0) + (at - root) ** 2
    }
  }
}
