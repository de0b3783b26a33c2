import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScriptedResponse } from '@mediamill/lab/support/scripted-fetch'
import { scriptedRejection, scriptFetch } from '@mediamill/lab/support/scripted-fetch'
import { createVirtualClock } from '@mediamill/lab/support/virtual-clock'
import { ApiError, ConnectionError, Mediamill, TimeoutError } from '../index.ts'
import { withClock } from './clock.ts'
import type { WaitNotice } from './throttle.ts'

const ACCOUNT = { body: { object: 'account' } }

function scripted(responses: ScriptedResponse[], options = {}) {
  const clock = createVirtualClock()
  const fetch = scriptFetch((_call, index) => responses[index] ?? ACCOUNT)
  return {
    clock,
    fetch,
    client: new Mediamill(withClock({ baseUrl: 'https://m.example/', apiKey: 'svc_test_a', fetch, ...options }, clock)),
  }
}

const limited = (code: string, seconds: string) =>
  scriptedRejection(429, 'rate_limited', code, { 'retry-after': seconds })

/** Returns whether a client slept exactly once: for this Retry-After plus at most 20 %. */
const isSpread = (slept: number[], seconds: number) =>
  slept.length === 1 && slept.every((ms) => ms >= seconds * 1000 && ms <= seconds * 1200)

test('clients that get the same Retry-After retry at different times, and never before the time in Retry-After [limits.rate.3]', async () => {
  const rejections = [
    limited('rate_limited', '10'),
    limited('concurrency_limited', '10'),
    scriptedRejection(503, 'server_error', 'unavailable', { 'retry-after': '10' }),
  ]
  for (const rejection of rejections) {
    const pauses = new Set<number>()
    for (let client = 0; client < 20; client += 1) {
      const one = scripted([rejection])
      await one.client.account.retrieve()
      assert.ok(isSpread(one.clock.slept, 10), String(one.clock.slept))
      pauses.add(Math.round(one.clock.slept[0] ?? 0))
    }
    assert.ok(pauses.size > 10, `${pauses.size} different pauses of 20`)
  }
})

test('clients that wait for a free slot retry at different times, even after repeated rejections', async () => {
  const pauses = new Set<number>()
  for (let client = 0; client < 20; client += 1) {
    const one = scripted(Array.from({ length: 4 }, () => limited('concurrency_limited', '1')))
    await one.client.account.retrieve()
    const last = one.clock.slept.at(-1) ?? 0
    assert.ok(last >= 8000 && last <= 9600, `${last}`)
    pauses.add(Math.round(last))
  }
  assert.ok(pauses.size > 10, `${pauses.size} different pauses of 20`)
})

test('the client retries temporary errors: no response, 408, 5xx, the rate limit, no free slot, and an idempotency key in use', async () => {
  const passing: [string, ScriptedResponse][] = [
    ['connection', new TypeError('fetch failed')],
    ['408', { status: 408 }],
    ['500', scriptedRejection(500, 'server_error', 'server_error')],
    ['502 of a proxy', { status: 502 }],
    ['minute', limited('rate_limited', '7')],
    ['place', limited('concurrency_limited', '1')],
    ['key in use', scriptedRejection(409, 'conflict', 'idempotency_key_in_use', { 'retry-after': '1' })],
  ]
  for (const [name, response] of passing) {
    const { client, fetch, clock } = scripted([response, response])
    assert.equal((await client.account.retrieve()).object, 'account', name)
    assert.equal(fetch.calls.length, 3, name)
    assert.equal(clock.timers, 0, name)
  }
})

test('the client throws an error for a response from another server, such as a proxy, and never returns the response', async () => {
  for (const text of ['<html>Welcome</html>', '', 'null', '"queued"', '{"id": 1']) {
    const fetch = async () => new Response(text)
    const client = new Mediamill({ baseUrl: 'https://m.example', apiKey: 'svc_test_a', fetch, maxRetries: 0 })
    const source = 'https://example.com/a.jpg'
    const calls = [
      () => client.account.retrieve(),
      () => client.images.read({ source }),
      () => client.images.read({ source }).wait(),
      () => client.requests.list(),
      () => client.uploads.create(new Blob(['a'])),
    ]
    for (const call of calls) {
      await assert.rejects(
        async () => await call(),
        (error: unknown) => error instanceof ConnectionError && /not JSON: check the base URL/.test(error.message),
        text,
      )
    }
  }
})

test('the client reports one pause for each rejected call, with the limit that caused the rejection (rate or concurrency)', async () => {
  const notices: WaitNotice[] = []
  const rejections = [limited('rate_limited', '10'), limited('concurrency_limited', '10')]
  const { client } = scripted(rejections, { onWait: (notice: WaitNotice) => notices.push(notice) })
  await client.account.retrieve()
  assert.deepEqual(
    notices.map(({ reason }) => reason),
    ['rate_limit', 'concurrency_limit'],
  )
})

test('a Retry-After with a time of day, as proxies send it, counts from the Date of the same response [limits.rate.3]', async () => {
  const headers = { date: 'Sun, 22 Nov 2026 08:00:00 GMT', 'retry-after': 'Sun, 22 Nov 2026 08:00:09 GMT' }
  const { client, clock } = scripted([scriptedRejection(429, 'rate_limited', 'rate_limited', headers)])
  await client.account.retrieve()
  assert.ok(isSpread(clock.slept, 9), String(clock.slept))
})

test('the client does not retry errors that are not temporary', async () => {
  const lasting: ScriptedResponse[] = [
    scriptedRejection(401, 'authentication', 'invalid_api_key'),
    scriptedRejection(404, 'not_found', 'request_not_found'),
    scriptedRejection(409, 'conflict', 'request_finished', { 'retry-after': '1' }),
    scriptedRejection(409, 'conflict', 'idempotency_key_reused', { 'retry-after': '1' }),
    scriptedRejection(422, 'invalid_request', 'validation_failed'),
    limited('test_mode_daily_limit', '30'),
    limited('rate_limited', '61'),
  ]
  for (const response of lasting) {
    const { client, fetch } = scripted([response])
    await assert.rejects(client.account.retrieve(), ApiError)
    assert.equal(fetch.calls.length, 1)
  }
})

test('the client waits for a Retry-After of up to a minute, throws for a longer Retry-After, and increases its pauses without Retry-After [limits.rate.3]', async () => {
  const obeyed = scripted([limited('rate_limited', '60')])
  await obeyed.client.account.retrieve()
  assert.ok(isSpread(obeyed.clock.slept, 60), String(obeyed.clock.slept))
  const told = scripted([limited('rate_limited', '61')])
  await assert.rejects(told.client.account.retrieve(), {
    retryAfterSeconds: 61,
    code: 'rate_limited',
    requestId: 'req_1',
  })
  const growing = scripted(
    Array.from({ length: 6 }, () => new TypeError('x')),
    { maxRetries: 6 },
  )
  await growing.client.account.retrieve()
  for (const [index, maximum] of [500, 1000, 2000, 4000, 8000, 8000].entries()) {
    const ms = growing.clock.slept[index] ?? 0
    assert.ok(ms >= maximum * 0.75 && ms <= maximum, `pause ${index}: ${ms}`)
  }
})

test('the client stops retrying after the maxRetries of the client or of the call', async () => {
  const down = Array.from({ length: 20 }, () => new TypeError('fetch failed', { cause: new Error('refused') }))
  const { client, fetch } = scripted(down, { maxRetries: 1 })
  await assert.rejects(client.account.retrieve(), (error: unknown) => {
    assert.ok(error instanceof ConnectionError && !(error instanceof TimeoutError))
    assert.match(error.message, /^No response from https:\/\/m\.example: refused$/)
    return true
  })
  assert.equal(fetch.calls.length, 2)
  await assert.rejects(client.account.retrieve({ maxRetries: 0 }), ConnectionError)
  assert.equal(fetch.calls.length, 3)
})

test('all attempts of a call use one idempotency key, which is different for each call and is included in errors [idempotency.replays.1]', async () => {
  const { client, fetch } = scripted([
    new TypeError('a'),
    new TypeError('b'),
    new TypeError('c'),
    { status: 503 },
    { status: 401 },
  ])
  let error: unknown
  await assert.rejects(client.images.read({ source: 'https://example.com/a.jpg' }), (thrown: unknown) => {
    error = thrown
    return true
  })
  const keys = fetch.calls.map(({ headers }) => headers.get('idempotency-key'))
  assert.equal(new Set(keys).size, 1)
  assert.match(keys[0] ?? '', /^sdk-[0-9a-f-]{36}$/)
  assert.equal((error as ConnectionError).idempotencyKey, keys[0])
  await assert.rejects(client.images.read({ source: 'https://example.com/a.jpg' }), { status: 401 })
  assert.notEqual(fetch.calls.at(-1)?.headers.get('idempotency-key'), keys[0])
  await client.images.read({ source: 'https://example.com/a.jpg' }, { idempotencyKey: 'order-1' })
  assert.equal(fetch.calls.at(-1)?.headers.get('idempotency-key'), 'order-1')
})

test('an abort that is retried after a lost response succeeds, and returns no conflict error', async () => {
  const request = { id: 17, status: 'aborted' }
  const finished = scriptedRejection(409, 'conflict', 'request_finished')
  const { client, fetch } = scripted([new TypeError('cut'), finished, { body: request }])
  assert.deepEqual(await client.requests.abort(17), request)
  assert.deepEqual(
    fetch.calls.map(({ method, path }) => `${method} ${path}`),
    ['POST /v1/requests/17/abort', 'POST /v1/requests/17/abort', 'GET /v1/requests/17'],
  )
  const other = scripted([new TypeError('cut'), finished, { body: { id: 17, status: 'succeeded' } }])
  await assert.rejects(other.client.requests.abort(17), { code: 'request_finished' })
  const once = scripted([finished])
  await assert.rejects(once.client.requests.abort(17), { code: 'request_finished' })
})

test('the client sends no API key to the target of a redirect, and names the base URL in the error for a response without JSON', async () => {
  const moved = scripted([{ status: 301, headers: { location: 'https://www.m.example/v1/account' } }])
  await assert.rejects(moved.client.account.retrieve(), /redirects to https:\/\/www\.m\.example.*base URL/)
  const page = scripted([], { fetch: async () => new Response('<html>'), maxRetries: 0 })
  await assert.rejects(page.client.account.retrieve(), /not JSON: check the base URL/)
})
