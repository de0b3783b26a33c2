/** An output channel of a color matrix: weights of red, green, and blue, and a constant to add, where 255 is white. */
type MatrixRow = readonly [number, number, number, number]
export type ColorMatrix = readonly [MatrixRow, MatrixRow, MatrixRow]

export const IDENTITY: ColorMatrix = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
]

// The luma weights of ITU-R BT.709. sRGB and the CSS function `grayscale()` use the same weights.
const LUMA: MatrixRow = [0.2126, 0.7152, 0.0722, 0]
export const LUMA_ROWS: ColorMatrix = [LUMA, LUMA, LUMA]

export function mixMatrix(from: ColorMatrix, to: ColorMatrix, amount: number): ColorMatrix {
  const row = (index: 0 | 1 | 2): MatrixRow => {
    const cell = (column: 0 | 1 | 2 | 3) => from[index][column] * (1 - amount) + to[index][column] * amount
    return [cell(0), cell(1), cell(2), cell(3)]
  }
  return [row(0), row(1), row(2)]
}
