import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SegmentsPlan } from '@mediamill/media/plan/video-segments'
import { boundsOf, groupOf, jumpSecondsOf } from './bounds.ts'
import { CutPicker, countSegments } from './find-cuts.ts'

const BASE = { num: 1, den: 10 }
const wanted = { seconds: 100, segmentSeconds: 20, maxSegments: 350 }

test('the number of segments is the duration divided by the requested segment length, rounded down, up to the maximum', () => {
  assert.equal(countSegments(wanted), 5)
  assert.equal(countSegments({ ...wanted, seconds: 99 }), 4)
  assert.equal(countSegments({ ...wanted, seconds: 39 }), 1)
  assert.equal(countSegments({ ...wanted, seconds: 100_000 }), 350)
})

test('planned cuts are evenly spaced, and a keyframe becomes a cut only if no segment gets shorter than half the planned length', () => {
  const picker = new CutPicker(BASE, wanted)
  assert.deepEqual(picker.targets, [200n, 400n, 600n, 800n])
  for (const time of [99n, 100n, 199n, 200n, 299n, 300n, 900n, 901n]) picker.offer({ time, jumpSeconds: 0 })
  assert.deepEqual(
    picker.cuts.map(({ time }) => time),
    [100n, 200n, 300n, 900n],
  )
})

// Bounds use only these fields of a plan.
const plan = { cuts: [10, 20, 30], jumps: [{ cut: 1, seconds: -5 }] } as unknown as SegmentsPlan

test('a segment ends where the next segment starts; the first segment has no start time, and the last segment has no end time', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((index) => boundsOf(plan, index)),
    [
      { from: undefined, until: 10n },
      { from: 10n, until: 20n },
      { from: 20n, until: 30n },
      { from: 30n, until: undefined },
    ],
  )
})

test('every segment after a jump of the timestamps shifts its times by that jump', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((index) => jumpSecondsOf(plan, index)),
    [0, 0, -5, -5],
  )
})

test('all segments together have about as many keyframes as an unsplit video, and keyframes are at most 500 frames apart', () => {
  for (const [seconds, rate] of [
    [20, 30],
    [20, 25],
    [8, 50],
    [20, 24],
    [20, 60],
    [15, 29.97],
  ] as const) {
    const cuts = Array.from({ length: 29 }, (_, index) => (index + 1) * seconds * 1000)
    const encoder = { rate: { num: rate * 1000, den: 1000 } }
    // Groups use only these fields of a plan.
    const plan = { cuts, time_base: { num: 1, den: 1000 }, seconds: 30 * seconds, encoder } as unknown as SegmentsPlan
    const groups = Array.from({ length: 30 }, (_, index) => groupOf(plan, index))
    const keyframes = groups.reduce((sum, group) => sum + Math.ceil((seconds * rate) / group), 0)
    const inOnePiece = (30 * seconds * rate) / 250
    assert.ok(
      Math.abs(keyframes / inOnePiece - 1) < 0.03,
      `${rate}: ${keyframes} keyframes, ${inOnePiece} in one piece`,
    )
    assert.ok(Math.max(...groups) <= 500, `${rate}: groups of ${Math.max(...groups)}`)
  }
})
