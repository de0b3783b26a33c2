import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMade, MAX_CUTS, parsePlan, planOf, segmentsOf } from './video-segments.ts'

const PLAN = {
  version: 2,
  size: 1,
  assets: [],
  cuts: [1000],
  time_base: { num: 1, den: 1 },
  places: [0],
  jumps: [],
  seconds: 0,
  sound: 'none',
  isInterlaced: false,
  encoder: {
    time_base: { num: 1, den: 1 },
    rate: { num: 1, den: 1 },
    matrix: 'bt709',
    primaries: 1,
    transfer: 1,
  },
}

function isPlan(change: object): boolean {
  try {
    parsePlan({ ...PLAN, ...change })
    return true
  } catch {
    return false
  }
}

test('the server accepts a segment plan with a value at its limit, and rejects a plan with a value outside its limits', () => {
  const of = (length: number) => Array.from({ length }, (_, index) => index)
  const ratio = (num: number, den: number) => ({ time_base: { num, den } })
  const jumps = (length: number, cut = 0) => ({ jumps: of(length).map(() => ({ cut, seconds: 0.5 })) })
  assert.equal(isPlan({}), true)
  const bounds: [at: object, past: object][] = [
    [{ size: 1 }, { size: 0 }],
    [{ assets: of(64).map(String) }, { assets: of(65).map(String) }],
    [{ cuts: of(1) }, { cuts: [] }],
    [{ cuts: of(MAX_CUTS) }, { cuts: of(MAX_CUTS + 1) }],
    [ratio(1, 1), ratio(0, 1)],
    [ratio(1, 1), ratio(1, 0)],
    [{ places: of(MAX_CUTS) }, { places: of(MAX_CUTS + 1) }],
    [{ places: [0] }, { places: [-1] }],
    [jumps(64), jumps(65)],
    [jumps(1), jumps(1, -1)],
    [{ seconds: 0 }, { seconds: -1 }],
    [{ version: 2 }, { version: 1 }],
    [{ version: 2 }, { version: 3 }],
    [{ sound: 'beside' }, { sound: 'none at all' }],
  ]
  for (const [at, past] of bounds) {
    assert.equal(isPlan(at), true, JSON.stringify(at).slice(0, 60))
    assert.equal(isPlan(past), false, JSON.stringify(past).slice(0, 60))
  }
})

test('each video segment starts at its cut, and ends at the next cut or at the end of the video', () => {
  const plan = parsePlan({ ...PLAN, cuts: [1800, 3600], time_base: { num: 2, den: 180 }, seconds: 50.5 })
  assert.deepEqual(segmentsOf(plan), [
    { kind: 'video', startSeconds: 0, seconds: 20 },
    { kind: 'video', startSeconds: 20, seconds: 20 },
    { kind: 'video', startSeconds: 40, seconds: 10.5 },
  ])
})

test('separate audio is the first segment, and neither separate audio nor segments after max_duration count toward progress', () => {
  const plan = parsePlan({ ...PLAN, cuts: [10, 30], seconds: 20, sound: 'apart' })
  assert.deepEqual(
    segmentsOf(plan).map(({ kind, seconds }) => [kind, seconds]),
    [
      ['audio', 0],
      ['video', 10],
      ['video', 20],
      ['video', 0],
    ],
  )
})

test('a segment is finished unless its result data has is_made false, and a video has a segment plan only if its result data contains a plan', () => {
  assert.deepEqual([isMade({}), isMade({ is_made: true }), isMade({ is_made: false })], [true, true, false])
  assert.deepEqual(planOf({ plan: JSON.stringify(PLAN) }), PLAN)
  assert.equal(planOf({ reason: 'it cannot be cut' }), undefined)
})
