import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@mediamill/contract/domain/errors'
import { naming } from '@mediamill/lab/support/message'
import { RateLimiter } from './rate-limiter.ts'

test('the console rate limiter limits the calls per minute for each name, such as a session, and accepts calls again in the next minute [console.limits.1]', () => {
  let now = 0
  const pace = new RateLimiter(3, { clock: () => now })
  const isLetIn = (name: string) => {
    try {
      pace.enter(name)
      return true
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === 'rate_limited')
      const seconds = Math.ceil((60_000 - now) / 1_000)
      assert.equal(error.retryAfterSeconds, seconds)
      const wait = seconds === 1 ? '1 second' : `${seconds} seconds`
      assert.match(error.message, naming('calls', `in ${wait}.`))
      return false
    }
  }
  assert.deepEqual(
    [1, 2, 3, 4].map(() => isLetIn('a')),
    [true, true, true, false],
  )
  assert.equal(isLetIn('b'), true)
  now = 59_999
  assert.equal(isLetIn('a'), false)
  now = 60_000
  assert.equal(isLetIn('a'), true)
})

test('admits() of the console rate limiter counts a call as enter() does, but returns false instead of throwing an error', () => {
  const pace = new RateLimiter(2, { clock: () => 0 })
  assert.deepEqual([pace.admits('a'), pace.admits('a'), pace.admits('a'), pace.admits('b')], [true, true, false, true])
})

test('the console rate limiter keeps the counts of 10,000 names, and removes the oldest name first', () => {
  const pace = new RateLimiter(1, { clock: () => 0 })
  for (let name = 0; name < 10_001; name += 1) pace.enter(String(name))
  pace.enter('0')
  assert.throws(() => pace.enter('10000'), ApiError)
})
