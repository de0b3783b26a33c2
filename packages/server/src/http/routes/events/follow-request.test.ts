import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import { endpointNamed } from '@mediamill/contract/endpoints/index'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { LINKS } from '@mediamill/lab/support/deliveries'
import { until } from '@mediamill/lab/support/process'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import fastify from 'fastify'
import { Registry } from 'prom-client'
import { requeue } from '../../../db/requeue-requests.ts'
import { accept } from '../../../requests/accept.ts'
import { claim, updateProgress } from '../../../requests/claim.ts'
import { present } from '../../../requests/present.ts'
import { settle } from '../../../requests/settle.ts'
import { createRequestWatch } from '../../../requests/watch.ts'
import { boundConnections, QUEUE_BOUNDS } from '../../bound-connections.ts'
import { EventStream } from './event-stream.ts'
import { followRequest, sendState } from './follow-request.ts'

const { sql } = await sharedDatabase()

const show = (request: MediaRequest) => present(request, LINKS)
const forever = new AbortController().signal

async function openVideo(): Promise<MediaRequest> {
  const account = await openAccount(sql, 1_000_000_000 as never)
  return await accept(sql, acceptable(account.id, { endpoint: endpointNamed('videos/process') }))
}

const BOUNDS = { ...QUEUE_BOUNDS, maxConnections: 10, maxConnectionsPerAddress: 10, isShared: () => false }

async function serve(
  work: (stream: EventStream, response: ServerResponse) => Promise<unknown>,
  sendTimeoutMs = 30_000,
) {
  const app = fastify({ forceCloseConnections: true })
  boundConnections(app, { ...BOUNDS, sendTimeoutMs }, new Registry())
  const done = Promise.withResolvers<unknown>()
  app.get('/', async (_call, reply) => {
    using stream = new EventStream(reply)
    done.resolve(work(stream, reply.raw))
    await done.promise
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return { port, done: done.promise, [Symbol.asyncDispose]: () => app.close() }
}

async function read(port: number) {
  const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  const events = text
    .split('\n\n')
    .filter((part) => part.startsWith('event: '))
    .map((part) => {
      const [, name, id, data] = /^event: (.*)\nid: (.*)\ndata: (.*)$/.exec(part) ?? []
      return { name, id: Number(id), data: JSON.parse(data ?? '') as { status: string; progress?: number } }
    })
  return { events, pings: text.split(': ping\n\n').length - 1 }
}

const told = ({ id, data }: { id: number; data: { status: string; progress?: number } }) => [
  id,
  data.status,
  data.progress,
]

test('an event stream sends each change of a video once, with increasing versions across attempts, and then the final state [streams.events.1]', async () => {
  using watch = createRequestWatch(sql)
  const request = await openVideo()
  await using server = await serve((stream) =>
    followRequest(stream, request, -1, { watch, show, pingMs: 30_000, signal: forever }),
  )
  const reading = read(server.port)
  const seen = () => until(async () => watch.size === 1)
  await seen()
  const worker = await aliveWorker(sql)
  const first = await claim(sql, worker, 'video', [])
  assert.equal(first?.request.id, request.id)
  await updateProgress(sql, first.lease, 40)
  await requeue(sql, first.lease)
  const second = await claim(sql, worker, 'video', [])
  assert.ok(second)
  await updateProgress(sql, second.lease, 7)
  await updateProgress(sql, second.lease, 99.7)
  assert.ok(await settle(sql, second.lease, succeeded(30_000, 'videos/process'), RETENTION_MS))
  assert.equal(await server.done, true)
  const { events } = await reading
  const ids = events.map(({ id }) => id)
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((one, other) => one - other),
  )
  assert.deepEqual(told(events[0] as never), [0, 'queued', undefined])
  assert.deepEqual([events.at(-1)?.id, events.at(-1)?.data.status], [101, 'succeeded'])
  for (const { id, data } of events) if (data.status === 'processing') assert.equal(id, 1 + (data.progress ?? 0))
  assert.ok(events.every(({ name }) => name === 'request.updated'))
})

test('a client that reconnects to an event stream receives only versions newer than the last version it received [streams.reconnect.1]', async () => {
  using watch = createRequestWatch(sql)
  const request = await openVideo()
  const taken = await claim(sql, await aliveWorker(sql), 'video', [])
  assert.ok(taken)
  await updateProgress(sql, taken.lease, 40)
  const processing = { ...request, status: 'processing', startedAt: new Date(), progress: 40 } as MediaRequest
  await using server = await serve((stream) =>
    followRequest(stream, processing, 41, { watch, show, pingMs: 30_000, signal: forever }),
  )
  const reading = read(server.port)
  await until(async () => watch.size === 1)
  await settle(sql, taken.lease, succeeded(30_000, 'videos/process'), RETENTION_MS)
  assert.deepEqual(
    (await reading).events.map(({ id }) => id),
    [101],
  )
})

test('an idle event stream sends pings, and closes when the process stops watching requests [streams.events.2, streams.events.3]', async () => {
  const watch = createRequestWatch(sql)
  const request = await openVideo()
  await using server = await serve((stream) =>
    followRequest(stream, request, 0, { watch, show, pingMs: 5, signal: forever }),
  )
  const [response] = (await once(get({ port: server.port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > 3 * ': ping\n\n'.length) watch.close()
  }
  assert.match(text, /^(: ping\n\n){3,}$/)
  assert.equal(await server.done, undefined)
})

test('an event stream disconnects a client that does not read, after a limited number of unread bytes [streams.limits.2]', {
  timeout: 60_000,
}, async () => {
  let sent = 0
  await using server = await serve(async (stream, response) => {
    const data = { text: 'x'.repeat(1_000_000) }
    // Without a limit on queued events, 4 GB would be queued.
    for (; sent < 4_000 && !response.destroyed; sent += 1) {
      await stream.send({ name: 'request.updated', id: sent, data })
      assert.ok(response.writableLength < 2_000_000)
    }
    return response.destroyed
  }, 300)
  const socket = connect(server.port, '127.0.0.1').pause()
  socket.on('error', () => undefined)
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  assert.equal(await server.done, true)
  socket.destroy()
  assert.ok(sent < 100, `${sent} MB were sent to who read none`)
})

test('sending a state on an event stream ends when the client has received the state or has disconnected [streams.limits.2]', async () => {
  const shown = show(await openVideo())
  await using server = await serve(async (stream, response) => {
    await sendState(stream, { ...shown, source: 'x'.repeat(30_000_000) }, -1)
    return response.destroyed
  }, 300)
  const socket = connect(server.port, '127.0.0.1').pause()
  socket.on('error', () => undefined)
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  assert.equal(await server.done, true)
  socket.destroy()
})
