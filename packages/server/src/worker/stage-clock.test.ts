import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StageClock } from './stage-clock.ts'

test('a processing stage lasts until the next stage starts or the durations are read; a stage that never started lasts 0 ms [requests.object.7]', () => {
  let now = 100
  const clock = new StageClock(() => now)
  now = 130.4
  clock.enter('process')
  now = 1030.4
  assert.deepEqual(clock.read(), { downloadMs: 30, processMs: 900, storeMs: 0 })
  clock.enter('store')
  now = 1035.9
  assert.deepEqual(clock.read(), { downloadMs: 30, processMs: 900, storeMs: 6 })
})
