import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { IdleTracker, intervalUnlessIdle } from './idle-tracker.ts'

const never = new AbortController().signal
const LONG_MS = 3_600_000

function idleAt(isBusy = () => false) {
  const now = { ms: 0 }
  return { now, idle: new IdleTracker({ isBusy, clock: () => now.ms }) }
}

test('a polling loop slows down only after half a minute without work', async () => {
  const { now, idle } = idleAt()
  now.ms = 29_999
  await idle.rest(LONG_MS, never)
  idle.touch()
  now.ms = 59_998
  await idle.rest(LONG_MS, never)
})

test('a polling loop does not slow down during work, nor for half a minute after it', async () => {
  let isBusy = true
  const { now, idle } = idleAt(() => isBusy)
  now.ms = 600_000
  await idle.rest(LONG_MS, never)
  isBusy = false
  now.ms = 629_999
  await idle.rest(LONG_MS, never)
})

test('new work ends every pause of the polling loops at once', async () => {
  const { now, idle } = idleAt()
  now.ms = 30_000
  let resting = 2
  const rests = [1, 2].map(() => idle.rest(LONG_MS, never).then(() => (resting -= 1)))
  await setImmediate()
  assert.equal(resting, 2)
  idle.touch()
  await Promise.all(rests)
})

test('a pause of a polling loop ends after its duration or with its AbortSignal', async () => {
  const { now, idle } = idleAt()
  now.ms = 30_000
  await idle.rest(1, never)
  const ended = new AbortController()
  const rest = idle.rest(LONG_MS, ended.signal)
  ended.abort()
  await rest
  await idle.rest(LONG_MS, ended.signal)
})

test('a polling loop pauses while it is idle, runs once there is work, and never runs after its end', async () => {
  const { now, idle } = idleAt()
  now.ms = 30_000
  const ended = new AbortController()
  const done = Promise.withResolvers<void>()
  let turns = 0
  intervalUnlessIdle({ intervalMs: 1, idle, restMs: LONG_MS }, ended.signal, async () => {
    turns += 1
    done.resolve()
  })
  // Gives the loop time to start its own wait: each of these waits takes at least a millisecond.
  for (let rest = 0; rest < 5; rest += 1) await idle.rest(1, never)
  assert.equal(turns, 0)
  idle.touch()
  await done.promise
  ended.abort()
})
