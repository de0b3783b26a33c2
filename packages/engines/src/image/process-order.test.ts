import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import type { TestFile } from './process-fixture.ts'
import { difference, pixelsOf, png, processed } from './process-fixture.ts'

/** Returns the color of a pixel. Each pixel has its own color, so that a misplaced pixel is noticed. */
const wave = (x: number, y: number) => [
  128 + 120 * Math.sin(x / 9),
  128 + 120 * Math.cos(y / 7),
  128 + 120 * Math.sin((x + y) / 11),
]

const OPERATIONS = [
  { type: 'watermark', image_url: 'm', x: 5, y: -3 },
  { type: 'border', top: 2, bottom: 3, left: 4, right: 5, color: '#3366cc' },
  { type: 'resize', width: 31, height: 31 },
  { type: 'resize', width: 70, height: 50, preserve_aspect_ratio: false },
  { type: 'resize', width: 33, height: 44, crop_center: true },
  { type: 'crop', x: 3, y: 2, width: 25, height: 17 },
  { type: 'thumbnail', width: 26 },
  { type: 'rotate', degrees: 90, flip_vertical: true },
  { type: 'rotate', degrees: 270 },
  { type: 'flip', horizontal: true },
  { type: 'flip', horizontal: true, vertical: true },
  { type: 'grayscale' },
  { type: 'sepia', threshold: 70 },
  { type: 'exposure', brightness: 5, contrast: 10 },
  { type: 'filter', name: 'nashville', strength: 80 },
  { type: 'compress', quality: 50 },
]

const mark = () => png(9, 8, (x, y) => [x * 20, y * 20, 200, 160])

/** Runs each operation on the lossless result of the previous operation, so that no steps are combined. */
async function oneByOne(source: TestFile, operations: object[], marks: Record<string, TestFile>): Promise<Buffer> {
  let bytes = source.bytes
  for (const operation of operations) bytes = (await processed({ bytes, format: 'PNG' }, [operation], { marks })).bytes
  return bytes
}

test('the second of two operations runs on the output of the first [operations.list.1]', async () => {
  const source = await png(48, 36, wave)
  const marks = { m: await mark() }
  for (const first of OPERATIONS) {
    for (const second of OPERATIONS) {
      const pair = [first, second]
      const together = (await processed(source, pair, { marks })).bytes
      const { mean, max } = await difference(together, await oneByOne(source, pair, marks))
      // Rotating after a resize rounds some pixels differently. A misplaced pixel differs by far more.
      assert.ok(mean < 0.5 && max <= 12, `${JSON.stringify(pair)}: off by ${mean} in the mean, at most ${max}`)
    }
  }
})

test('after the resize of a partly transparent image, a rotation keeps the color of the image, and a border has exactly the requested color [operations.list.1]', async () => {
  const sky = await png(48, 36, () => [200, 120, 40, 100])
  const resize = { type: 'resize', width: 70, height: 50, preserve_aspect_ratio: false }
  const turned = await pixelsOf((await processed(sky, [resize, { type: 'rotate', degrees: 30 }])).bytes)
  for (let at = 0; at < turned.data.length; at += 4) {
    const [r = 0, g = 0, b = 0, alpha = 0] = turned.data.subarray(at, at + 4)
    if (alpha < 50) continue
    const off = Math.max(Math.abs(r - 200), Math.abs(g - 120), Math.abs(b - 40))
    assert.ok(off <= 6, `${r}, ${g}, ${b} at alpha ${alpha}`)
  }
  const border = { type: 'border', top: 2, bottom: 2, left: 2, right: 2, color: '#12345620' }
  const framed = await pixelsOf((await processed(sky, [resize, border])).bytes)
  assert.deepEqual(framed.at(0, 0), [0x12, 0x34, 0x56, 0x20])
})

test('the image engine rotates, reduces, and crops an image with a profile in the requested order [operations.list.1]', async () => {
  const plain = await png(90, 64, wave)
  const profiled = { ...plain, bytes: await sharp(plain.bytes).withIccProfile('p3').png().toBuffer() }
  const crop = { type: 'crop', x: 2, y: 3, width: 20, height: 9 }
  for (const turn of [
    { type: 'flip', horizontal: true },
    { type: 'flip', vertical: true },
    { type: 'rotate', degrees: 90 },
    { type: 'rotate', degrees: 270, flip_horizontal: true },
  ]) {
    for (const rest of [
      [{ type: 'resize', width: 36, height: 30 }, crop],
      [{ type: 'resize', width: 20, height: 9, crop_center: true }],
    ]) {
      const operations = [turn, ...rest]
      const { mean } = await difference(
        (await processed(profiled, operations)).bytes,
        await oneByOne(plain, operations, {}),
      )
      assert.ok(mean < 2, `${JSON.stringify(operations)}: off by ${mean} in the mean`)
    }
  }
})

test('the image engine runs 20 operations in order [operations.list.1]', async () => {
  const source = await png(48, 36, wave)
  const marks = { m: await mark() }
  const order = [7, 0, 9, 5, 1, 12, 3, 15, 10, 14, 2, 13, 0, 8, 1, 4, 9, 6, 3, 0]
  const operations = order.map((index) => OPERATIONS[index] ?? {})
  const together = (await processed(source, operations, { marks })).bytes
  const { mean } = await difference(together, await oneByOne(source, operations, marks))
  assert.ok(mean < 1.5, `off by ${mean} in the mean`)
})
