import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyColor } from './key-color.ts'

type Pixel = readonly [number, number, number, number]

const cornerOf = (width: number, pixelAt: (x: number, y: number) => Pixel) =>
  keyColor(
    {
      data: Buffer.from(
        Array.from({ length: width * 16 }, (_, at) => pixelAt(at % width, Math.floor(at / width))).flat(),
      ),
      width,
      height: 16,
      channels: 4,
    },
    10,
  )

test('the color and the noise of a background are measured in the opaque pixels of the corner that are near its first pixel', () => {
  const gray = (value: number, alpha = 255): Pixel => [value, value, value, alpha]
  const rows: [string, ReturnType<typeof keyColor>, number, number][] = [
    ['all equal', cornerOf(16, () => gray(100)), 100, 0],
    ['the first pixel is an outlier', cornerOf(16, (x, y) => gray(x + y === 0 ? 105 : 100)), 100, 0.005],
    ['half is transparent', cornerOf(16, (x) => gray(x < 5 ? 100 : 104, x < 5 ? 255 : 0)), 100, 0],
    ['almost transparent pixels count', cornerOf(16, (x) => gray(x < 5 ? 100 : 104, x < 5 ? 255 : 1)), 104, 1.57],
    ['half is of another color', cornerOf(16, (x) => gray(x < 5 ? 100 : 111)), 100, 0],
    ['a difference of exactly the maximum', cornerOf(16, (x) => gray(x < 5 ? 100 : 110)), 110, 3.92],
    ['pixels outside the corner', cornerOf(20, (x) => gray(x < 16 ? 100 : 104)), 100, 0],
    ['a narrow image', cornerOf(15, (x) => gray(x < 1 ? 100 : 104)), 100, 0],
  ]
  for (const [what, { color, noise }, expected, scatter] of rows) {
    assert.deepEqual(color, [expected, expected, expected], what)
    assert.ok(Math.abs(noise - scatter) < 0.03, `${what}: ${noise}`)
  }
})
