import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../support/random.ts'
import { isGrowing, percentile, percentileInterval, trendOf } from './trend.ts'

const HOUR_MS = 3_600_000

const sampled = (valueAt: (hours: number) => number) =>
  Array.from({ length: 120 }, (_, index) => ({ atMs: index * 5000, value: valueAt((index * 5000) / HOUR_MS) }))

test('the soak test distinguishes a leak from noise by the slope per hour and its confidence interval', () => {
  const random = createRandom(7)
  const noise = () => (random.number() - 0.5) * 10
  const flat = trendOf(sampled(() => 100 + noise()))
  assert.ok(Math.abs(flat.mean - 100) < 1 && flat.confidence > 5, JSON.stringify(flat))
  assert.equal(isGrowing(flat, 0.05), false)
  const leaking = trendOf(sampled((hours) => 100 + 120 * hours + noise()))
  assert.ok(Math.abs(leaking.slope - 120) < leaking.confidence + 5, JSON.stringify(leaking))
  assert.equal(isGrowing(leaking, 0.05), true)
  const shrinking = trendOf(sampled((hours) => 100 - 120 * hours))
  assert.equal(isGrowing(shrinking, 0.05), false)
  const little = trendOf(sampled((hours) => 100 + hours))
  assert.equal(isGrowing(little, 0.05), false, 'one percent an hour, however sure')
})

test('for a single block of samples, the confidence interval of the slope in the soak test is infinite', () => {
  assert.equal(trendOf(sampled(() => 1).slice(0, 3)).confidence, Number.POSITIVE_INFINITY)
})

test('a percentile in the soak test is always one of the measured values', () => {
  assert.deepEqual([percentile([3, 1, 2], 0.5), percentile([3, 1, 2], 0.99), percentile([5], 0.5)], [2, 3, 5])
})

test('the confidence interval of a p99 in the soak test is unbounded for few values and narrow for many', () => {
  assert.equal(percentileInterval([1, 2, 3], 0.99)[1], Number.POSITIVE_INFINITY)
  const random = createRandom(9)
  const values = Array.from({ length: 10_000 }, () => random.number())
  for (const share of [0.5, 0.99]) {
    const [low, high] = percentileInterval(values, share)
    assert.ok(low < share && share < high && high - low < 0.03, `${share}: ${low} to ${high}`)
  }
})
