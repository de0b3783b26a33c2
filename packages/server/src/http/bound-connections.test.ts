import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import type { ApiError } from '@mediamill/contract/domain/errors'
import Fastify from 'fastify'
import { Registry } from 'prom-client'
import type { ConnectionBounds } from './bound-connections.ts'
import { boundConnections } from './bound-connections.ts'

const MIB = 1024 * 1024
const LARGE = Buffer.alloc(8 * MIB)
/** A response body that is too large for the socket buffers of the kernel, so the server must queue a part of it. */
const HUGE = Buffer.alloc(64 * MIB)

const GENEROUS: ConnectionBounds = {
  sendTimeoutMs: 60_000,
  maxConnections: 1_000,
  maxConnectionsPerAddress: 1_000,
  maxQueuedBytes: Number.POSITIVE_INFINITY,
  maxQueuedBytesPerAddress: Number.POSITIVE_INFINITY,
  isShared: () => false,
}

async function serve(t: TestContext, differing: Partial<ConnectionBounds>) {
  const registry = new Registry()
  const app = Fastify({ forceCloseConnections: true })
  app.setErrorHandler<ApiError>((error, _call, reply) => {
    void reply.code(error.status).header('retry-after', error.retryAfterSeconds).send(error.code)
  })
  boundConnections(app, { ...GENEROUS, ...differing }, registry)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  app.get('/large', async (_call, reply) => await reply.send(LARGE))
  app.get('/huge', async (_call, reply) => await reply.send(HUGE))
  const handled = { huge: 0 }
  app.get('/huge-counted', async (_call, reply) => {
    handled.huge += 1
    return await reply.send(HUGE)
  })
  app.get('/small', async () => 'small')
  app.get('/livez', async () => 'alive')
  app.get('/poll', async () => {
    await ended
    return 'polled'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(async () => {
    end()
    await app.close()
  })
  const { port } = app.server.address() as AddressInfo
  /** Opens a new connection and sends `count` calls on it. The client does not read the responses. */
  const open = async (path: string, count = 1): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
    t.after(() => socket.destroy())
    await once(socket, 'connect')
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count))
    return socket
  }
  const metric = async (name: string) =>
    Number((await registry.metrics()).split(`\n${name} `)[1]?.split('\n', 1)[0] ?? 0)
  const until = async (isDone: () => Promise<boolean>) => {
    while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { app, open, metric, until, end, handled, url: `http://127.0.0.1:${port}` }
}

const CONNECTIONS = 'mediamill_http_connections'
const closedBy = (reason: string) => `mediamill_http_connections_closed_total{reason="${reason}"}`

/** A clock that only advances when the test calls `advance`. The server checks connections every 5 ms of real time. */
function manualClock() {
  const clock = { time: 0, reads: 0 }
  const now = () => {
    clock.reads += 1
    return clock.time
  }
  /** Advances the clock. Resolves when the server has checked its connections twice at the new time. */
  const advance = async (ms: number): Promise<void> => {
    clock.time += ms
    const target = clock.reads + 4
    while (clock.reads < target) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { clock: { now, checkEveryMs: 5 }, advance }
}

const THIRTY_SECONDS = 30_000

test('a client that accepts no byte for 30 s is disconnected after 30 s, and not before', async (t) => {
  const { clock, advance } = manualClock()
  const { open, metric, until } = await serve(t, { sendTimeoutMs: THIRTY_SECONDS, clock })
  const socket = await open('/huge')
  const [idle, polling] = [await open('/small'), await open('/poll')]
  // While the kernel's buffers have space, the connection seems to accept bytes.
  await until(async () => (await metric(CONNECTIONS)) === 3)
  for (let round = 0; round < 20; round += 1) await advance(0)
  await advance(THIRTY_SECONDS - 1)
  assert.deepEqual([await metric(closedBy('not_reading')), socket.destroyed], [0, false])
  while ((await metric(closedBy('not_reading'))) === 0) await advance(THIRTY_SECONDS)
  await until(async () => (await metric(CONNECTIONS)) === 2)
  assert.deepEqual([idle.destroyed, polling.destroyed], [false, false])
})

test('a client that reads slowly stays connected, even for ten times the send timeout', async (t) => {
  const { clock, advance } = manualClock()
  const { open, metric } = await serve(t, { sendTimeoutMs: THIRTY_SECONDS, clock })
  const slow = await open('/huge')
  await open('/huge')
  let received = 0
  for (let step = 1; step <= 15; step += 1) {
    while (received < 4 * MIB * step) {
      const chunk = slow.read() as Buffer | null
      if (chunk === null) await once(slow, 'readable')
      else received += chunk.length
    }
    await advance((2 / 3) * THIRTY_SECONDS)
  }
  assert.deepEqual([await metric(closedBy('not_reading')), slow.destroyed], [1, false])
})

test('150 connections that never read a large response are closed, and the process frees their queued bytes', async (t) => {
  const { open, metric, until } = await serve(t, { sendTimeoutMs: 300 })
  await Promise.all(Array.from({ length: 150 }, () => open('/large')))
  await until(async () => (await metric(closedBy('not_reading'))) === 150)
  await until(async () => (await metric(CONNECTIONS)) === 0)
})

test('a connection whose client does not read is reset, so that the kernel drops the unsent bytes', async (t) => {
  const { open, metric, until } = await serve(t, { sendTimeoutMs: 300 })
  const socket = await open('/huge')
  await until(async () => (await metric(closedBy('not_reading'))) === 1)
  const [error] = (await once(socket.resume(), 'error')) as [NodeJS.ErrnoException]
  assert.equal(error.code, 'ECONNRESET')
})

test('the send timeout does not close a long poll or an idle connection', async (t) => {
  const { open, metric, until, end } = await serve(t, { sendTimeoutMs: 200 })
  const [polling, idle] = [await open('/poll'), await open('/small')]
  // The server checks all connections together. When it closes this connection, it has also checked the other two.
  await open('/large')
  await until(async () => (await metric(closedBy('not_reading'))) === 1)
  end()
  for (const socket of [polling, idle]) {
    const reading = once(socket, 'data') as Promise<[Buffer]>
    socket.resume()
    const [data] = await reading
    assert.match(String(data), /^HTTP\/1\.1 200 /)
  }
  assert.equal(await metric(closedBy('not_reading')), 1)
})

test('if a client address has too many connections, a further connection gets 429 with Retry-After, except for health probes', async (t) => {
  const { open, url, metric } = await serve(t, { maxConnectionsPerAddress: 2 })
  const held = [await open('/poll'), await open('/poll')]
  const rejected = await fetch(`${url}/small`)
  assert.deepEqual([rejected.status, rejected.headers.get('connection')], [429, 'close'])
  assert.deepEqual([rejected.headers.get('retry-after'), await rejected.text()], ['1', 'rate_limited'])
  assert.equal((await fetch(`${url}/livez`)).status, 200)
  assert.ok((await metric(closedBy('too_many'))) >= 2)
  assert.ok(held.every((socket) => !socket.destroyed))
})

test('if a process has too many connections, a further connection gets 429, even from an address that is exempt from the limit per address', async (t) => {
  const { open, url } = await serve(t, { maxConnections: 2, maxConnectionsPerAddress: 1, isShared: () => true })
  await open('/poll')
  assert.equal((await fetch(`${url}/small`, { headers: { connection: 'close' } })).status, 200)
  await open('/poll')
  assert.equal((await fetch(`${url}/small`)).status, 429)
})

test('a client address with too many unread response bytes gets 429 until its connections read them', async (t) => {
  const { open, url, until } = await serve(t, { maxQueuedBytesPerAddress: 10 * 1024 * 1024 })
  const small = async () => (await fetch(`${url}/small`, { headers: { connection: 'close' } })).status
  assert.equal(await small(), 200)
  const unread = [await open('/large'), await open('/large'), await open('/large')]
  await until(async () => (await small()) === 429)
  for (const socket of unread) socket.resume()
  await until(async () => (await small()) === 200)
})

test('if too many response bytes are queued in a process, the connections with the most queued bytes are closed', async (t) => {
  const { open, url, metric, until } = await serve(t, { maxQueuedBytes: 20 * 1024 * 1024, isShared: () => true })
  const polling = await open('/poll')
  await Promise.all(Array.from({ length: 6 }, () => open('/large')))
  await until(async () => {
    assert.equal((await fetch(`${url}/small`, { headers: { connection: 'close' } })).status, 200)
    return (await metric(closedBy('queued_bytes'))) >= 3
  })
  assert.equal(polling.destroyed, false)
})

test('a pipelined call waits for the previous response, so a client that never reads has at most one queued response', async (t) => {
  const { open, handled, until, url } = await serve(t, {})
  const socket = await open('/huge-counted', 3)
  await until(async () => handled.huge > 0)
  // When the server responds to this call, it has already read the three pipelined calls.
  for (let round = 0; round < 20; round += 1) assert.equal((await fetch(`${url}/small`)).status, 200)
  assert.equal(handled.huge, 1)
  socket.resume()
  await until(async () => handled.huge === 3)
})

test('a connection with more than 64 calls that wait for their responses is closed', async (t) => {
  const { open, metric, until, url } = await serve(t, {})
  const small = async () => {
    for (let round = 0; round < 20; round += 1) assert.equal((await fetch(`${url}/small`)).status, 200)
  }
  const allowed = await open('/huge-counted', 65)
  await small()
  assert.equal(await metric(closedBy('pipelined')), 0)
  await open('/huge-counted', 66)
  await until(async () => (await metric(closedBy('pipelined'))) === 1)
  await small()
  assert.deepEqual([await metric(closedBy('pipelined')), allowed.destroyed], [1, false])
})

test('a connection with too many pipelined calls in one chunk is closed before the rest of the chunk is parsed', async (t) => {
  const { app, open, handled, metric, until } = await serve(t, {})
  let parsed = 0
  app.server.on('request', () => {
    parsed += 1
  })
  await open('/huge-counted', 1_500)
  await until(async () => (await metric(CONNECTIONS)) === 0 && (await metric(closedBy('pipelined'))) === 1)
  assert.deepEqual([parsed, handled.huge], [66, 1])
})
