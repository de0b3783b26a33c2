import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import { failure } from '@mediamill/lab/support/failure'
import { evenSize, planVideo } from './video.ts'

const LIMITS = { maxFramePixels: 100_000_000 }
const plan = (operations: object[], source = { width: 96, height: 64 }, limits = LIMITS) =>
  planVideo(operationsSchema('video').parse(operations), source, limits)

const resize = (width: number, height: number) => ({ type: 'resize', width, height, preserve_aspect_ratio: false })

test('each operation starts with the frame size that the previous operation produced [operations.list.1]', () => {
  const { filters, size } = plan([
    { type: 'rotate', degrees: 90 },
    { type: 'border', top: 1, bottom: 2, left: 3, right: 4, color: 'fff' },
    { type: 'crop', x: 10, y: 20, width: 1000, height: 30 },
  ])
  assert.deepEqual(
    filters.map(({ before, after, operation }) => [operation, before, after]),
    [
      [0, { width: 96, height: 64 }, { width: 64, height: 96 }],
      [1, { width: 64, height: 96 }, { width: 71, height: 99 }],
      [2, { width: 71, height: 99 }, { width: 61, height: 30 }],
    ],
  )
  assert.deepEqual(
    [size, evenSize(size)],
    [
      { width: 61, height: 30 },
      { width: 62, height: 30 },
    ],
  )
})

test('operations that change no pixel add no video filters', () => {
  const idle = [
    { type: 'rotate', degrees: -360 },
    { type: 'flip' },
    { type: 'crop', x: 0, y: 0, width: 96, height: 640 },
    { type: 'border', top: 0, bottom: 0, left: 0, right: 0, color: '000' },
    resize(96, 64),
    { type: 'resize', width: 96, height: 2000 },
  ]
  assert.deepEqual(plan(idle).filters, [])
  assert.equal(plan([...idle, { type: 'grayscale' }]).filters.length, 1)
})

test('if an operation needs an odd width, height, or offset, frames have full color resolution from the previous resize, or from the source, up to that operation', () => {
  const mark = { type: 'watermark', image_url: 'https://example.com/a.png', x: 3, y: 5 }
  const even = resize(32, 20)
  const chroma = (operations: object[], source = { width: 96, height: 64 }) => {
    const planned = plan(operations, source)
    return [planned.chroma, ...planned.filters.map((filter) => filter.chroma)].map((kept) => kept[0]).join('')
  }
  assert.equal(chroma([{ type: 'flip' }]), 'h')
  assert.equal(chroma([even, mark, { type: 'grayscale' }]), 'hhhh')
  assert.equal(
    chroma([
      { type: 'crop', x: 2, y: 4, width: 40, height: 20 },
      { type: 'flip', horizontal: true },
    ]),
    'hhh',
  )
  assert.equal(chroma([{ type: 'crop', x: 3, y: 4, width: 40, height: 20 }, even]), 'fff')
  assert.equal(chroma([{ type: 'border', top: 1, bottom: 1, left: 2, right: 2, color: '000' }]), 'ff')
  assert.equal(chroma([{ type: 'grayscale' }, resize(33, 20), mark, even]), 'hhfff')
  assert.equal(chroma([{ type: 'grayscale' }, even, mark, { type: 'crop', x: 3, y: 4, width: 4, height: 8 }]), 'hhfff')
  assert.equal(chroma([{ type: 'flip' }], { width: 95, height: 64 }), 'f')
  assert.equal(chroma([even], { width: 96, height: 63 }), 'ff')
})

test('the planner accepts a frame at the limit, and rejects a larger frame with its operation, limit, and value [limits.media.1]', () => {
  const shrink = resize(64, 64)
  assert.equal(plan([resize(10_000, 10_000), shrink]).filters.length, 2)
  assert.throws(
    () => plan([{ type: 'grayscale' }, resize(10_000, 10_001), shrink]),
    failure(/10000 × 10001 pixels \(100.01 megapixels\); the limit is 100 megapixels/, 1),
  )
  const limits = { maxFramePixels: 96 * 64 }
  assert.equal(plan([{ type: 'grayscale' }], { width: 96, height: 64 }, limits).filters.length, 1)
  assert.throws(
    () => plan([{ type: 'grayscale' }], { width: 97, height: 64 }, limits),
    failure(/source video is 97 × 64/),
  )
})

test('the planner rejects a result that is too large for H.264 [limits.media.5]', () => {
  assert.equal(plan([resize(16_384, 2176)]).filters.length, 1)
  assert.throws(() => plan([resize(16_385, 100)]), failure(/at most 16,384 per side/, 0))
  assert.throws(() => plan([resize(16_384, 2177)]), failure(/35.66 megapixels per frame/, 0))
})

test('the planner rejects a crop outside the frame with its operation [operations.crop.1]', () => {
  assert.throws(
    () => plan([{ type: 'flip' }, { type: 'crop', x: 96, y: 0, width: 1, height: 1 }]),
    failure(/outside the image, which is 96 × 64/, 1),
  )
  assert.throws(
    () => plan([{ type: 'crop', x: 0, y: 64, width: 1, height: 1 }]),
    failure(/Choose x below 96 and y below 64/, 0),
  )
  assert.deepEqual(plan([{ type: 'crop', x: 95, y: 63, width: 9, height: 9 }]).size, { width: 1, height: 1 })
})

test('an odd width or height of a video frame is increased by one pixel, and an even width or height is not changed [videos.process.1]', () => {
  const even = (width: number, height: number) => Object.values(evenSize({ width, height }))
  assert.deepEqual(
    [even(321, 201), even(320, 200), even(322, 185)],
    [
      [322, 202],
      [320, 200],
      [322, 186],
    ],
  )
})
