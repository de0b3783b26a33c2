import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameClock, Timeline } from './timeline.ts'

const base = { num: 1, den: 1000 }
const at = (dts: number, duration = 40) => ({ pts: BigInt(dts), dts: BigInt(dts), duration: BigInt(duration) })

test('the timeline removes large jumps of the timestamps in both directions, and keeps a gap of a few seconds', () => {
  const timeline = new Timeline({ jumps: true })
  const next = (dts: number) => Number(timeline.correction(0, at(dts), base)) + dts
  assert.deepEqual([1000, 1040, 5000, 99_000, 99_040, 200, 240].map(next), [1000, 1040, 5000, 5040, 5080, 5120, 5160])
})

test('audio and video stay in sync if their timestamps jump one after the other', () => {
  const timeline = new Timeline({ jumps: true })
  const next = (stream: number, dts: number) => Number(timeline.correction(stream, at(dts), base)) + dts
  next(0, 1000)
  next(1, 1010)
  assert.deepEqual([next(0, 90_000), next(1, 1050), next(1, 90_030), next(0, 90_040)], [1040, 1050, 1070, 1080])
})

test('the timeline starts with a given time correction, and reports the correction only if it is the same for all streams', () => {
  const timeline = new Timeline({ jumps: true, offsetSeconds: -5 })
  assert.equal(timeline.agreedOffset, -5)
  assert.deepEqual([timeline.correction(0, at(6000), base), timeline.correction(1, at(6010), base)], [-5000n, -5000n])
  assert.equal(timeline.agreedOffset, -5)
  timeline.correction(0, at(90_000), base)
  assert.equal(timeline.agreedOffset, undefined)
  timeline.correction(1, at(90_000), base)
  assert.equal(timeline.agreedOffset, 1.04 - 90)
})

test('the timeline does not correct a step of up to 10 s forward or 1 s back, and corrects all streams by the same amount if their jumps differ by at most 1 s', () => {
  const next = (second: number) => {
    const timeline = new Timeline({ jumps: true })
    timeline.correction(0, at(1000, 0), base)
    return Number(timeline.correction(0, at(second, 0), base))
  }
  assert.deepEqual([11_000, 11_001, 0, -1].map(next), [0, -10_001, 0, 1001])
  const afterCommonJump = (dts: number) => {
    const timeline = new Timeline({ jumps: true })
    timeline.correction(0, at(1000, 0), base)
    timeline.correction(1, at(1000, 0), base)
    timeline.correction(0, at(91_000, 0), base)
    return Number(timeline.correction(1, at(dts, 0), base))
  }
  assert.deepEqual([92_000, 92_001].map(afterCommonJump), [-90_000, -91_001])
  // In a stream without a jump so far, a step back by half a second is not corrected.
  assert.deepEqual([500, 499].map(afterCommonJump), [0, 501])
})

test('the timeline corrects jumps of timestamps only in broadcast formats', () => {
  const timeline = new Timeline({ jumps: false })
  assert.deepEqual(
    [1000, 99_000, 5].map((dts) => timeline.correction(0, at(dts), base)),
    [0n, 0n, 0n],
  )
  assert.equal(timeline.agreedOffset, 0)
})

test('frame times increase: a late frame is dropped, and a frame without a time follows the previous frame', () => {
  const clock = new FrameClock()
  const times = [0n, 40n, 40n, 30n, undefined, 200n].map((pts) => clock.next(pts, 40n))
  assert.deepEqual(times, [0n, 40n, undefined, undefined, 80n, 200n])
})

test('a first frame without a time is at 0, and a frame without a duration lasts as long as the previous frame', () => {
  const clock = new FrameClock()
  const frames = [
    [undefined, 0n],
    [undefined, 40n],
    [undefined, 0n],
    [undefined, 0n],
  ] as const
  assert.deepEqual(
    frames.map(([pts, duration]) => clock.next(pts, duration)),
    [0n, 1n, 41n, 81n],
  )
})
