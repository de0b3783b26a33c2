import { CUT, KEPT } from './key-mask.ts'

/**
 * The depth in pixels to which an edge may be mixed with the background. Lenses and resizing mix two or three pixels.
 */
export const RIM_DEPTH = 3

/** Returns the kept pixels next to a cut pixel, or `undefined` if too many: leaves or grain have no clear edges. */
export function edgeOf(mask: Uint8Array, width: number): number[] | undefined {
  const most = Math.max(FEW_PIXELS, mask.length / 16)
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
    if (edge.length > most) return undefined
  }
  return edge
}

/** The number of edge pixels that is always allowed, because a small image is fast to process. */
const FEW_PIXELS = 100_000

/**
 * Yields the kept pixels within `RIM_DEPTH` of a cut pixel, row by row, and marks their depth, 1 at the edge.
 * The next `RIM_DEPTH` rows are marked in advance. The caller may change the rows above.
 */
export function* rimRows(mask: Uint8Array, width: number, edge: readonly number[]): Generator<number[]> {
  const height = mask.length / width
  const marked = Array.from({ length: RIM_DEPTH }, (): number[][] => [])
  let next = 0
  for (let y = 0; y < height + 2 * RIM_DEPTH; y += 1) {
    const first: number[] = []
    for (; next < edge.length && (edge[next] ?? 0) < (y + 1) * width; next += 1) first.push(edge[next] ?? 0)
    for (const at of first) mask[at] = 1
    // Each depth is marked one row behind the previous depth.
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

/** Marks the unmarked neighbors of pixels of depth `depth` as one deeper, in one row. */
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
