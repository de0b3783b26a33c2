import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@mediamill/lab/support/process'
import { every } from './every.ts'

test('every() repeats work until its AbortSignal aborts', { timeout: 60_000 }, async () => {
  const controller = new AbortController()
  let runs = 0
  every(1, controller.signal, async () => {
    runs += 1
    if (runs === 3) controller.abort()
  })
  await until(() => runs >= 3)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(runs, 3)
})
