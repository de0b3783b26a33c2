import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScriptedResponse, SentCall } from '@mediamill/lab/support/scripted-fetch'
import { scriptedRejection, scriptedRequest, scriptFetch } from '@mediamill/lab/support/scripted-fetch'
import type { VirtualClock } from '@mediamill/lab/support/virtual-clock'
import { createVirtualClock } from '@mediamill/lab/support/virtual-clock'
import type { MediaRequest } from '../index.ts'
import { Mediamill, RequestAbortedError, RequestFailedError, WaitTimeoutError } from '../index.ts'
import { withClock } from '../transport/clock.ts'

const SOURCE = { source: 'https://example.com/a.jpg' }
const held = (seconds = 25) => ({ headers: { 'preference-applied': `wait=${seconds}` } })

function scripted(response: (call: SentCall, index: number, clock: VirtualClock) => ScriptedResponse) {
  const clock = createVirtualClock()
  const fetch = scriptFetch((call, index) => response(call, index, clock))
  return {
    clock,
    fetch,
    client: new Mediamill(withClock({ baseUrl: 'https://m.example', apiKey: 'svc_test_a', fetch }, clock)),
  }
}

test('processing a small image needs one call, which is a long poll [waiting.prefer.1]', async () => {
  const { client, fetch, clock } = scripted(() => ({ body: scriptedRequest('succeeded'), ...held() }))
  const request = await client.images.read(SOURCE).wait()
  assert.equal(request.status, 'succeeded')
  assert.equal(fetch.calls.length, 1)
  assert.match(fetch.calls[0]?.headers.get('prefer') ?? '', /^wait=\d+$/)
  assert.deepEqual([clock.slept, clock.timers], [[], 0])
})

test('the callback onProgress receives the accepted request before the client waits for its completion', async () => {
  const { client, fetch } = scripted(({ headers }) =>
    headers.has('prefer')
      ? { body: scriptedRequest('succeeded'), ...held() }
      : { status: 202, body: scriptedRequest('queued') },
  )
  const seen: string[] = []
  await client.images.read(SOURCE).wait({ onProgress: ({ id, status }) => seen.push(`${id} ${status}`) })
  assert.deepEqual(seen, ['17 queued', '17 succeeded'])
  assert.equal(fetch.calls.length, 2)
})

test('if the key cannot read requests, a wait repeats its call with the same idempotency key', async () => {
  const { client, fetch } = scripted(({ method, headers }, index) => {
    if (method === 'GET') return scriptedRejection(403, 'permission', 'key_restricted')
    const file = { url: 'https://m.example/a', format: 'jpg', size: 1, sha256: 'a' }
    if (index > 3) return { body: scriptedRequest('succeeded', { result: { data: {}, files: [file] } }), ...held() }
    return { status: 202, body: scriptedRequest('queued'), ...(headers.has('prefer') ? held() : {}) }
  })
  const { result } = await client.images.process({ ...SOURCE, operations: [] }).wait({ onProgress: () => {} })
  assert.equal(typeof result.files[0].bytes, 'function')
  assert.deepEqual(
    fetch.calls.map(({ method }) => method),
    ['POST', 'GET', 'POST', 'POST', 'POST'],
  )
  const started = fetch.calls.filter(({ method }) => method === 'POST')
  assert.equal(new Set(started.map(({ headers, body }) => `${headers.get('idempotency-key')} ${body}`)).size, 1)
})

test('without wait(), the client sends a call with no Prefer header, even if the program does not await the promise', async () => {
  const { client, fetch } = scripted(() => ({ status: 202, body: scriptedRequest('queued') }))
  const started = client.images.read(SOURCE)
  await new Promise(setImmediate)
  assert.equal(fetch.calls.length, 1)
  assert.equal(fetch.calls[0]?.headers.get('prefer'), null)
  assert.equal((await started).status, 'queued')
})

test('a wait sends its long polls without a pause, and throws the error of a failed request [waiting.prefer.1]', async () => {
  const { client, fetch, clock } = scripted((_call, index) =>
    index < 3 ? { body: scriptedRequest('processing'), ...held() } : { body: scriptedRequest('failed'), ...held() },
  )
  await assert.rejects(client.images.read(SOURCE).wait(), (error: unknown) => {
    assert.ok(error instanceof RequestFailedError)
    assert.deepEqual([error.code, error.request.id, error.message], ['unsupported_media', 17, 'No.'])
    assert.equal(error.docUrl, error.request.error.doc_url)
    return true
  })
  assert.deepEqual([fetch.calls.length, clock.slept], [4, []])
  const aborted = scripted(() => ({ body: scriptedRequest('aborted'), ...held() }))
  await assert.rejects(aborted.client.requests.wait(17), RequestAbortedError)
})

test('if a service has no long polls, the client polls at increasing intervals, even after an unknown status', async () => {
  const { client, clock } = scripted((_call, index) => ({
    body: scriptedRequest(index < 9 ? 'thinking' : 'succeeded'),
  }))
  await client.images.read(SOURCE).wait()
  assert.deepEqual(clock.slept.map(Math.round), [375, 563, 844, 1266, 1898, 2848, 4271, 5000])
})

test('a wait of five minutes with a test key gets no 429, on a service without long polls [limits.rate.1]', async () => {
  const made: number[] = []
  let rejected = 0
  const { client, clock } = scripted((_call, _index, { now }) => {
    const recent = made.filter((at) => at > now() - 60_000)
    const oldest = recent[0] ?? now()
    const reset = Math.ceil((oldest + 60_000 - now()) / 1000)
    if (recent.length >= 10) {
      rejected += 1
      return scriptedRejection(429, 'rate_limited', 'rate_limited', { 'retry-after': String(reset) })
    }
    made.push(now())
    const isDone = now() - (made[0] ?? 0) > 300_000
    const headers = { ratelimit: `"calls";r=${9 - recent.length};t=${reset}`, 'ratelimit-policy': '"calls";q=10;w=60' }
    return { body: scriptedRequest(isDone ? 'succeeded' : 'processing'), headers }
  })
  const start = clock.now()
  await client.videos.read(SOURCE).wait()
  assert.equal(rejected, 0)
  const tookMs = clock.now() - start
  assert.ok(tookMs < 330_000, `it was seen to end after ${tookMs} ms`)
})

test("polling for progress uses at most half of the account's calls per minute", async () => {
  for (const [limit, seconds] of [
    [10, 12],
    [30, 4],
    [120, 1],
    [1000, 1],
  ]) {
    const rate = { ratelimit: `"calls";r=${limit};t=60`, 'ratelimit-policy': `"calls";q=${limit};w=60` }
    const { client, fetch } = scripted((_call, index) => ({
      body: scriptedRequest(index < 2 ? 'processing' : 'succeeded', { progress: index * 10 }),
      headers: { ...rate, ...held().headers },
    }))
    const seen: unknown[] = []
    await client.videos
      .read(SOURCE)
      .wait({ onProgress: (r) => seen.push(r.status === 'processing' ? r.progress : r.status) })
    assert.deepEqual(seen, [0, 10, 'succeeded'])
    assert.equal(fetch.calls[1]?.headers.get('prefer'), `wait=${seconds}`)
  }
})

test('the client stops waiting at its deadline, and the service continues the request', async () => {
  const { client, fetch, clock } = scripted(() => ({ body: scriptedRequest('processing') }))
  const start = clock.now()
  await assert.rejects(client.images.read(SOURCE).wait({ timeoutMs: 10_000 }), (error: unknown) => {
    assert.ok(error instanceof WaitTimeoutError)
    assert.equal(error.request?.id, 17)
    assert.match(error.idempotencyKey ?? '', /^sdk-/)
    return true
  })
  assert.deepEqual([clock.now() - start, clock.timers], [10_000, 0])
  assert.ok(fetch.calls.every(({ path }) => !path.endsWith('/abort')))
  const prefer = fetch.calls.map(({ headers }) => Number(headers.get('prefer')?.slice(5) ?? 0))
  assert.ok(prefer.every((seconds) => seconds <= 10))
  assert.ok((prefer.at(-1) ?? 1) < (prefer[0] ?? 0))
})

test('a wait ends two seconds after its deadline if the service does not respond by then', {
  timeout: 60_000,
}, async () => {
  const { client, fetch, clock } = scripted((_call, index, { sleep }) => {
    if (index === 0) return { status: 202, body: scriptedRequest('queued') }
    if (index > 1) return { body: scriptedRequest('succeeded') }
    queueMicrotask(() => void sleep(12_000, undefined))
    return 'nothing'
  })
  await assert.rejects(client.images.read(SOURCE).wait({ timeoutMs: 10_000 }), WaitTimeoutError)
  assert.deepEqual([fetch.calls.length, clock.timers], [2, 0])
})

test('by default, a wait for an image or a PDF ends after 10 minutes, and a wait for a video after 4 hours', async () => {
  const endsAfter = async (wait: (client: Mediamill) => Promise<unknown>) => {
    const { client, clock } = scripted(() => ({ body: scriptedRequest('queued') }))
    const start = clock.now()
    await assert.rejects(wait(client), WaitTimeoutError)
    return clock.now() - start
  }
  assert.equal(await endsAfter(async (client) => await client.images.read(SOURCE).wait()), 600_000)
  assert.equal(await endsAfter(async (client) => await client.documents.read(SOURCE).wait()), 600_000)
  assert.equal(await endsAfter(async (client) => await client.videos.read(SOURCE).wait()), 14_400_000)
  assert.equal(await endsAfter(async (client) => await client.requests.wait(17)), 14_400_000)
})

test('wait() continues after calls that fail, for example during a restart of the service', async () => {
  const { client, fetch } = scripted((_call, index) =>
    index === 0
      ? { body: scriptedRequest('queued') }
      : index < 9
        ? new TypeError('fetch failed')
        : { body: scriptedRequest('succeeded') },
  )
  assert.equal((await client.images.read(SOURCE).wait()).status, 'succeeded')
  assert.equal(fetch.calls.length, 10)
})

test('aborting the AbortSignal of a wait throws the abort reason, aborts the request, and leaves no timer and no listener', async () => {
  for (const state of ['held', 'polled'] as const) {
    const controller = new AbortController()
    const listeners = countListeners(controller.signal)
    const { client, fetch, clock } = scripted(({ method, path }) => {
      if (path.endsWith('/abort')) return { body: scriptedRequest('aborted') }
      if (method === 'POST') return { status: 202, body: scriptedRequest('queued') }
      queueMicrotask(() => controller.abort(new Error('enough')))
      return state === 'held' ? 'nothing' : { body: scriptedRequest('queued') }
    })
    await assert.rejects(client.images.read(SOURCE).wait({ signal: controller.signal }), /^Error: enough$/)
    assert.equal(fetch.calls.at(-1)?.path, '/v1/requests/17/abort')
    assert.deepEqual([clock.timers, listeners()], [0, 0])
  }
})

test('if the AbortSignal aborts during the first call, the client repeats the call with the same idempotency key to get the request id, and aborts the request', async () => {
  const controller = new AbortController()
  const { client, fetch } = scripted(({ path }, index) => {
    if (path.endsWith('/abort')) return { body: scriptedRequest('aborted') }
    if (index > 0) return { body: scriptedRequest('queued'), headers: { 'idempotent-replayed': 'true' } }
    queueMicrotask(() => controller.abort(new Error('enough')))
    return 'nothing'
  })
  await assert.rejects(client.images.read(SOURCE).wait({ signal: controller.signal }), /enough/)
  const [first, second, third] = fetch.calls
  assert.equal(first?.headers.get('idempotency-key'), second?.headers.get('idempotency-key'))
  assert.equal(third?.path, '/v1/requests/17/abort')
})

test('an AbortSignal does not abort a request if onSignal is leave, if the wait did not create the request, or if no request was created', async () => {
  const aborts = async (run: (client: Mediamill, signal: AbortSignal) => Promise<unknown>, replayed = false) => {
    const controller = new AbortController()
    const { client, fetch } = scripted((_call, index) => {
      if (index > 0) queueMicrotask(() => controller.abort(new Error('enough')))
      return { body: scriptedRequest('queued'), headers: replayed ? { 'idempotent-replayed': 'true' } : {} }
    })
    await assert.rejects(run(client, controller.signal), /enough/)
    return fetch.calls.filter(({ path }) => path.endsWith('/abort')).length
  }
  const read = async (client: Mediamill, signal: AbortSignal, more = {}, options = {}) =>
    await client.images.read(SOURCE, options).wait({ signal, ...more })
  assert.equal(await aborts(read), 1)
  assert.equal(await aborts(async (client, signal) => await read(client, signal, { onSignal: 'leave' })), 0)
  assert.equal(await aborts(async (client, signal) => await read(client, signal, {}, { idempotencyKey: 'a' }), true), 0)
  assert.equal(await aborts(async (client, signal) => await client.requests.wait(17, { signal })), 0)
  const { client, fetch } = scripted(() => ({ body: {} }))
  await assert.rejects(client.images.read(SOURCE).wait({ signal: AbortSignal.abort(new Error('before')) }), /before/)
  assert.equal(fetch.calls.length, 0)
})

test('a program can wait for the same request again later, several times', async () => {
  const { client } = scripted((_call, index) => ({ body: scriptedRequest(index === 0 ? 'queued' : 'succeeded') }))
  const started = client.images.read(SOURCE)
  const queued: MediaRequest | { status: string } = await started
  const [one, other] = await Promise.all([started.wait(), started.wait()])
  assert.deepEqual([queued.status, one.status, other.status], ['queued', 'succeeded', 'succeeded'])
})

function countListeners(signal: AbortSignal): () => number {
  let count = 0
  for (const [name, by] of [
    ['addEventListener', 1],
    ['removeEventListener', -1],
  ] as const) {
    const listen = signal[name].bind(signal) as (type: string, listener: () => void) => void
    Object.assign(signal, {
      [name]: (type: string, listener: () => void) => {
        count += by
        listen(type, listener)
      },
    })
  }
  return () => count
}
