import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coveredRanges, isCovered } from './covered-ranges.ts'
import type { ReachMap } from './reach-map.ts'
import { hashOf, reaches } from './reach-map.ts'

const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count })

test('the mutation tool counts a code position as executed if its innermost coverage range was executed in any process', () => {
  const first = { functions: [{ ranges: [range(0, 20, 1), range(5, 10, 0)] }, { ranges: [range(12, 15, 0)] }] }
  assert.deepEqual(coveredRanges([first], 20), [0, 5, 10, 12, 15, 20])
  const second = { functions: [{ ranges: [range(0, 20, 0)] }, { ranges: [range(12, 15, 2)] }] }
  const both = coveredRanges([first, second], 20)
  assert.deepEqual(both, [0, 5, 10, 20])
  assert.deepEqual(
    [0, 4, 5, 9, 10, 19, 20].map((at) => isCovered(both, at)),
    [true, true, false, false, true, true, false],
  )
  assert.deepEqual(coveredRanges([], 5), [])
  assert.equal(isCovered([], 0), false)
})

test("the mutation tool's map of executed code returns true for executed code and changed files, and undefined for an unknown test", () => {
  const [text, own] = ['const a = 1\n', 'test(1)\n']
  const map: ReachMap = {
    'a.test.ts': {
      own: hashOf(own),
      ms: 5,
      isGreen: true,
      reached: { 'packages/server/src/a.ts': { text: hashOf(text), ranges: [0, 6] } },
    },
    'red.test.ts': { own: hashOf(own), ms: 5, isGreen: false, reached: {} },
  }
  const reach = (test: string, place: { path?: string; text?: string; at: number }, is = own) =>
    reaches(map, { test, own: is }, { path: 'packages/server/src/a.ts', text, ...place })
  assert.equal(reach('a.test.ts', { at: 3 }), true)
  assert.equal(reach('a.test.ts', { at: 6 }), false)
  assert.equal(reach('a.test.ts', { at: 6, text: `${text}//\n` }), true)
  assert.equal(reach('a.test.ts', { at: 6 }, `${own}test(2)\n`), true, 'the test has changed')
  assert.equal(reach('a.test.ts', { at: 3, path: 'packages/server/src/b.ts' }), false)
  assert.equal(reach('red.test.ts', { at: 3 }), undefined)
  assert.equal(reach('new.test.ts', { at: 3 }), undefined)
})
