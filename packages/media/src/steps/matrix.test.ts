import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ColorMatrix } from '@mediamill/contract/drawing/color-matrix'
import { applyMatrix } from './matrix.ts'

const colors = [0, 1, 77, 128, 200, 254, 255]
const bytes = colors.flatMap((r) => colors.flatMap((g) => colors.flatMap((b) => [r, g, b, 9])))

function expected(matrix: ColorMatrix): number[] {
  const out: number[] = []
  for (let at = 0; at < bytes.length; at += 4) {
    const [r = 0, g = 0, b = 0] = bytes.slice(at, at + 3)
    for (const [fromR, fromG, fromB, constant] of matrix) {
      out.push(Math.min(255, Math.max(0, r * fromR + g * fromG + b * fromB + constant)))
    }
    out.push(9)
  }
  return out
}

test('the matrix step multiplies colors by the matrix, rounds and clamps the result, and keeps alpha', () => {
  const matrices: ColorMatrix[] = [
    [
      [0.393, 0.769, 0.189, 0],
      [0.349, 0.686, 0.168, 0],
      [0.272, 0.534, 0.131, 0],
    ],
    [
      [4, 0, 0, -382.5],
      [0, 0.25, 0, 95.6],
      [0, 0, 1, 255],
    ],
    [
      [1.5, -0.5, 0.1, -20],
      [-0.2, 1.3, -0.1, 0],
      [0, 0.1, 0.9, 10],
    ],
  ]
  for (const matrix of matrices) {
    const data = Buffer.from(bytes)
    applyMatrix({ data, width: bytes.length / 4, height: 1, channels: 4 }, matrix)
    const wrong = expected(matrix).findIndex((value, at) => Math.abs(value - (data[at] ?? 0)) > 0.51)
    assert.equal(
      wrong,
      -1,
      `${expected(matrix)
        .slice(wrong, wrong + 3)
        .join()} is ${data.subarray(wrong, wrong + 3).join()}`,
    )
  }
})
