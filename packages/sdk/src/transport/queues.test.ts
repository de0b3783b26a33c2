import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScriptedResponse } from '@mediamill/lab/support/scripted-fetch'
import { scriptedRejection, scriptedRequest, scriptFetch } from '@mediamill/lab/support/scripted-fetch'
import { createVirtualClock } from '@mediamill/lab/support/virtual-clock'
import type { WaitNotice } from '../index.ts'
import { ApiError, Mediamill } from '../index.ts'
import { withClock } from './clock.ts'
import { Slots } from './slots.ts'
import { Throttle } from './throttle.ts'

const ticks = async (count = 3) => {
  for (let tick = 0; tick < count; tick += 1) await new Promise(setImmediate)
}

/** A fake service with the real limits: calls in any 60 s, concurrent requests, and concurrent uploads. */
function limitedService({ perMinute = 1_000_000, slots = 1000, uploads = 20, untilRejected = Infinity }) {
  const clock = createVirtualClock()
  const calls: number[] = []
  const active = { starts: 0, uploads: 0 }
  const seen = { rejected: [] as string[], starts: 0, mostStarts: 0, accounts: 0 }
  const reject = (code: string, seconds: number) => {
    seen.rejected.push(code)
    // The requests of another program have finished.
    if (seen.rejected.length === untilRejected) active.starts -= slots
    return scriptedRejection(429, 'rate_limited', code, { 'retry-after': String(seconds) })
  }
  const respond = (path: string): { response: ScriptedResponse; lane?: 'starts' | 'uploads' } => {
    const recent = calls.filter((at) => at > clock.now() - 60_000)
    const oldest = recent[0] ?? clock.now()
    const resetSeconds = Math.max(1, Math.ceil((oldest + 60_000 - clock.now()) / 1000))
    if (recent.length >= perMinute) return { response: reject('rate_limited', resetSeconds) }
    calls.push(clock.now())
    const left = perMinute - recent.length - 1
    const headers = {
      ratelimit: `"calls";r=${left};t=${resetSeconds}`,
      'ratelimit-policy': `"calls";q=${perMinute};w=60`,
    }
    if (path === '/v1/account') {
      seen.accounts += 1
      return { response: { body: { limits: { concurrent_requests: slots } }, headers } }
    }
    const lane = path.startsWith('/v1/uploads') ? 'uploads' : 'starts'
    if (active[lane] >= (lane === 'uploads' ? uploads : slots)) return { response: reject('concurrency_limited', 1) }
    active[lane] += 1
    seen.mostStarts = Math.max(seen.mostStarts, active.starts)
    if (lane === 'starts') seen.starts += 1
    const times = { created_at: new Date(clock.now()), expires_at: new Date(clock.now() + 86_400_000) }
    const body =
      lane === 'starts'
        ? scriptedRequest('succeeded')
        : { id: `upl_${calls.length}`, source: `upload:upl_${calls.length}`, ...times }
    return { response: { body, headers }, lane }
  }
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { response: scripted, lane } = respond(new URL(url as string).pathname)
    await ticks()
    if (lane !== undefined) active[lane] -= 1
    return await scriptFetch(() => scripted)(url, init)
  }
  const notices: WaitNotice[] = []
  const options = { baseUrl: 'https://m.example', apiKey: 'svc_test_a', fetch }
  const client = new Mediamill(withClock({ ...options, onWait: (notice) => notices.push(notice) }, clock))
  return { client, clock, seen, notices, active }
}

test('Promise.all over 1,000 files processes all of them within the rate and concurrency limits of the account', async () => {
  const { client, seen, notices } = limitedService({ perMinute: 120, slots: 10 })
  const done = await Promise.all(
    Array.from({ length: 1000 }, async (_, index) => client.images.read({ source: new Blob([String(index)]) }).wait()),
  )
  assert.ok(done.every(({ status }) => status === 'succeeded'))
  assert.deepEqual([done.length, seen.starts, seen.accounts], [1000, 1000, 1])
  assert.ok(seen.mostStarts > 2 && seen.mostStarts <= 10, `${seen.mostStarts} at once`)
  assert.ok(seen.rejected.length <= 20, `${seen.rejected.length} calls were rejected`)
  assert.ok(notices.length > 0 && notices.every(({ reason, seconds }) => reason === 'rate_limit' && seconds > 0))
})

test("while another program uses all of the account's slots, a call waits for a slot without a timeout", async () => {
  const { client, active, notices, seen } = limitedService({ slots: 4, untilRejected: 500 })
  active.starts = 4
  const source = 'https://example.com/a'
  const ends = await Promise.all([1, 2, 3, 4].map(async () => await client.images.read({ source }).wait()))
  assert.deepEqual([ends.length, seen.rejected.length >= 500], [4, true])
  assert.ok(notices.length > 0 && notices.every(({ reason }) => reason === 'concurrency_limit'))
})

test('the client reports a rate limit pause once, however many calls wait', () => {
  const clock = createVirtualClock()
  const notices: WaitNotice[] = []
  const throttle = new Throttle(clock, (notice) => notices.push(notice))
  for (let call = 0; call < 10; call += 1) throttle.notify('rate_limit', 11_500)
  assert.deepEqual(notices, [{ reason: 'rate_limit', seconds: 12 }])
})

test('the pause of a call that waits for a free slot doubles from 1 s to 8 s, with up to 20 % added at random, and is at least Retry-After', () => {
  const throttle = new Throttle(createVirtualClock())
  const rejection = (code: 'concurrency_limited' | 'unknown', retryAfterSeconds?: number, status = 429) =>
    new ApiError({ status, details: { code }, requestId: undefined, retryAfterSeconds, idempotencyKey: undefined })
  const limited = (retryAfterSeconds?: number) => rejection('concurrency_limited', retryAfterSeconds)
  for (const [index, atLeast] of [1000, 2000, 4000, 8000, 8000].entries()) {
    const pause = throttle.pauseAfter(limited(0), index + 1) ?? 0
    assert.ok(pause >= atLeast && pause <= 1.2 * atLeast, `${pause} ms in place of ${atLeast} to ${1.2 * atLeast} ms`)
  }
  assert.ok((throttle.pauseAfter(limited(60), 1) ?? 0) >= 60_000)
  for (const error of [limited(61), limited(), rejection('unknown', 1), rejection('concurrency_limited', 1, 409)]) {
    assert.equal(throttle.pauseAfter(error, 1), undefined)
  }
  assert.equal(throttle.pauseAfter(new Error('no rejection'), 1), undefined)
})

test("an AbortSignal removes a call from the client's queue without sending it, and the other calls continue", async () => {
  const { client, seen } = limitedService({ slots: 1 })
  const controller = new AbortController()
  const source = 'https://example.com/a'
  const starts = Array.from({ length: 12 }, async (_, index) =>
    client.images.read({ source }).wait(index % 3 === 2 ? { signal: controller.signal } : {}),
  )
  const ends = Promise.allSettled(starts)
  controller.abort(new Error('enough'))
  const outcomes = await ends
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    Array.from({ length: 12 }, (_, index) => (index % 3 === 2 ? 'rejected' : 'fulfilled')),
  )
  assert.equal(seen.starts, 8)
})

test('the time that a call is queued in the client does not count toward the timeout of the wait', async () => {
  const { client } = limitedService({ perMinute: 2, slots: 1 })
  const source = 'https://example.com/a'
  const waits = Array.from({ length: 20 }, async () => client.images.read({ source }).wait({ timeoutMs: 90_000 }))
  assert.equal((await Promise.all(waits)).length, 20)
})

test('with maxRetries 0, a call that exceeds the rate limit fails immediately', async () => {
  const { client } = limitedService({ perMinute: 0 })
  await assert.rejects(client.account.retrieve({ maxRetries: 0 }), { code: 'rate_limited' })
})

test("tasks get the client's slots in the order in which they arrived, and an aborted task gets no slot", async () => {
  const slots = new Slots(1, async () => 2)
  const order: number[] = []
  const take = async (index: number, signal?: AbortSignal) => {
    const release = await slots.take(signal)
    order.push(index)
    return release
  }
  const first = await take(0)
  const { signal } = { signal: AbortSignal.abort(new Error('gone')) }
  await assert.rejects(take(9, signal), /gone/)
  const waiting = [1, 2, 3].map((index) => take(index))
  await ticks()
  assert.deepEqual(order, [0, 1])
  first()
  first()
  await ticks()
  assert.deepEqual(order, [0, 1, 2])
  ;(await waiting[0])?.()
  await ticks()
  assert.deepEqual(order, [0, 1, 2, 3])
})
