import type { Size } from '@mediamill/contract/domain/size'
import { mirror } from '@mediamill/contract/operations/flip'
import type { GraphFilter } from './filter-text.ts'

/** How to display frames: they are flipped horizontally if `mirrored`, and then rotated clockwise. */
export type Turn = { degrees: 0 | 90 | 180 | 270; mirrored: boolean }

/** Parses a display matrix (ISO 14496-12, 6.2.2). Ignores rotations that are not quarter turns. */
export function displayTurn(matrix: Buffer | null): Turn {
  if (matrix === null || matrix.length < 36) return { degrees: 0, mirrored: false }
  const [a, b, c, d] = [0, 4, 12, 16].map((offset) => Math.sign(Math.round(matrix.readInt32LE(offset) / 65_536)))
  // The matrix converts x, y to a·x + c·y, b·x + d·y. The y axis points downwards.
  switch (`${a} ${b} ${c} ${d}`) {
    case '0 1 -1 0':
      return { degrees: 90, mirrored: false }
    case '-1 0 0 -1':
      return { degrees: 180, mirrored: false }
    case '0 -1 1 0':
      return { degrees: 270, mirrored: false }
    case '-1 0 0 1':
      return { degrees: 0, mirrored: true }
    case '1 0 0 -1':
      return { degrees: 180, mirrored: true }
    case '0 1 1 0':
      return { degrees: 270, mirrored: true }
    case '0 -1 -1 0':
      return { degrees: 90, mirrored: true }
    default:
      return { degrees: 0, mirrored: false }
  }
}

export function turnFilters({ degrees, mirrored }: Turn): GraphFilter[] {
  const quarter = (dir: string): GraphFilter => ({ name: 'transpose', args: { dir } })
  switch (degrees) {
    case 0:
      return mirror(mirrored, false)
    case 90:
      return [...mirror(mirrored, false), quarter('clock')]
    case 180:
      return mirror(!mirrored, true)
    case 270:
      return [...mirror(mirrored, false), quarter('cclock')]
  }
}

export const turned = ({ width, height }: Size, { degrees }: Turn): Size =>
  degrees === 90 || degrees === 270 ? { width: height, height: width } : { width, height }
