import { CUT, KEPT } from './key-mask.ts'

/** How many pixels of an object's edge may contain background color. Lenses and resizing blend two or three pixels. */
export const RIM_DEPTH = 3

/** Returns the kept pixels next to removed pixels, or `undefined` if they are too many, as with leaves or grain. */
export function edgeOf(mask: Uint8Array, width: number): number[] | undefined {
  const maxPixels = Math.max(FEW_PIXELS, mask.length / 16)
  const edge: number[] = []
  for (let start = 0; start < mask.length; start += width) {
    const end = start + width
    for (let at = start; at < end; at += 1) {
      if (mask[at] === CUT) continue
      const isEdge =
        mask[at - width] === CUT ||
        mask[at + width] === CUT ||
        (at > start && mask[at - 1] === CUT) ||
        (at + 1 < end && mask[at + 1] === CUT)
      if (isEdge) edge.push(at)
    }
    if (edge.length > maxPixels) return undefined
  }
  return edge
}

/** The number of edge pixels that every image may have, because their processing is fast. */
const FEW_PIXELS = 100_000

/**
 * Yields the rim pixels of each row. Sets the mask of these pixels to their depth (1 at the edge), in this row and in
 * the next `RIM_DEPTH` rows. The caller may change the mask in all earlier rows.
 */
export function* rimRows(mask: Uint8Array, width: number, edge: readonly number[]): Generator<number[]> {
  const height = mask.length / width
  const marked = Array.from({ length: RIM_DEPTH }, (): number[][] => [])
  let next = 0
  for (let y = 0; y < height + 2 * RIM_DEPTH; y += 1) {
    const first: number[] = []
    for (; next < edge.length && (edge[next] ?? 0) < (y + 1) * width; next += 1) first.push(edge[next] ?? 0)
    for (const at of first) mask[at] = 1
    // A depth is marked one row behind the previous depth, because it needs the previous depth of the next row.
    for (const [index, rows] of marked.entries()) {
      const row = y - index
      const before = marked[index - 1]
      if (row < 0 || row >= height) continue
      rows[row] = before === undefined ? first : deepen(mask, width, row, index, before)
    }
    const ready = y - 2 * RIM_DEPTH + 1
    if (ready < 0 || ready >= height) continue
    yield marked.flatMap((rows) => rows[ready] ?? [])
    if (ready > 0) for (const rows of marked) rows[ready - 1] = []
  }
}

function deepen(mask: Uint8Array, width: number, row: number, depth: number, before: readonly number[][]): number[] {
  const indexes: number[] = []
  const [start, end] = [row * width, (row + 1) * width]
  for (const near of [row - 1, row, row + 1]) {
    for (const place of before[near] ?? []) {
      const middle = place + (row - near) * width
      for (let at = Math.max(start, middle - 1); at <= Math.min(end - 1, middle + 1); at += 1) {
        if (mask[at] !== KEPT) continue
        mask[at] = depth + 1
        indexes.push(at)
      }
    }
  }
  return indexes
}
