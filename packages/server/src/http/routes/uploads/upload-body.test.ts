import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { test } from 'node:test'
import { BrokenUpload, readUpload } from './upload-body.ts'

const pace = { stallMs: 20_000, minBytesPerSecond: 1, paceMs: 30_000 }

test('waiting for a slow store does not count as a stalled client, but a client that stalls afterwards is disconnected [uploads.size.4]', async (t) => {
  let now = 1000
  t.mock.timers.enable({ apis: ['setInterval'] })
  t.mock.method(performance, 'now', () => now)
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      now += 1000
      t.mock.timers.tick(1000)
    }
  }
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  t.after(() => {
    socket.destroy()
    server.close()
  })
  const called = once(server, 'request') as Promise<[IncomingMessage]>
  socket.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\none')
  const [call] = await called
  const body = readUpload(call, { maxBytes: 9, pace, onBytes: () => undefined })
  assert.equal(String((await body.next()).value), 'one')
  pass(60)
  socket.write('two')
  assert.equal(String((await body.next()).value), 'two')
  const third = assert.rejects(body.next(), (error) => error instanceof BrokenUpload && /too slow/.test(error.message))
  pass(30)
  await third
})
