import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawLines } from './lines.ts'

const red = { r: 255, g: 0, b: 0, alpha: 255 }
const black = (width: number, height: number) => ({
  data: Buffer.alloc(width * height * 3),
  width,
  height,
  channels: 3 as const,
})

test('diagonal_lines_color draws two lines from corner to corner in the requested width [operations.watermark.3]', () => {
  const [width, height, thickness] = [120, 80, 6]
  const frame = black(width, height)
  drawLines(frame, { color: red, opacity: 1, width: thickness })
  const length = Math.hypot(width, height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      // The distance of the pixel's center from the nearer diagonal (Hesse normal form).
      const falling = Math.abs((x + 0.5) * height - (y + 0.5) * width) / length
      const rising = Math.abs((x + 0.5) * height + (y + 0.5) * width - width * height) / length
      const distance = Math.min(falling, rising)
      const value = frame.data[(y * width + x) * 3] ?? 0
      if (distance < thickness / 2 - 1) assert.equal(value, 255, `${x}, ${y} lies in a line`)
      if (distance > thickness / 2 + 1) assert.equal(value, 0, `${x}, ${y} lies beside the lines`)
    }
  }
})

test('the opacity of diagonal lines is multiplied by the alpha of their color, and applied only once where the lines cross [operations.watermark.3]', () => {
  const frame = black(101, 101)
  drawLines(frame, { color: { ...red, alpha: 128 }, opacity: 0.5, width: 5 })
  assert.equal(frame.data[(50 * 101 + 50) * 3], 64)
  assert.equal(frame.data[(20 * 101 + 20) * 3], 64)
})

test('the diagonal lines are drawn even on extremely wide and narrow images', () => {
  for (const [width, height] of [
    [1, 1],
    [300, 1],
    [1, 300],
  ] as const) {
    const frame = black(width, height)
    drawLines(frame, { color: red, opacity: 1, width: 1 })
    assert.ok(frame.data.some((value) => value > 0))
  }
})
