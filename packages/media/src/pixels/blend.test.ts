import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Placement } from '@mediamill/contract/drawing/overlays'
import { rawNoise } from '@mediamill/lab/support/images'
import { blendMark } from './blend.ts'
import type { RawImage } from './raw-image.ts'

/** Draws a watermark as operations.watermark.2 defines it: copy by copy, pixel by pixel, in floating point. */
function drawnByHand(frame: RawImage, mark: RawImage, { x, y, stepX, stepY }: Placement): number[] {
  const pixels = Array.from(frame.data)
  const begins = (start: number, step: number | undefined, end: number) =>
    step === undefined
      ? [start]
      : Array.from({ length: 200 }, (_, copy) => start + Math.round(copy * step)).filter((at) => at < end)
  for (const top of begins(y, stepY, frame.height)) {
    for (const left of begins(x, stepX, frame.width)) {
      for (let row = 0; row < mark.height; row += 1) {
        for (let column = 0; column < mark.width; column += 1) {
          const [toX, toY] = [left + column, top + row]
          if (toX < 0 || toY < 0 || toX >= frame.width || toY >= frame.height) continue
          const from = (row * mark.width + column) * 4
          const to = (toY * frame.width + toX) * frame.channels
          const alpha = (mark.data[from + 3] ?? 0) / 255
          const below = frame.channels === 4 ? (pixels[to + 3] ?? 0) / 255 : 1
          const sum = alpha + below * (1 - alpha)
          if (sum === 0) continue
          for (let channel = 0; channel < 3; channel += 1) {
            const over = (mark.data[from + channel] ?? 0) * alpha
            pixels[to + channel] = (over + (pixels[to + channel] ?? 0) * below * (1 - alpha)) / sum
          }
          if (frame.channels === 4) pixels[to + 3] = sum * 255
        }
      }
    }
  }
  return pixels
}

function assertNear(actual: RawImage, expected: number[], tolerance: number, what: string) {
  let worst = 0
  for (let at = 0; at < expected.length; at += 1) {
    // The color of a nearly transparent pixel may differ more: only its visible contribution counts.
    const alpha = actual.channels === 4 ? (expected[at - (at % 4) + 3] ?? 0) / 255 : 1
    const weight = at % actual.channels === 3 ? 1 : alpha
    worst = Math.max(worst, Math.abs((actual.data[at] ?? 0) - (expected[at] ?? 0)) * weight)
  }
  assert.ok(worst <= tolerance, `${what}: off by ${worst}`)
}

const once = { stepX: undefined, stepY: undefined }
const places: Record<string, Placement> = {
  'once, inside': { x: 3, y: 4, ...once },
  'once, over the top left corner': { x: -5, y: -2, ...once },
  'once, over the bottom right corner': { x: 25, y: 14, ...once },
  'once, out of sight': { x: 20_000, y: -20_000, ...once },
  'apart in both directions': { x: 2, y: 1, stepX: 11, stepY: 9 },
  'apart, one row': { x: -30, y: 3, stepX: 10, stepY: undefined },
  'apart, one column': { x: 4, y: -40, stepX: undefined, stepY: 8 },
  'apart by a fraction': { x: 1, y: -3, stepX: 9.4, stepY: 7.7 },
  'overlapping in both directions': { x: 1, y: 2, stepX: 3, stepY: 2 },
  'overlapping at every pixel': { x: -2, y: 0, stepX: 1, stepY: 1 },
  'overlapping to the right, apart downwards': { x: 0, y: -1, stepX: 5, stepY: 10 },
  'overlapping by a fraction': { x: -4, y: 1, stepX: 3.5, stepY: 4.25 },
}

test('blending draws a tiled watermark as if each copy were drawn alone, at any position and spacing [operations.watermark.1, operations.watermark.2]', () => {
  for (const [what, place] of Object.entries(places)) {
    for (const channels of [3, 4] as const) {
      const frame = rawNoise(30, 20, channels, 7)
      const mark = rawNoise(8, 6, 4, 3)
      const expected = drawnByHand(frame, mark, place)
      blendMark(frame, mark, place)
      // Where copies overlap, each copy rounds once.
      assertNear(frame, expected, place.stepX !== undefined && place.stepX < 8 ? 3 : 1, `${what}, ${channels} channels`)
    }
  }
})

test('where copies of an opaque watermark overlap, blending keeps the exact bytes of the last copy', () => {
  const mark = rawNoise(8, 6, 4, 5)
  for (let at = 3; at < mark.data.length; at += 4) mark.data[at] = 255
  for (const place of Object.values(places)) {
    const frame = rawNoise(30, 20, 3, 9)
    const expected = drawnByHand(frame, mark, place)
    blendMark(frame, mark, place)
    assert.deepEqual([...frame.data], expected)
  }
})

test('blending draws the visible part of a watermark that is larger than the image', () => {
  const mark = rawNoise(60, 50, 4, 11)
  const frame = rawNoise(7, 5, 4, 2)
  const expected = drawnByHand(frame, mark, { x: -20, y: -10, ...once })
  blendMark(frame, mark, { x: -20, y: -10, ...once })
  assertNear(frame, expected, 1, 'a large mark')
})
