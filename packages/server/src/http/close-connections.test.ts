import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '@mediamill/lab/support/process'
import Fastify from 'fastify'
import { closeConnectionsAtStop } from './close-connections.ts'

/** If a connection has no call, a stopping server closes the connection within this time. */
const LONG_MS = 700

const BODY = 'a'.repeat(200_000)
const HEAD = `POST /calls HTTP/1.1\r\nHost: a\r\nContent-Type: text/form\r\nContent-Length: ${BODY.length}\r\n\r\n`
const CALL = HEAD + BODY

const QUIET = { headMs: 500, bodyMs: 2_000 }

/** Starts a server that waits for `read` before it reads the body of a call. Opens a connection to the server. */
async function openServer(t: TestContext, { read = Promise.resolve(), graceMs = 5_000 } = {}) {
  const app = Fastify({ return503OnClosing: false })
  t.after(() => app.close())
  closeConnectionsAtStop(app, graceMs, QUIET)
  app.addContentTypeParser('text/form', async (_call: unknown, body: NodeJS.ReadableStream) => {
    await read
    let bytes = 0
    for await (const chunk of body) bytes += chunk.length
    return bytes
  })
  app.post('/calls', async ({ body }) => `got ${body}`)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const accepted = once(app.server, 'connection')
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  t.after(() => socket.destroy())
  await accepted
  const stop = async () => {
    const stopped = app.close()
    await until(() => !app.server.listening)
    return { stopped }
  }
  return { app, socket, stop, response: responseOf(socket) }
}

async function responseOf(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (data) => {
    text += String(data)
  })
  await once(socket, 'close')
  return text
}

const ARRIVED = {
  nothing: '',
  'half of its head': CALL.slice(0, 20),
  'its head': HEAD,
  'its head and half of its body': CALL.slice(0, -100_000),
}

for (const [what, begun] of Object.entries(ARRIVED)) {
  test(`a stopping server responds to a call that is partly received (received before the stop: ${what})`, {
    timeout: 60_000,
  }, async (t) => {
    const { socket, stop, response } = await openServer(t)
    socket.write(begun)
    const { stopped } = await stop()
    socket.write(CALL.slice(begun.length))
    assert.match(await response, /^HTTP\/1\.1 200 .*got 200000$/s)
    await stopped
  })
}

test('a stopping server responds to a call that arrives on a connection that has long been idle', {
  timeout: 60_000,
}, async (t) => {
  const { socket, stop, response } = await openServer(t)
  await delay(LONG_MS)
  const { stopped } = await stop()
  socket.write(CALL)
  assert.match(await response, /^HTTP\/1\.1 200 /)
  await stopped
})

test('a stopping server responds to a call whose body the server has not read yet', { timeout: 60_000 }, async (t) => {
  const reading = Promise.withResolvers<void>()
  const { app, socket, stop, response } = await openServer(t, { read: reading.promise })
  const arrived = once(app.server, 'request')
  socket.write(CALL)
  await arrived
  const { stopped } = await stop()
  await delay(LONG_MS)
  reading.resolve()
  assert.match(await response, /^HTTP\/1\.1 200 .*got 200000$/s)
  await stopped
})

test('a stopping server responds to a call whose body arrives with pauses', { timeout: 60_000 }, async (t) => {
  const { socket, stop, response } = await openServer(t)
  socket.write(HEAD)
  const { stopped } = await stop()
  for (let start = 0; start < BODY.length; start += 100_000) {
    await delay(LONG_MS)
    socket.write(BODY.slice(start, start + 100_000))
  }
  assert.match(await response, /^HTTP\/1\.1 200 .*got 200000$/s)
  await stopped
})

test('a stopping server does not wait for a call whose headers arrive byte by byte', { timeout: 60_000 }, async (t) => {
  const { socket, stop, response } = await openServer(t, { graceMs: 60_000 })
  socket.write(`${ARRIVED['half of its head']}\r\nHost: `)
  const { stopped } = await stop()
  const dripping = setInterval(() => socket.write('a'), 100)
  t.after(() => clearInterval(dripping))
  await stopped
  assert.equal(await response, '')
})

for (const what of ['half of its head', 'its head'] as const) {
  test(`a stopping server does not wait for a call that never arrives completely (received before the stop: ${what})`, {
    timeout: 60_000,
  }, async (t) => {
    const { app, socket, response } = await openServer(t, { graceMs: 60_000 })
    socket.write(ARRIVED[what])
    await app.close()
    assert.equal(await response, '')
  })
}
