import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteRanges } from './byte-ranges.ts'

test('in a set of stored byte ranges, adjacent ranges are merged, and a gap ends where the next stored range starts', () => {
  const ranges = new ByteRanges()
  ranges.add(10, 20)
  ranges.add(40, 50)
  assert.deepEqual(
    [9, 10, 19, 20].map((offset) => ranges.endFrom(offset)),
    [undefined, 20, 20, undefined],
  )
  assert.deepEqual(
    [ranges.gapEnd(0, 100), ranges.gapEnd(20, 100), ranges.gapEnd(20, 30), ranges.gapEnd(50, 60)],
    [10, 40, 30, 60],
  )
  ranges.add(20, 30)
  ranges.add(30, 30)
  assert.deepEqual([ranges.endFrom(10), ranges.endFrom(30)], [30, undefined])
  ranges.add(25, 45)
  assert.equal(ranges.endFrom(10), 50)
})
