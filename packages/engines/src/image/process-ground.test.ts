import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { pixelsOf, png, processed, rawOf } from './process-fixture.ts'

const TURN = { type: 'rotate', degrees: 20 }
const SEE_THROUGH_BORDER = { type: 'border', top: 16, bottom: 16, left: 16, right: 16, color: '#00000000' }
const CUTOUT = { type: 'remove_background', tolerance: 10 }

const EMPTYING = { TURN, SEE_THROUGH_BORDER, CUTOUT }

/** Every operation that changes colors, at a strength that changes white. */
const COLORING = [
  { type: 'filter', name: 'nashville' },
  { type: 'filter', name: 'gotham' },
  { type: 'filter', name: 'kelvin', strength: 60 },
  { type: 'sepia', threshold: 100 },
  { type: 'exposure', brightness: -60, contrast: 20 },
  { type: 'grayscale' },
]

const MOVING = [
  [],
  [{ type: 'border', top: 4, bottom: 4, left: 4, right: 4, color: '#ffffff80' }],
  [{ type: 'crop', x: 0, y: 0, width: 40, height: 30 }],
  [{ type: 'resize', width: 50, height: 50 }],
  [{ type: 'rotate', degrees: 90 }],
]

const photo = () => png(60, 60, (x, y) => (x > 15 && x < 45 && y > 15 && y < 45 ? [40, 120, 200] : [128, 128, 128]))

test('the area outside the image content is white in a jpg, even if a color operation follows [images.process.2]', async () => {
  const source = await photo()
  for (const [name, empty] of Object.entries(EMPTYING)) {
    for (const color of COLORING) {
      for (const moves of MOVING) {
        const operations = [empty, color, ...moves]
        const { at } = await pixelsOf((await processed(source, operations, { output: 'jpg' })).bytes)
        // JPEG ringing changes white by a few levels. Each color operation would change it by at least 16.
        const lowest = Math.min(...at(0, 0), ...at(1, 1))
        assert.ok(lowest >= 245, `${name}, ${JSON.stringify(operations)}: ${at(0, 0)}`)
      }
    }
  }
})

test('a removed background is white in a gif and a tif, even if a color operation follows [operations.remove_background.2]', async () => {
  const source = await photo()
  for (const output of ['gif', 'tif'] as const) {
    for (const color of COLORING) {
      for (const moves of MOVING) {
        const operations = [CUTOUT, color, ...moves]
        const { at } = await pixelsOf((await processed(source, operations, { output })).bytes)
        const [lowest, alpha] = [Math.min(...at(6, 6).slice(0, 3)), at(6, 6)[3]]
        // The palette of a gif changes white by a few levels.
        assert.ok(lowest >= 250 && alpha === 255, `${output}, ${JSON.stringify(operations)}: ${at(6, 6)}`)
      }
    }
  }
})

test('in a gif and a tif, rotated corners stay transparent although the removed background is white [operations.remove_background.2]', async () => {
  const source = await photo()
  const operations = [CUTOUT, { type: 'sepia', threshold: 100 }, { type: 'rotate', degrees: 30 }]
  for (const output of ['gif', 'tif'] as const) {
    const { at, width } = await pixelsOf((await processed(source, operations, { output })).bytes)
    assert.equal(at(0, 0)[3], 0, output)
    assert.ok(Math.min(...at(width >> 1, 8)) >= 250, `${output}: ${at(width >> 1, 8)}`)
  }
})

test('a watermark is visible on the removed background of a gif and a tif [operations.remove_background.2]', async () => {
  const mark = await png(8, 8, () => [200, 0, 0, 255])
  const url = 'https://example.com/mark.png'
  const operations = [CUTOUT, { type: 'sepia', threshold: 100 }, { type: 'watermark', image_url: url, x: 2, y: 2 }]
  for (const output of ['gif', 'tif'] as const) {
    const { at } = await pixelsOf(
      (await processed(await photo(), operations, { output, marks: { [url]: mark } })).bytes,
    )
    assert.ok((at(5, 5)[0] ?? 0) > 190 && (at(5, 5)[1] ?? 0) < 10, `${output}: ${at(5, 5)}`)
    assert.ok(Math.min(...at(12, 12)) >= 250, `${output}: ${at(12, 12)}`)
  }
})

test('after a rotation and a filter, the center of an image has the same color in a jpg as in a png with transparent corners [images.process.2]', async () => {
  const source = await photo()
  const operations = [TURN, { type: 'filter', name: 'gotham' }]
  const kept = await pixelsOf((await processed(source, operations)).bytes)
  const flat = await pixelsOf((await processed(source, operations, { output: 'jpg' })).bytes)
  const [x, y] = [Math.floor(kept.width / 2), Math.floor(kept.height / 2)]
  const middle = kept.at(x, y)
  flat.at(x, y).forEach((value, channel) => assert.ok(Math.abs(value - (middle[channel] ?? 0)) <= 3))
  assert.equal(kept.at(0, 0)[3], 0)
})

test('every frame of an animation keeps transparent corners after a rotation and a filter [images.process.3, operations.rotate.2]', async () => {
  const frames = rawOf(20, 40, (_, y) => (y < 20 ? [200, 60, 60] : [60, 60, 200]))
  const { data, info } = await frames.raw().toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: 3 as const, pageHeight: 20 }
  const bytes = await sharp(data, { raw })
    .gif({ delay: [100, 100] })
    .toBuffer()
  const operations = [TURN, { type: 'filter', name: 'nashville' }]
  for (const output of ['gif', 'webp'] as const) {
    const made = await pixelsOf((await processed({ bytes, format: 'GIF' }, operations, { output })).bytes)
    const height = made.height / 2
    for (const frame of [0, 1]) assert.equal(made.at(0, frame * height)[3], 0, `${output}, frame ${frame}`)
  }
  const still = await pixelsOf((await processed({ bytes, format: 'GIF' }, operations, { output: 'jpg' })).bytes)
  assert.ok(Math.min(...still.at(0, 0)) >= 252)
})
