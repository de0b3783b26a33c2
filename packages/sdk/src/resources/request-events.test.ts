import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedRejection, scriptedRequest } from '@mediamill/lab/support/scripted-fetch'
import { createVirtualClock } from '@mediamill/lab/support/virtual-clock'
import { ConnectionError, Mediamill, NotFoundError } from '../index.ts'
import { withClock } from '../transport/clock.ts'

const update = (id: number, request: object, end = '\n') =>
  `id: ${id}${end}event: request.updated${end}data: ${JSON.stringify(request)}${end}${end}`

/** Returns a client whose event streams contain these texts in small chunks. Further calls fail. */
function streams(texts: (string | Response)[], pieceBytes = 7) {
  const calls: Headers[] = []
  const clock = createVirtualClock()
  const fetch = async (_url: unknown, init: RequestInit = {}) => {
    calls.push(new Headers(init.headers))
    const next = texts.shift()
    if (next === undefined) throw new TypeError('fetch failed')
    if (typeof next !== 'string') return next
    const bytes = new TextEncoder().encode(next)
    let at = 0
    return new Response(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at >= bytes.length) controller.close()
          else controller.enqueue(bytes.slice(at, at + pieceBytes))
          at += pieceBytes
        },
      }),
    )
  }
  const options = { baseUrl: 'https://m.example', apiKey: 'svc_test_a', fetch: fetch as typeof globalThis.fetch }
  return { client: new Mediamill(withClock(options, clock)), calls, clock }
}

async function statesOf(client: Mediamill): Promise<unknown[]> {
  const states: unknown[] = []
  for await (const request of client.requests.events(17)) {
    states.push(request.status === 'processing' ? request.progress : request.status)
  }
  return states
}

const processing = (progress: number) => scriptedRequest('processing', { progress, metadata: { note: 'ü\n\nid: 9' } })

test('following a request yields each of its states up to the end, however the event stream is divided into chunks and lines [streams.events.1]', async () => {
  for (const end of ['\n', '\r\n']) {
    for (const pieceBytes of [1, 7, 100_000]) {
      const text = `retry: 3000${end}${end}: ping${end}${end}${update(1, processing(10), end)}${update(2, scriptedRequest('succeeded'), end)}`
      const { client, clock } = streams([text], pieceBytes)
      assert.deepEqual(await statesOf(client), [10, 'succeeded'], `${JSON.stringify(end)} by ${pieceBytes}`)
      assert.equal(clock.timers, 0)
    }
  }
})

test('if a stream closes before the request ends, a new stream resumes after the last event [streams.reconnect.1]', async () => {
  const { client, calls } = streams([
    update(1, processing(10)),
    update(5, processing(50)),
    update(9, scriptedRequest('failed')),
  ])
  assert.deepEqual(await statesOf(client), [10, 50, 'failed'])
  assert.deepEqual(
    calls.map((headers) => headers.get('last-event-id')),
    [null, '1', '5'],
  )
})

test('the event stream stays usable if the program takes minutes to handle one event', async () => {
  const { client, calls, clock } = streams([`${update(1, processing(10))}${update(2, scriptedRequest('succeeded'))}`])
  for await (const _request of client.requests.events(17)) await clock.sleep(180_000, undefined)
  assert.equal(calls.length, 1)
})

test('the client reopens an event stream without events at most maxRetries times, and never reopens a rejected stream', async () => {
  const silent = streams(['', ': ping\n\n', '', ''])
  await assert.rejects(statesOf(silent.client), ConnectionError)
  assert.equal(silent.calls.length, 3)
  const { status, body } = scriptedRejection(404, 'not_found', 'request_not_found')
  const rejected = streams([Response.json(body, { status })])
  await assert.rejects(statesOf(rejected.client), NotFoundError)
  assert.equal(rejected.clock.timers, 0)
})

test('events are read page by page after the last cursor, without a pause between long polls [events.list.3, events.list.5]', async () => {
  const event = (id: string) => ({
    id,
    object: 'event',
    type: 'request.succeeded',
    created: 1,
    data: scriptedRequest('succeeded'),
  })
  const held = { headers: { 'preference-applied': 'wait=25' } }
  const pages = [[event('evt_2'), event('evt_3')], [], [event('evt_4')]]
  const urls: string[] = []
  const clock = createVirtualClock()
  const fetch = async (url: unknown) => {
    urls.push((url as string).replace('https://m.example', ''))
    return Response.json({ object: 'list', data: pages.shift() ?? [], has_more: false }, held)
  }
  const options = { baseUrl: 'https://m.example', apiKey: 'svc_test_a', fetch: fetch as typeof globalThis.fetch }
  const seen: string[] = []
  for await (const { id } of new Mediamill(withClock(options, clock)).events.follow({ after: 'evt_1' }))
    if (seen.push(id) === 3) break
  assert.deepEqual(seen, ['evt_2', 'evt_3', 'evt_4'])
  assert.deepEqual(urls, ['/v1/events?after=evt_1', '/v1/events?after=evt_3', '/v1/events?after=evt_3'])
  assert.deepEqual(clock.slept, [])
})
