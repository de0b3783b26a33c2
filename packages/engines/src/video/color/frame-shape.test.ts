import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pixelAspectOf } from './frame-shape.ts'

test("the pixel aspect is the container's value, else the codec's value, else 1, and ignores values outside 1:4 to 4:1", () => {
  const aspect = (num: number, den: number) => ({ num, den })
  assert.equal(pixelAspectOf(aspect(2, 1), aspect(4, 3)), 2)
  assert.equal(pixelAspectOf(aspect(1, 4), aspect(4, 3)), 1 / 4)
  for (const ignored of [aspect(0, 1), aspect(1, 0), aspect(-2, -1), aspect(5, 1), aspect(1, 5)]) {
    assert.equal(pixelAspectOf(ignored, aspect(4, 3)), 4 / 3)
    assert.equal(pixelAspectOf(ignored, ignored), 1)
  }
})
