import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { after, test } from 'node:test'
import { classifyResponse } from '@mediamill/lab/support/fuzz'
import { openRawConnection } from '@mediamill/lab/support/raw-http'
import Fastify from 'fastify'
import { newRequestId } from './errors.ts'
import { handleUnsupportedRequests, rejectMalformedRequest } from './malformed-requests.ts'

const BASE_URL = 'https://media.example.com'

const app = Fastify({
  genReqId: newRequestId,
  requestTimeout: 200,
  http: { headersTimeout: 200, connectionsCheckingInterval: 20 },
  clientErrorHandler: (error, socket) => rejectMalformedRequest(error, socket, BASE_URL),
})
handleUnsupportedRequests(app.server, BASE_URL)
const { promise: released, resolve: release } = Promise.withResolvers<void>()
app.post('/', async () => ({ done: true }))
app.post('/slow', async () => {
  await released
  return { done: true }
})
app.post('/unread', {
  onRequest: async (_call, reply) => await reply.code(403).send({ error: 'rejected before the body is read' }),
  handler: async () => ({ done: true }),
})
await app.listen({ host: '127.0.0.1', port: 0 })
after(() => app.close())
const { port } = app.server.address() as AddressInfo

const CHUNKED = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'

for (const [what, bytes] of [
  ['a chunk without a length', `${CHUNKED}zz\r\n`],
  ['a chunk whose extension never ends', `${CHUNKED}1;${'x'.repeat(20_000)}`],
  ['trailers without an end', `${CHUNKED}2\r\n{}\r\n0\r\nx: ${'x'.repeat(20_000)}`],
  ['a missing body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'],
  ['missing headers', 'POST / HTTP/1.1\r\nHost: x\r\n'],
] as const) {
  test(`a call with ${what} gets 422 with an error object before the connection closes [api.http.1]`, async () => {
    using wire = openRawConnection(port)
    const response = await wire.send(bytes)
    assert.equal(classifyResponse(response), '422 validation_failed')
    assert.equal(response.headers['connection'], 'close')
  })
}

test('a call whose body ends early gets an error if the client is still reading [api.http.1]', async () => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.end(`${CHUNKED}5\r\n{"a`)
  const text = await textOf(socket)
  assert.match(text, /^HTTP\/1\.1 422 [^]*"code":"validation_failed"[^]*ended before the whole call was received/)
})

test('after a malformed call, a connection that was reset or is not writable is closed without a response', () => {
  for (const [code, isWritable] of [
    ['ECONNRESET', true],
    ['HPE_INVALID_EOF_STATE', false],
  ] as const) {
    const written: Buffer[] = []
    const socket = new Duplex({ read: () => undefined, write: (chunk: Buffer) => void written.push(chunk) })
    if (!isWritable) socket.end()
    rejectMalformedRequest(Object.assign(new Error('broken'), { code }), socket as Socket, BASE_URL)
    assert.deepEqual([socket.destroyed, written], [true, []], code)
  }
})

test('further parse errors on a closing connection do not cut off the first error response', () => {
  const broken = (code: string) => Object.assign(new Error('broken'), { code })
  const written: Buffer[] = []
  // A client that does not read, so the response stays queued.
  const waiting = () => new Duplex({ read: () => undefined, write: (chunk: Buffer) => void written.push(chunk) })
  const answered = waiting()
  rejectMalformedRequest(broken('HPE_INVALID_CHUNK_SIZE'), answered as Socket, BASE_URL)
  rejectMalformedRequest(broken('HPE_INVALID_CONSTANT'), answered as Socket, BASE_URL)
  assert.deepEqual([answered.destroyed, written.length], [false, 1])
  answered.destroy()
  // `complete`: the server has received the whole call. The server sends the response before it closes the connection.
  const inWork = Object.assign(waiting(), { _httpMessage: { req: { complete: true }, once: () => undefined } })
  // The function uses only these parts of a socket.
  const socket = inWork as unknown as Socket
  rejectMalformedRequest(broken('HPE_INVALID_CONSTANT'), socket, BASE_URL)
  rejectMalformedRequest(broken('ECONNRESET'), socket, BASE_URL)
  assert.deepEqual([inWork.destroyed, written.length], [false, 1])
  inWork.destroy()
})

test('invalid bytes after a complete call get no response, and do not affect the response to the call', async () => {
  const socket = connect({ port, host: '127.0.0.1' })
  // This content-length counts characters instead of bytes.
  const body = JSON.stringify({ name: 'ééé' })
  const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(`POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`)
  socket.write(`POST / HTTP/1.1\r\n${head}${body}`)
  socket.write('still more')
  await once(socket, 'ready')
  release()
  const responses = (await textOf(socket)).match(/HTTP\/1\.1 \d+/g)
  assert.deepEqual(responses, ['HTTP/1.1 200', 'HTTP/1.1 400'])
})

for (const [what, headers, body] of [
  ['stalls', 'Content-Length: 9', '{'],
  ['is malformed', 'Transfer-Encoding: chunked', 'zz\r\n'],
] as const) {
  test(`a call that is rejected before its body arrives gets only one response if the body ${what}`, async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    const text = textOf(socket)
    socket.write(`POST /unread HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`)
    await once(socket, 'data')
    socket.write(body)
    assert.deepEqual((await text).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 403'])
  })
}

test('the server closes a connection after its last response even if the client never closes it', async () => {
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const [served] = await accepted
  const closed = once(served, 'close')
  socket.write('nonsense\r\n\r\n')
  assert.match(await textOf(socket), /validation_failed/)
  await closed
  socket.destroy()
})

async function textOf(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => void (text += part))
  await once(socket, 'end')
  return text
}
