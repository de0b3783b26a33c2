import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { ApiError } from '@mediamill/contract/domain/errors'
import { until } from '@mediamill/lab/support/process'
import { openRawConnection } from '@mediamill/lab/support/raw-http'
import type { FastifyRequest } from 'fastify'
import Fastify from 'fastify'
import { handleErrors, newRequestId } from './errors.ts'
import { parseJsonBodies } from './json-body.ts'
import { EventStream } from './routes/events/event-stream.ts'

const app = Fastify({ genReqId: newRequestId })
handleErrors(app, 'http://localhost')
parseJsonBodies(app)
app.post('/', async (call: FastifyRequest) => ({ body: call.body }))
app.post('/public', { config: { console: { allowedSessions: 'anyone', ofAccount: false } } }, async () => ({}))
const noKey = new ApiError('missing_api_key', 'No key.')
app.post('/closed', { onRequest: (_call, _reply, done) => done(noKey) }, async () => ({}))
app.get('/unread', async () => ({ unread: true }))
app.get('/stream', async (_call, reply) => {
  using stream = new EventStream(reply)
  await stream.retryAfter(1)
})
await app.listen({ host: '127.0.0.1', port: 0 })
after(() => app.close())
const { port } = app.server.address() as AddressInfo

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
const inPieces = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) => {
    const piece = text.slice(index * size, (index + 1) * size)
    return `${piece.length.toString(16)}\r\n${piece}\r\n`
  }).join('')

async function outcomeOf(text: string, size: number): Promise<unknown> {
  using wire = openRawConnection(port)
  const { status, body } = await wire.send(`${HEAD}${inPieces(text, size)}0\r\n\r\n`)
  const parsed = JSON.parse(body) as { body?: unknown; error?: { code: string; message: string } }
  return status === 200 ? parsed.body : [status, parsed.error?.code, parsed.error?.message]
}

test('a body sent in single bytes is read like the same body in one chunk [api.body.2]', async () => {
  const value = { text: 'aeiou'.repeat(800) }
  assert.deepEqual(await outcomeOf(JSON.stringify(value), 1), value)
  assert.deepEqual(await outcomeOf(JSON.stringify(value), 100_000), value)
})

test('a body of 4,096 chunks is accepted, and a body of 4,097 chunks returns 422 [api.body.2]', async () => {
  const text = (length: number) => JSON.stringify('x'.repeat(length - 2))
  assert.equal(await outcomeOf(text(4_096), 1), 'x'.repeat(4_094))
  const message = 'The body must arrive in at most 4096 chunks. Send larger chunks.'
  assert.deepEqual(await outcomeOf(text(4_097), 1), [422, 'validation_failed', message])
  assert.equal(await outcomeOf(text(1024 * 1024), 1024), 'x'.repeat(1024 * 1024 - 2))
})

test('the server accepts a body of 1 MiB, and returns 422 for one byte more, with and without Content-Length [api.body.2]', async () => {
  const text = (length: number) => JSON.stringify('x'.repeat(length - 2))
  const message = 'The body must have at most 1 MiB.'
  assert.equal(await outcomeOf(text(1024 * 1024), 70_000), 'x'.repeat(1024 * 1024 - 2))
  assert.deepEqual(await outcomeOf(text(1024 * 1024 + 1), 70_000), [422, 'validation_failed', message])
  using wire = openRawConnection(port)
  const announced = HEAD.replace('Transfer-Encoding: chunked', 'Content-Length: 1048577')
  assert.equal((await wire.send(announced)).status, 422)
})

test('a console call that needs no session can send at most 16 KiB, with and without Content-Length [console.limits.1]', async () => {
  const text = (length: number) => JSON.stringify('x'.repeat(length - 2))
  const head = HEAD.replace('POST /', 'POST /public')
  for (const [length, expected] of [
    [16_384, 200],
    [16_385, 422],
  ] as const) {
    const withLength = head.replace('Transfer-Encoding: chunked', `Content-Length: ${length}`)
    for (const call of [withLength + text(length), `${head}${inPieces(text(length), 4_000)}0\r\n\r\n`]) {
      using wire = openRawConnection(port)
      const { status, body } = await wire.send(call)
      assert.equal(status, expected)
      if (status === 422) assert.match(body, /"message":"The body must have at most 16 KiB\."/)
    }
  }
})

test('incomplete bodies whose clients stop sending use at most 64 MiB of memory, and a small body is still accepted [api.body.2]', async () => {
  const almost = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n${' '.repeat(1_048_575)}`
  let rejected = ''
  const clients = Array.from({ length: 66 }, () =>
    connect({ port, host: '127.0.0.1' }, function send(this: Socket) {
      this.write(almost)
    })
      .on('error', () => {})
      .on('data', (response) => {
        rejected += String(response)
      }),
  )
  try {
    await until(async () => rejected.split('HTTP/1.1 429 ').length - 1 >= 2)
    assert.match(rejected, /"code":"rate_limited","message":"More than 64 MiB of bodies are arriving at this process\./)
    assert.equal(await outcomeOf('"small"', 100), 'small')
  } finally {
    for (const client of clients) client.destroy()
  }
})

test('the server stops reading a rejected body of unknown length', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const connected = once(app.server, 'connection')
  const client = connect({ port, host: '127.0.0.1' }).on('error', () => {})
  const [connection] = (await connected) as [Socket]
  client.write(HEAD + inPieces('x'.repeat(1_200_000), 70_000))
  const [response] = (await once(client, 'data')) as [Buffer]
  assert.match(String(response), /^HTTP\/1\.1 422 /)
  t.mock.timers.tick(1_999)
  assert.equal(connection.destroyed, false)
  t.mock.timers.tick(1)
  assert.equal(connection.destroyed, true)
  client.destroy()
})

for (const [what, path, length] of [
  ['without a key, with a Content-Length of 10 GiB', '/closed', `Content-Length: ${10 * 1024 ** 3}`],
  ['without a key, without Content-Length', '/closed', 'Transfer-Encoding: chunked'],
  ['whose body is too large', '/', `Content-Length: ${10 * 1024 ** 3}`],
  ['to a route that reads no body', '/unread', `Content-Length: ${10 * 1024 ** 3}`],
  ['to an event stream', '/stream', `Content-Length: ${10 * 1024 ** 3}`],
] as const) {
  test(`the server sends the response, reads at most 1 MiB, and closes the connection of a call ${what}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const connected = once(app.server, 'connection')
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
    t.after(() => client.destroy())
    const [connection] = (await connected) as [Socket]
    let response = ''
    client.on('data', (data) => {
      response += String(data)
    })
    let isEnded = false
    client.on('end', () => {
      isEnded = true
    })
    const body = 'x'.repeat(16 * 1024 * 1024)
    const method = path === '/unread' || path === '/stream' ? 'GET' : 'POST'
    const head = HEAD.replace('POST /', `${method} ${path}`).replace('Transfer-Encoding: chunked', length)
    client.write(head)
    client.write(length.startsWith('Content') ? body : `${body.length.toString(16)}\r\n${body}\r\n`)
    await until(() => isEnded || connection.bytesRead >= body.length)
    assert.match(
      response,
      /^HTTP\/1\.1 (?:4[^]*"request_id":"[^"]+"\}\}|200 [^]*(?:\{"unread":true\}|retry: 1\s+0\s+))$/,
    )
    assert.ok(connection.bytesRead < 2 * 1024 * 1024, `${connection.bytesRead} bytes were read`)
    t.mock.timers.tick(2_000)
    assert.equal(connection.destroyed, true)
    assert.ok(connection.bytesRead < 2 * 1024 * 1024, `${connection.bytesRead} bytes were read`)
  })
}

for (const [what, path] of [
  ['in too many chunks', '/'],
  ['of a call without a key', '/closed'],
] as const) {
  test(`the server stops reading a rejected body ${what} [api.body.2]`, async () => {
    const connected = once(app.server, 'connection')
    const client = connect({ port, host: '127.0.0.1' }).on('error', () => {})
    const [connection] = (await connected) as [Socket]
    const answered = once(client, 'data')
    client.write(HEAD.replace('POST /', `POST ${path}`) + inPieces('x'.repeat(600_000), 1))
    await answered
    if (!connection.destroyed) await once(connection, 'close')
    // Each chunk has 6 bytes on the wire. A `data` event of the socket contains up to 64 KiB.
    assert.ok(connection.bytesRead < 4_096 * 6 + 3 * 65_536, `${connection.bytesRead} bytes were read`)
    client.destroy()
  })
}
