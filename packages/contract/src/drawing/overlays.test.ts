import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Gravity } from './overlays.ts'
import { anchorWatermark, GRAVITIES, watermarkSize } from './overlays.ts'

const frame = { width: 101, height: 60 }
const mark = { width: 20, height: 10 }
const at = { x: 4, y: 3, stepX: undefined, stepY: undefined }

test('x and y of a watermark are distances from the edges that gravity names, or from the center in a direction without a named edge', () => {
  const expected: Record<Gravity, [number, number]> = {
    north_west: [4, 3],
    north: [45, 3],
    north_east: [77, 3],
    west: [4, 28],
    center: [45, 28],
    east: [77, 28],
    south_west: [4, 47],
    south: [45, 47],
    south_east: [77, 47],
  }
  for (const gravity of GRAVITIES) {
    const { x, y } = anchorWatermark({ ...at, gravity }, frame, mark)
    assert.deepEqual([x, y], expected[gravity], gravity)
  }
})

test('without gravity, x and y of a watermark are used unchanged, as the position of its top left corner', () => {
  assert.deepEqual(anchorWatermark(at, frame, mark), at)
})

test('scale sets the longer side of the watermark to a percentage of the shorter side of the frame', () => {
  assert.deepEqual(watermarkSize(50, frame, mark), { width: 30, height: 15 })
  assert.deepEqual(watermarkSize(50, { width: 60, height: 101 }, { width: 10, height: 20 }), { width: 15, height: 30 })
  assert.deepEqual(watermarkSize(100, frame, { width: 500, height: 1 }), { width: 60, height: 1 })
  assert.deepEqual(watermarkSize(undefined, frame, mark), mark)
})

test('a watermark is placed on whole pixels by default', () => {
  const points = (length: number) => length
  assert.deepEqual(watermarkSize(33, frame, mark, points), { width: 19.8, height: 9.9 })
  const { x } = anchorWatermark({ ...at, gravity: 'center' }, frame, mark, points)
  assert.equal(x, 44.5)
})
