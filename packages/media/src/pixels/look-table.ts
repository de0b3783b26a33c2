import type { Look } from '@mediamill/contract/drawing/look'
import { colorChange } from './look-color.ts'
import type { RadialTable } from './look-radial.ts'
import { bakeRadial, RADIAL_DISTANCES, TERMS_PER_DISTANCE } from './look-radial.ts'
import type { RawImage } from './raw-image.ts'

/** A filter at one strength: the results for 33 × 33 × 33 colors (nodes), and the radial layers. */
type LookTable = { nodes: Uint16Array; radial: RadialTable | undefined; strength: number }

const SIZE = 33
/** Nodes store channel values (0 to 255) × 256, so that the nodes of a filter without effect need no rounding. */
const NODE_ONE = 256
const WEIGHT_ONE = 4096
const HALF = (NODE_ONE * WEIGHT_ONE) / 2
const SHIFT = Math.log2(NODE_ONE * WEIGHT_ONE)

const RED = SIZE * SIZE * 3
const GREEN = SIZE * 3
const BLUE = 3
const ALL = RED + GREEN + BLUE

/** Computes the table of a filter. `strength` is 0 (no change) to 1. Slow, so do it once per job. */
export function bakeLook(look: Look, strength: number): LookTable {
  const changes = look.steps.map(colorChange)
  const nodes = new Uint16Array(SIZE ** 3 * 3)
  const blend = (original: number, looked: number) => (original + (looked - original) * strength) * 255 * NODE_ONE
  let next = 0
  for (let red = 0; red < SIZE; red += 1) {
    for (let green = 0; green < SIZE; green += 1) {
      for (let blue = 0; blue < SIZE; blue += 1) {
        const original = [red / 32, green / 32, blue / 32] as const
        const looked: [number, number, number] = [...original]
        for (const change of changes) change(looked)
        nodes[next] = Math.round(blend(original[0], looked[0]))
        nodes[next + 1] = Math.round(blend(original[1], looked[1]))
        nodes[next + 2] = Math.round(blend(original[2], looked[2]))
        next += 3
      }
    }
  }
  return { nodes, radial: bakeRadial(look.radials, strength), strength }
}

export function applyLook({ data, width, height, channels }: RawImage, table: LookTable): void {
  if (table.strength === 0) return
  const columns = squares(width)
  const rows = squares(height)
  const rowBytes = width * channels
  const original = new Uint8Array(rowBytes)
  for (let y = 0; y < height; y += 1) {
    const row = data.subarray(y * rowBytes, (y + 1) * rowBytes)
    if (table.radial === undefined) {
      lookUpRow(row, channels, table.nodes)
    } else {
      original.set(row)
      lookUpRow(row, channels, table.nodes)
      addRadialRow(row, original, channels, table.radial.terms, columns, rows[y] ?? 0)
    }
  }
}

/** For each channel value: the node below (`CELL`), and the distance from this node, in 1/`WEIGHT_ONE` (`INTO`). */
const CELL = new Int32Array(256)
const INTO = new Int32Array(256)
for (let value = 0; value < 256; value += 1) {
  const steps = (value * (SIZE - 1)) / 255
  const cell = Math.min(SIZE - 2, Math.floor(steps))
  CELL[value] = cell
  INTO[value] = Math.round((steps - cell) * WEIGHT_ONE)
}
const RED_CELL = CELL.map((cell) => cell * RED)
const GREEN_CELL = CELL.map((cell) => cell * GREEN)
const BLUE_CELL = CELL.map((cell) => cell * BLUE)

/**
 * For tetrahedral interpolation: the offsets from the first corner of a cell to the second and the third corner on the
 * path. The index has three bits, highest first: red < green, green < blue, red < blue.
 */
const AFTER_ONE = Int32Array.of(RED, RED, RED, BLUE, GREEN, GREEN, GREEN, BLUE)
const AFTER_TWO = Int32Array.of(
  RED + GREEN,
  RED + BLUE,
  RED + BLUE,
  RED + BLUE,
  RED + GREEN,
  GREEN + BLUE,
  GREEN + BLUE,
  GREEN + BLUE,
)

/** Filters one row. Avoids branches, which neighboring pixels of a photo would take in an unpredictable order. */
function lookUpRow(row: Uint8Array, channels: number, nodes: Uint16Array): void {
  for (let p = 0; p < row.length; p += channels) {
    const red = row[p] ?? 0
    const green = row[p + 1] ?? 0
    const blue = row[p + 2] ?? 0
    const r = INTO[red] ?? 0
    const g = INTO[green] ?? 0
    const b = INTO[blue] ?? 0
    const redGreen = r - g
    const greenBlue = g - b
    const redBlue = r - b
    const order = ((redGreen >>> 31) << 2) | ((greenBlue >>> 31) << 1) | (redBlue >>> 31)
    // Finds the largest, middle, and smallest of r, g, and b without branches: `x & (x >> 31)` is min(x, 0).
    const above = r - (redGreen & (redGreen >> 31))
    const below = g + (redGreen & (redGreen >> 31))
    const largest = above - ((above - b) & ((above - b) >> 31))
    const smallest = b + ((below - b) & ((below - b) >> 31))
    const middle = r + g + b - largest - smallest
    const weight0 = WEIGHT_ONE - largest
    const weight1 = largest - middle
    const weight2 = middle - smallest
    const n0 = (RED_CELL[red] ?? 0) + (GREEN_CELL[green] ?? 0) + (BLUE_CELL[blue] ?? 0)
    const n1 = n0 + (AFTER_ONE[order] ?? 0)
    const n2 = n0 + (AFTER_TWO[order] ?? 0)
    const n3 = n0 + ALL
    row[p] =
      ((nodes[n0] ?? 0) * weight0 +
        (nodes[n1] ?? 0) * weight1 +
        (nodes[n2] ?? 0) * weight2 +
        (nodes[n3] ?? 0) * smallest +
        HALF) >>
      SHIFT
    row[p + 1] =
      ((nodes[n0 + 1] ?? 0) * weight0 +
        (nodes[n1 + 1] ?? 0) * weight1 +
        (nodes[n2 + 1] ?? 0) * weight2 +
        (nodes[n3 + 1] ?? 0) * smallest +
        HALF) >>
      SHIFT
    row[p + 2] =
      ((nodes[n0 + 2] ?? 0) * weight0 +
        (nodes[n1 + 2] ?? 0) * weight1 +
        (nodes[n2 + 2] ?? 0) * weight2 +
        (nodes[n3 + 2] ?? 0) * smallest +
        HALF) >>
      SHIFT
  }
}

/**
 * Returns a value for each row or column. The index of a pixel in the table of distances is the value of its row plus
 * the value of its column, divided by 1,024.
 */
function squares(length: number): Int32Array {
  const maxDistance = ((RADIAL_DISTANCES - 1) * 1024) / 2
  return Int32Array.from({ length }, (_, at) => Math.round((((at + 0.5) * 2) / length - 1) ** 2 * maxDistance))
}

function addRadialRow(
  row: Uint8Array,
  original: Uint8Array,
  channels: number,
  terms: Int32Array,
  columns: Int32Array,
  rowSquare: number,
): void {
  for (let x = 0, p = 0; p < row.length; x += 1, p += channels) {
    const at = (((columns[x] ?? 0) + rowSquare) >> 10) * TERMS_PER_DISTANCE
    row[p] = ((row[p] ?? 0) * (terms[at] ?? 0) + (original[p] ?? 0) * (terms[at + 1] ?? 0) + (terms[at + 2] ?? 0)) >> 16
    row[p + 1] =
      ((row[p + 1] ?? 0) * (terms[at + 3] ?? 0) +
        (original[p + 1] ?? 0) * (terms[at + 4] ?? 0) +
        (terms[at + 5] ?? 0)) >>
      16
    row[p + 2] =
      ((row[p + 2] ?? 0) * (terms[at + 6] ?? 0) +
        (original[p + 2] ?? 0) * (terms[at + 7] ?? 0) +
        (terms[at + 8] ?? 0)) >>
      16
  }
}
