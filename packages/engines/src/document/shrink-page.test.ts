import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shrinkPage } from './shrink-page.ts'

/** A page in rows of red, green and blue. */
function pageOf(width: number, height: number, color: (x: number, y: number) => readonly number[]) {
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < width * height; at += 1) pixels.set(color(at % width, Math.floor(at / width)), at * 3)
  return { pixels, width, height }
}

test('a page is made smaller by the mean of all its columns and two rows of each', () => {
  // Columns of 0, 30, 60 and of 200, 230, 240; of four rows the second and the fourth count.
  const column = [0, 30, 60, 200, 230, 240]
  const small = shrinkPage(
    pageOf(6, 4, (x, y) => [column[x] ?? 0, y % 2 === 0 ? 255 : 10 * y, 128]),
    { width: 2, height: 1 },
  )
  assert.deepEqual([...small], [30, 20, 128, 223, 20, 128])
})

test('a page keeps its light where sides do not go up evenly, to its last column and row', () => {
  const white = shrinkPage(
    pageOf(1240, 1754, () => [255, 255, 255]),
    { width: 181, height: 256 },
  )
  assert.deepEqual([white.length, white.every((value) => value === 255)], [181 * 256 * 3, true])
  const edged = shrinkPage(
    pageOf(10, 10, (x, y) => (x === 9 || y === 9 ? [250, 0, 0] : [0, 0, 0])),
    { width: 3, height: 3 },
  )
  // The last box is four columns wide, and of its rows the last is not looked at in the first row.
  assert.deepEqual([...edged.subarray(0, 9)], [0, 0, 0, 0, 0, 0, 63, 0, 0])
  const line = shrinkPage(
    pageOf(40_000, 3, () => [1, 2, 3]),
    { width: 256, height: 1 },
  )
  assert.deepEqual([...line.subarray(-3)], [1, 2, 3])
})
