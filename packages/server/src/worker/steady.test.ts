import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSteadiness, STEADY_MS } from './steady.ts'

function touchEverySecond(steadiness: ReturnType<typeof createSteadiness>, from: number, to: number): void {
  for (let now = from; now <= to; now += 1_000) steadiness.touch(now)
}

test('a worker calls nobody lost before it has been in touch with the database for a while', () => {
  const steadiness = createSteadiness(0)
  touchEverySecond(steadiness, 1_000, STEADY_MS)
  assert.equal(steadiness.isSteady(STEADY_MS - 1), false)
  assert.equal(steadiness.isSteady(STEADY_MS), true)
})

test('after an outage of the database everyone has time again to say that he lives', () => {
  const steadiness = createSteadiness(0)
  touchEverySecond(steadiness, 1_000, 60_000)
  assert.equal(steadiness.isSteady(60_500), true)
  assert.equal(steadiness.isSteady(60_000 + STEADY_MS), false, 'it has heard nothing itself')
  const back = 90_000
  steadiness.touch(back)
  assert.equal(steadiness.isSteady(back), false)
  touchEverySecond(steadiness, back + 1_000, back + STEADY_MS)
  assert.equal(steadiness.isSteady(back + STEADY_MS), true)
})

test('a silence of the whole time is an outage: the next one counts anew from its end', () => {
  const steadiness = createSteadiness(0)
  touchEverySecond(steadiness, 1_000, 10_000)
  const back = 10_000 + STEADY_MS
  steadiness.touch(back)
  assert.equal(steadiness.isSteady(back), false)
})

test('a late word is no outage', () => {
  const steadiness = createSteadiness(0)
  touchEverySecond(steadiness, 1_000, 10_000)
  steadiness.touch(10_000 + STEADY_MS - 1)
  assert.equal(steadiness.isSteady(10_000 + STEADY_MS), true)
})
