import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameClock, Timeline } from './timeline.ts'

const base = { num: 1, den: 1000 }
const at = (dts: number, duration = 40) => ({ pts: BigInt(dts), dts: BigInt(dts), duration: BigInt(duration) })

test('removes large forward and backward jumps of the timestamps, and keeps a gap of a few seconds', () => {
  const timeline = new Timeline({ jumps: true })
  const next = (dts: number) => Number(timeline.correction(0, at(dts), base)) + dts
  assert.deepEqual([1000, 1040, 5000, 99_000, 99_040, 200, 240].map(next), [1000, 1040, 5000, 5040, 5080, 5120, 5160])
})

test('streams whose timestamps jump one after another stay in sync', () => {
  const timeline = new Timeline({ jumps: true })
  const next = (stream: number, dts: number) => Number(timeline.correction(stream, at(dts), base)) + dts
  next(0, 1000)
  next(1, 1010)
  assert.deepEqual([next(0, 90_000), next(1, 1050), next(1, 90_030), next(0, 90_040)], [1040, 1050, 1070, 1080])
})

test('changes timestamps only in broadcasts', () => {
  const timeline = new Timeline({ jumps: false })
  assert.deepEqual(
    [1000, 99_000, 5].map((dts) => timeline.correction(0, at(dts), base)),
    [0n, 0n, 0n],
  )
})

test('frame times increase: late frames are dropped, and a frame without a time follows the previous frame', () => {
  const clock = new FrameClock()
  const times = [0n, 40n, 40n, 30n, undefined, 200n].map((pts) => clock.next(pts, 40n))
  assert.deepEqual(times, [0n, 40n, undefined, undefined, 80n, 200n])
})
