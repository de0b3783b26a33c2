import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growMask } from './grow-mask.ts'
import type { Mask } from './mask.ts'
import { placeMask, shrinkMask } from './mask.ts'
import { divideAlpha, layColor, multiplyAlpha } from './premultiplied.ts'
import { withinBorder } from './uniform-border.ts'

const maskOf = (...rows: number[][]): Mask => ({
  data: Uint8Array.from(rows.flat()),
  width: rows[0]?.length ?? 0,
  height: rows.length,
})

const rowsOf = ({ data, width, height }: Mask) =>
  Array.from({ length: height }, (_, y) => [...data.subarray(y * width, (y + 1) * width)])

test('a color is laid over premultiplied pixels by the coverage of its mask and by its own alpha', () => {
  const pixels = Uint8Array.from([10, 20, 30, 40, 10, 20, 30, 40, 10, 20, 30, 40])
  layColor(pixels, maskOf([128, 0, 255]), { r: 200, g: 100, b: 50, alpha: 255 })
  assert.deepEqual([...pixels], [105, 60, 40, 148, 10, 20, 30, 40, 200, 100, 50, 255])
  layColor(pixels, maskOf([0, 255, 0]), { r: 200, g: 100, b: 50, alpha: 128 })
  assert.deepEqual([...pixels.subarray(4, 8)], [105, 60, 40, 148])
})

test('converting pixels to premultiplied alpha and back keeps their color, and applies the opacity', () => {
  const pixels = Uint8Array.from([100, 50, 200, 255, 100, 50, 200, 51, 100, 50, 200, 0])
  multiplyAlpha(pixels)
  assert.deepEqual([...pixels], [100, 50, 200, 255, 20, 10, 40, 51, 0, 0, 0, 0])
  const faded = Uint8Array.from(pixels)
  divideAlpha(pixels, 1)
  assert.deepEqual([...pixels], [100, 50, 200, 255, 100, 50, 200, 51, 0, 0, 0, 0])
  divideAlpha(faded, 0.5)
  assert.deepEqual([...faded], [100, 50, 200, 128, 100, 50, 200, 26, 0, 0, 0, 0])
  const rounded = Uint8Array.from([3, 2, 0, 2])
  divideAlpha(rounded, 1)
  assert.deepEqual([...rounded], [255, 255, 0, 2], 'never above white')
})

test('a mask that is placed on a canvas loses the parts outside the canvas', () => {
  const mask = maskOf([1, 2], [3, 4])
  const placed = (left: number, top: number) => rowsOf(placeMask(mask, 3, 2, left, top)).map((row) => row.join(''))
  assert.deepEqual(placed(0, 0), ['120', '340'])
  assert.deepEqual(placed(1, 0), ['012', '034'])
  assert.deepEqual(placed(2, 1), ['000', '001'])
  assert.deepEqual(placed(-1, -1), ['400', '000'])
  assert.deepEqual(placed(3, 0), ['000', '000'])
  assert.deepEqual(placed(-2, 0), ['000', '000'])
  assert.deepEqual(placed(0, -2), ['000', '000'])
})

test('a shrunk mask covers each pixel by its share of inner samples, and has a pixel for a partial row or column', () => {
  assert.deepEqual(rowsOf(shrinkMask(maskOf([255, 128, 127], [0, 128, 255], [255, 0, 0]), 2)), [
    [191, 64],
    [64, 0],
  ])
})

test('a mask is enlarged by a radius in every direction, with round corners', () => {
  const [width, height, radius] = [19, 15, 4]
  const covered = [
    [5, 6],
    [6, 6],
    [12, 8],
    [18, 14],
  ]
  const data = new Uint8Array(width * height)
  for (const [x = 0, y = 0] of covered) data[y * width + x] = 255
  const grown = growMask({ data, width, height }, radius)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const distance = Math.min(...covered.map(([a = 0, b = 0]) => Math.hypot(x - a, y - b)))
      // The distance is from the center of a covered pixel, which ends half a pixel further out.
      const expected = Math.round(255 * Math.min(1, Math.max(0, radius + 0.75 - distance)))
      assert.ok(Math.abs((grown.data[y * width + x] ?? 0) - expected) <= 1, `${x}, ${y}`)
    }
  }
})

test('a partly covered pixel is enlarged from the edge of its covered area, and never loses coverage', () => {
  const grow = (cover: number) => [...growMask(maskOf([0, 0, cover, 0, 0]), 1).data]
  assert.deepEqual(grow(255), [0, 191, 255, 191, 0])
  assert.deepEqual(grow(128), [0, 191, 255, 191, 0])
  assert.deepEqual(grow(51), [0, 180, 255, 180, 0])
  assert.deepEqual([...growMask(maskOf([0, 100, 0]), 0).data], [0, 164, 0])
})

test('trim finds the area inside a border of one color, with small differences, or of full transparency', () => {
  type Pixel = readonly [number, number, number, number]
  const areaOf = (...rows: Pixel[][]) =>
    withinBorder({
      data: Buffer.from(rows.flat(2)),
      width: rows[0]?.length ?? 0,
      height: rows.length,
      channels: 4,
    })
  const [white, near, far, blue, clear]: Pixel[] = [
    [255, 255, 255, 255],
    [255, 255, 245, 255],
    [255, 255, 244, 255],
    [0, 0, 255, 255],
    [9, 9, 9, 0],
  ] as [Pixel, Pixel, Pixel, Pixel, Pixel]
  const faded: Pixel = [255, 255, 255, 244]
  assert.deepEqual(
    areaOf(
      [white, near, white, white],
      [white, far, white, white],
      [white, white, blue, white],
      [near, white, white, white],
    ),
    { left: 1, top: 1, width: 2, height: 2 },
  )
  assert.deepEqual(areaOf([white, white], [white, faded]), { left: 1, top: 1, width: 1, height: 1 })
  assert.deepEqual(areaOf([white, white], [clear, white]), { left: 0, top: 1, width: 1, height: 1 })
  assert.deepEqual(areaOf([clear, [0, 0, 0, 0], blue], [clear, clear, clear]), { left: 2, top: 0, width: 1, height: 1 })
  assert.deepEqual(areaOf([blue, white], [white, blue]), { left: 0, top: 0, width: 2, height: 2 })
  assert.equal(areaOf([white, near], [near, white]), undefined)
  assert.equal(areaOf([clear, clear]), undefined)
})
