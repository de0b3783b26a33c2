import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextStamp } from '@mediamill/contract/domain/rendering/stamp'
import { drawText } from './draw-text.ts'

const shadow = { color: '#ff0000', opacity: 100, x: 0, y: 0, blur: 0 }

const textOf = (given: Partial<TextStamp>): TextStamp => ({
  type: 'text',
  text: 'I',
  font: 'arimo_bold',
  size: 600,
  color: '#00000000',
  opacity: 100,
  rotation: 0,
  align: 'left',
  ...given,
})

test('the canvas of a text is larger by its outline, and by the offset and the blur of its shadow', async () => {
  const plain = await drawText(textOf({}))
  const outline = { color: '#0000ff', width: 5 }
  const rows: [Partial<TextStamp>, number, number][] = [
    [{ outline }, 12, 12],
    [{ shadow: { ...shadow, x: 7, y: -3 } }, 7, 3],
    [{ shadow: { ...shadow, x: -7, y: 3 } }, 7, 3],
    [{ shadow: { ...shadow, blur: 5 } }, 16, 16],
    [{ shadow: { ...shadow, x: 2, blur: 4 } }, 12, 12],
    [{ outline, shadow: { ...shadow, x: 20, blur: 4 } }, 12 + 26, 12 + 12],
  ]
  for (const [given, wider, higher] of rows) {
    const { width, height } = await drawText(textOf(given))
    assert.deepEqual([width - plain.width, height - plain.height], [wider, higher], JSON.stringify(given))
  }
})

test('the standard deviation of a blurred shadow is half of its blur, as in CSS', async () => {
  const { pixels, width, height } = await drawText(textOf({ shadow: { ...shadow, blur: 20 } }))
  const alphaAt = (x: number) => pixels[((height >> 1) * width + x) * 4 + 3] ?? 0
  // The edge of the letter is 1.5 times the blur from the edge of the canvas.
  for (const [distance, expected] of [
    [0, 128],
    [10, 40],
    [20, 6],
  ] as const)
    assert.ok(Math.abs(alphaAt(30 - distance) - expected) < 9, `${distance} px: ${alphaAt(30 - distance)}`)
})
