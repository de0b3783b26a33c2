import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Spans } from './spans.ts'

test('ranges that touch become one, and gaps end where the next range begins', () => {
  const spans = new Spans()
  spans.add(10, 20)
  spans.add(40, 50)
  assert.deepEqual(
    [9, 10, 19, 20].map((place) => spans.endFrom(place)),
    [undefined, 20, 20, undefined],
  )
  assert.deepEqual(
    [spans.gapEnd(0, 100), spans.gapEnd(20, 100), spans.gapEnd(20, 30), spans.gapEnd(50, 60)],
    [10, 40, 30, 60],
  )
  spans.add(20, 30)
  spans.add(30, 30)
  assert.deepEqual([spans.endFrom(10), spans.endFrom(30)], [30, undefined])
  spans.add(25, 45)
  assert.equal(spans.endFrom(10), 50)
})
