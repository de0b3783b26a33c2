import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import { MAX_COPIES, planDocument } from './document.ts'

const MARKS = new Map([['https://example.com/logo.png', { width: 40, height: 30 }]])

const planned = (page: { width: number; height: number }, ...operations: object[]) => {
  const watermarks = operations.map((more) => ({
    type: 'watermark',
    image_url: 'https://example.com/logo.png',
    ...more,
  }))
  return planDocument(operationsSchema('document').parse(watermarks), page, MARKS)
}

const places = (page: { width: number; height: number }, operation: object) =>
  planned(page, operation).map((stamp) => (stamp.stamp === 'image' ? [stamp.columns, stamp.rows] : stamp))

test('the plan of a document draws a watermark once at its own size, and skips a watermark outside the page [operations.watermark.1]', () => {
  const page = { width: 100, height: 200 }
  assert.deepEqual(places(page, { x: 10, y: 20 }), [[[10], [20]]])
  assert.deepEqual(places(page, { x: -39, y: 199 }), [[[-39], [199]]])
  for (const at of [
    { x: -40, y: 0 },
    { x: 100, y: 0 },
    { x: 0, y: -30 },
    { x: 0, y: 200 },
  ]) {
    assert.deepEqual(places(page, at), [])
  }
})

test('the plan of a document tiles a watermark right and down from x, y, and draws only copies that overlap the page [operations.watermark.2]', () => {
  const page = { width: 100, height: 100 }
  assert.deepEqual(places(page, { x: 10, y: 20, tile_spacing_x: 45, tile_spacing_y: 80 }), [[[10, 55], [20]]])
  assert.deepEqual(places(page, { x: -100, y: 20, tile_spacing_x: 60 }), [[[20, 80], [20]]])
  assert.deepEqual(places(page, { x: -99, y: 20, tile_spacing_x: 60 }), [[[-39, 21, 81], [20]]])
  assert.deepEqual(places(page, { x: 97, y: 98, tile_spacing_x: 0.5, tile_spacing_y: 1.5 }), [
    [
      [97, 98, 99],
      [98, 99.5],
    ],
  ])
  assert.deepEqual(places(page, { x: 10, y: 20, tile_spacing_x: 0, tile_spacing_y: 0 }), [[[10], [20]]])
})

test('on a page of a document, the diagonal lines are drawn over the watermark image, and are 1/200 of the shorter page side wide', () => {
  const stamps = planned({ width: 400, height: 800 }, { x: 0, y: 0, diagonal_lines_color: 'f00' }, { x: 1, y: 1 })
  assert.deepEqual(
    stamps.map(({ stamp, operation }) => [stamp, operation]),
    [
      ['image', 0],
      ['lines', 0],
      ['image', 1],
    ],
  )
  assert.deepEqual(stamps[1], {
    stamp: 'lines',
    color: { r: 255, g: 0, b: 0, alpha: 255 },
    opacity: 1,
    width: 2,
    operation: 0,
  })
})

test('the plan of a document accepts the maximum number of watermark copies on one page, and rejects one more [limits.media.1]', () => {
  const page = { width: 1000, height: MAX_COPIES / 1000 - 1 }
  const full = { x: 0, y: 0, tile_spacing_x: 1, tile_spacing_y: 1 }
  const line = { x: 0, y: 0, tile_spacing_x: 1 }
  assert.equal(planned(page, full, line).length, 2)
  assert.throws(() => planned(page, full, line, { x: 0, y: 0 }), { code: 'processing_failed', operation: 2 })
  assert.throws(() => planned({ width: 1e9, height: 1e9 }, full), { code: 'processing_failed', operation: 0 })
})

test('gravity and scale place and size a watermark relative to each page, without rounding', () => {
  const anchored = { x: 10, y: 5, gravity: 'south_east', scale: 20 }
  const [stamp] = planned({ width: 200, height: 100 }, anchored)
  assert.ok(stamp?.stamp === 'image')
  assert.deepEqual(stamp.size, { width: 20, height: 15 })
  assert.deepEqual([stamp.columns, stamp.rows], [[170], [80]])
  const [larger] = planned({ width: 400, height: 300 }, anchored)
  assert.ok(larger?.stamp === 'image')
  assert.deepEqual([larger.size, larger.columns, larger.rows], [{ width: 60, height: 45 }, [330], [250]])
})
