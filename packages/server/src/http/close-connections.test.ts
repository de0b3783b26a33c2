import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { test } from 'node:test'
import { until } from '@mediamill/lab/support/process'
import Fastify from 'fastify'
import { closeConnectionsAtStop } from './close-connections.ts'

const CALL = 'POST /calls HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'

const ARRIVED = { nothing: '', 'half of its head': CALL.slice(0, 20), 'its head': CALL.slice(0, -2) }

for (const [what, begun] of Object.entries(ARRIVED)) {
  test(`a stopping server responds to a call of which ${what} has arrived`, { timeout: 10_000 }, async () => {
    const app = Fastify({ return503OnClosing: false })
    closeConnectionsAtStop(app, 5_000)
    app.post('/calls', async () => 'done')
    await app.listen({ host: '127.0.0.1', port: 0 })
    const accepted = once(app.server, 'connection')
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    const answer = once(socket, 'data')
    await accepted
    socket.write(begun)
    const stopped = app.close()
    await until(() => !app.server.listening)
    socket.write(CALL.slice(begun.length))
    assert.match(String(await answer), /^HTTP\/1\.1 200 /)
    await stopped
  })
}

test('a stopping server responds to a call on a connection that was idle long before', {
  timeout: 10_000,
}, async () => {
  const app = Fastify({ return503OnClosing: false })
  closeConnectionsAtStop(app, 5_000)
  app.post('/calls', async () => 'done')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const accepted = once(app.server, 'connection')
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const answer = once(socket, 'data')
  await accepted
  const idleSince = performance.now()
  await until(() => performance.now() - idleSince > 600)
  const stopped = app.close()
  await until(() => !app.server.listening)
  socket.write(CALL)
  assert.match(String(await answer), /^HTTP\/1\.1 200 /)
  await stopped
})
