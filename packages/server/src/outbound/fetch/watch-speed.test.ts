import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { watchSpeed } from './watch-speed.ts'

const limits = { stallMs: 20_000, minBytesPerSecond: 100, paceMs: 30_000 }

function watched(t: TestContext) {
  let now = 1000
  let bytes = 0
  let isOurs = false
  const slow: string[] = []
  t.mock.timers.enable({ apis: ['setInterval'] })
  t.mock.method(performance, 'now', () => now)
  const pace = watchSpeed(() => (isOurs ? undefined : bytes), { limits, onSlow: (how) => slow.push(how) })
  const pass = (seconds: number, bytesEach: number) => {
    for (let second = 0; second < seconds; second += 1) {
      now += 1000
      bytes += bytesEach
      t.mock.timers.tick(1000)
    }
  }
  const waitForUs = (seconds: number) => {
    isOurs = true
    pass(seconds, 0)
    isOurs = false
  }
  return { slow, pass, waitForUs, pace }
}

test('the speed check reports a server as stalled once if it sends nothing for the stall timeout [sources.download.1]', (t) => {
  const { slow, pass } = watched(t)
  pass(19, 0)
  assert.deepEqual(slow, [])
  pass(1, 0)
  assert.deepEqual(slow, ['stopped sending'])
  pass(60, 0)
  assert.deepEqual(slow, ['stopped sending'])
})

test('each received byte restarts the stall timeout of a download [sources.download.1]', (t) => {
  const { slow, pass } = watched(t)
  pass(2, 0.5)
  pass(19, 0)
  assert.deepEqual(slow, [], 'it was seen after two seconds')
  pass(1, 0)
  assert.deepEqual(slow, ['stopped sending'])
})

test('the speed check accepts a server at the minimum speed, and reports a slower server after half a minute [sources.download.2]', (t) => {
  const enough = watched(t)
  enough.pass(300, limits.minBytesPerSecond)
  assert.deepEqual(enough.slow, [])
  t.mock.timers.reset()
  t.mock.restoreAll()
  const { slow, pass } = watched(t)
  pass(29, limits.minBytesPerSecond - 1)
  assert.deepEqual(slow, [])
  pass(60, limits.minBytesPerSecond - 1)
  assert.deepEqual(slow, ['sends too slowly'])
})

test('half a minute below the minimum speed is too slow, even if the transfer was fast before [sources.download.2]', (t) => {
  const { slow, pass } = watched(t)
  pass(30, 1_000_000)
  pass(31, 1)
  assert.deepEqual(slow, ['sends too slowly'])
})

test('the speed check ignores the time for which a transfer waits for the local disk [sources.download.2]', (t) => {
  const { slow, pass, waitForUs } = watched(t)
  pass(10, 150)
  waitForUs(120)
  pass(18, 0)
  assert.deepEqual(slow, [], 'it has all of its time again')
  pass(1, 3000)
  waitForUs(25)
  pass(10, 100)
  assert.deepEqual(slow, [], 'the speed is that of the time in which it could send')
  pass(60, 0)
  assert.deepEqual(slow, ['stopped sending'])
})

test('the speed check ends with the transfer', (t) => {
  const { slow, pass, pace } = watched(t)
  pace[Symbol.dispose]()
  pass(100, 0)
  assert.deepEqual(slow, [])
})
