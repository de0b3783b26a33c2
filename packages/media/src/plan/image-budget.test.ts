import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PixelBudget } from './image-budget.ts'

const SIZE = { width: 10_000, height: 10_000 }
const budget = () => new PixelBudget({ maxFramePixels: 1e8, maxSourcePixels: 1e8 }, new Map())

test('encoding a GIF counts each pixel 3 times toward the work limit, an AVIF 60 times, and a JPEG, PNG, WebP, or TIFF not at all [limits.media.2]', () => {
  for (const format of ['jpg', 'png', 'webp', 'tif'] as const) {
    const spent = budget()
    for (let output = 0; output < 100; output += 1) spent.spendOutput(SIZE, 1, { format })
  }
  const spent = budget()
  for (let output = 0; output < 6; output += 1) spent.spendOutput(SIZE, 1, { format: 'gif' })
  assert.throws(() => spent.spendOutput(SIZE, 1, { format: 'gif' }), /needs 2100 megapixels of work/)
  const sixMegapixels = { width: 3000, height: 2000 }
  const half = budget()
  for (let output = 0; output < 5; output += 1) half.spendOutput(sixMegapixels, 1, { format: 'avif' })
  assert.throws(() => half.spendOutput(sixMegapixels, 1, { format: 'avif' }), /needs 2160 megapixels of work/)
})

test('the error for too much work mentions the search for a quality only if the output has max_bytes or quality auto [outputs.limits.2]', () => {
  assert.throws(
    () => budget().spendOutput(SIZE, 7, { format: 'gif' }),
    /10000 × 10000 pixels in 7 frames as gif needs 2100 megapixels\. Use fewer/,
  )
  assert.throws(
    () => budget().spendOutput(SIZE, 1, { format: 'webp', max_bytes: 1000 }),
    /as webp needs 0 megapixels, and the search for max_bytes or quality "auto" needs 8400 megapixels\. Use fewer/,
  )
})
