import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CUT, KEPT } from './key-mask.ts'
import type { RawImage } from './raw-image.ts'
import { groundMean, ridge } from './rim-surroundings.ts'

const [WIDTH, HEIGHT] = [9, 7]

function grays(levelOf: (x: number, y: number) => number): RawImage {
  const data = Buffer.alloc(WIDTH * HEIGHT * 4, KEPT)
  for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
    data.fill(levelOf(at % WIDTH, Math.floor(at / WIDTH)), at * 4, at * 4 + 3)
  }
  return { data, width: WIDTH, height: HEIGHT, channels: 4 }
}

function groundAt(
  [x, y, depth]: readonly [x: number, y: number, depth: number],
  levelOf: (x: number, y: number) => number,
  shadeOf: (x: number, y: number) => number,
) {
  const mask = new Uint8Array(WIDTH * HEIGHT).fill(CUT)
  mask[y * WIDTH + x] = depth
  const opacity = Uint8Array.from(mask, (_, at) => shadeOf(at % WIDTH, Math.floor(at / WIDTH)))
  const to = { red: -1, green: -1, blue: -1, opacity: -1 }
  groundMean(grays(levelOf), mask, y * WIDTH + x, {
    key: { color: [200, 100, 50], noise: 0 },
    shadow: { opacity, from: 0, to: opacity.length },
    to,
  })
  return to
}

const isNear = (x: number, y: number, reach: number) => Math.abs(x - 4) <= reach && Math.abs(y - 3) <= reach

test('the background color of an edge pixel is the mean of the shadow pixels near the pixel', () => {
  for (const depth of [1, 2]) {
    const ground = groundAt(
      [4, 3, depth],
      (x, y) => (isNear(x, y, depth) ? 40 : 250),
      (x, y) => (isNear(x, y, depth) ? 51 : 255),
    )
    assert.deepEqual(ground, { red: 40, green: 40, blue: 40, opacity: 0.2 }, `depth ${depth}`)
  }
})

test('the background color of a pixel in a corner is the mean of only the pixels inside the image', () => {
  for (const [x, y] of [
    [0, 0],
    [WIDTH - 1, HEIGHT - 1],
  ] as const) {
    const isInCorner = (column: number, row: number) => Math.abs(column - x) <= 1 && Math.abs(row - y) <= 1
    const ground = groundAt(
      [x, y, 1],
      (...at) => (isInCorner(...at) ? 30 : 250),
      (...at) => (isInCorner(...at) ? 102 : 255),
    )
    assert.deepEqual(ground, { red: 30, green: 30, blue: 30, opacity: 0.4 })
  }
})

test('the background color of an edge pixel is the mean of its neighbors; a neighbor without a shadow has the color of the background', () => {
  const ground = groundAt(
    [4, 3, 1],
    () => 40,
    (x) => (x === 3 ? 255 : 0),
  )
  // Three of eight neighbors have a shadow.
  assert.deepEqual(ground, { red: 125 + 15, green: 62.5 + 15, blue: 31.25 + 15, opacity: 0.375 })
  assert.deepEqual(
    groundAt(
      [4, 3, 1],
      () => 40,
      () => 0,
    ),
    { red: 200, green: 100, blue: 50, opacity: 0 },
  )
})

test('the object color of a thin line is the color within two pixels that differs most from the background', () => {
  const ridgeOf = (levelOf: (x: number, y: number) => number) => {
    const to = { red: -1, green: -1, blue: -1, opacity: -1 }
    ridge(grays(levelOf), new Uint8Array(WIDTH * HEIGHT).fill(KEPT), 3 * WIDTH + 4, { color: [200, 200, 200], to })
    return to.red
  }
  for (const [x, y, expected] of [
    [2, 3, 50],
    [6, 3, 50],
    [4, 1, 50],
    [4, 5, 50],
    [1, 3, 100],
    [7, 3, 100],
    [4, 0, 100],
    [4, 6, 100],
  ] as const)
    assert.equal(
      ridgeOf((a, b) => (a === x && b === y ? 50 : 100)),
      expected,
      `${x}, ${y}`,
    )
})
