import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTimeout } from './with-timeout.ts'

const never = new Promise<string>(() => {})

test('withTimeout() returns the result or error of work that settles in time, and leaves no timer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let lates = 0
  const late = () => {
    lates += 1
    return 'late'
  }
  assert.equal(await withTimeout(Promise.resolve('done'), 100, late), 'done')
  await assert.rejects(withTimeout(Promise.reject(new Error('broken')), 100, late), /broken/)
  t.mock.timers.tick(200)
  assert.equal(lates, 0)
})

test('if the work takes longer than the timeout, withTimeout() returns the result of its fallback function exactly at the timeout', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let isSettled = false
  const waiting = withTimeout(never, 100, () => 'late').finally(() => {
    isSettled = true
  })
  t.mock.timers.tick(99)
  await Promise.resolve()
  assert.equal(isSettled, false)
  t.mock.timers.tick(1)
  assert.equal(await waiting, 'late')
})

test('withTimeout() rejects with the error that its fallback function throws, and ignores a later error of the work', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const work = Promise.withResolvers<string>()
  const waiting = withTimeout(work.promise, 100, () => {
    throw new Error('too late')
  })
  t.mock.timers.tick(100)
  await assert.rejects(waiting, /too late/)
  work.reject(new Error('nobody hears this'))
  await new Promise((resolve) => setImmediate(resolve))
})
