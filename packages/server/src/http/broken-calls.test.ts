import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { after, test } from 'node:test'
import { judge } from '@mediamill/lab/support/fuzz'
import { openWire } from '@mediamill/lab/support/wire'
import Fastify from 'fastify'
import { answerBrokenCall, answerOddCalls } from './broken-calls.ts'
import { newRequestId } from './request-id.ts'

const BASE_URL = 'https://media.example.com'

/** An interface that does not wait long for a call. */
const app = Fastify({
  genReqId: newRequestId,
  requestTimeout: 200,
  http: { headersTimeout: 200, connectionsCheckingInterval: 20 },
  clientErrorHandler: (error, socket) => answerBrokenCall(error, socket, BASE_URL),
})
answerOddCalls(app.server, BASE_URL)
const { promise: released, resolve: release } = Promise.withResolvers<void>()
app.post('/', async () => ({ done: true }))
app.post('/slow', async () => {
  await released
  return { done: true }
})
await app.listen({ host: '127.0.0.1', port: 0 })
after(() => app.close())
const { port } = app.server.address() as AddressInfo

const CHUNKED = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'

for (const [what, bytes] of [
  ['a chunk without a length', `${CHUNKED}zz\r\n`],
  ['a chunk whose extension never ends', `${CHUNKED}1;${'x'.repeat(20_000)}`],
  ['trailers without an end', `${CHUNKED}2\r\n{}\r\n0\r\nx: ${'x'.repeat(20_000)}`],
  [
    'a body that stays away',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  ],
  ['headers that stay away', 'POST / HTTP/1.1\r\nHost: x\r\n'],
] as const) {
  test(`${what} is answered 422 in the one shape before the connection is closed [api.http.1]`, async () => {
    using wire = openWire(port)
    const answer = await wire.send(bytes)
    assert.equal(judge(answer), '422 validation_failed')
    assert.equal(answer.headers['connection'], 'close')
  })
}

test('a body that breaks off is told so when its sender still listens [api.http.1]', async () => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.end(`${CHUNKED}5\r\n{"a`)
  const text = await textOf(socket)
  assert.match(text, /^HTTP\/1\.1 422 [^]*"code":"validation_failed"[^]*broke off before its end/)
})

test('a connection that hears nothing any more is closed, and told nothing', () => {
  for (const [code, isWritable] of [
    ['ECONNRESET', true],
    ['HPE_INVALID_EOF_STATE', false],
  ] as const) {
    const written: Buffer[] = []
    const socket = new Duplex({ read: () => undefined, write: (chunk: Buffer) => void written.push(chunk) })
    if (!isWritable) socket.end()
    answerBrokenCall(Object.assign(new Error('broken'), { code }), socket as Socket, BASE_URL)
    assert.deepEqual([socket.destroyed, written], [true, []], code)
  }
})

test('what else is wrong with a connection that is leaving takes nothing from the answer on its way', () => {
  const broken = (code: string) => Object.assign(new Error('broken'), { code })
  const written: Buffer[] = []
  // A side that takes nothing: the answer is still on its way.
  const waiting = () => new Duplex({ read: () => undefined, write: (chunk: Buffer) => void written.push(chunk) })
  const answered = waiting()
  answerBrokenCall(broken('HPE_INVALID_CHUNK_SIZE'), answered as Socket, BASE_URL)
  answerBrokenCall(broken('HPE_INVALID_CONSTANT'), answered as Socket, BASE_URL)
  assert.deepEqual([answered.destroyed, written.length], [false, 1])
  answered.destroy()
  // The whole call before it is still worked on, and gets its answer first.
  const inWork = Object.assign(waiting(), { _httpMessage: { req: { complete: true }, once: () => undefined } })
  answerBrokenCall(broken('HPE_INVALID_CONSTANT'), inWork as unknown as Socket, BASE_URL)
  answerBrokenCall(broken('ECONNRESET'), inWork as unknown as Socket, BASE_URL)
  assert.deepEqual([inWork.destroyed, written.length], [false, 1])
  inWork.destroy()
})

test('what follows a whole call takes nothing from its answer, and is not answered itself', async () => {
  const socket = connect({ port, host: '127.0.0.1' })
  // The mistake of a client that counts characters for bytes.
  const body = JSON.stringify({ name: 'ééé' })
  const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(`POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`)
  socket.write(`POST / HTTP/1.1\r\n${head}${body}`)
  socket.write('still more')
  await once(socket, 'ready')
  release()
  const answers = (await textOf(socket)).match(/HTTP\/1\.1 \d+/g)
  assert.deepEqual(answers, ['HTTP/1.1 200', 'HTTP/1.1 400'])
})

test('a connection that is answered for good is closed even if its other side never does', async () => {
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const [served] = await accepted
  const closed = once(served, 'close')
  socket.write('nonsense\r\n\r\n')
  assert.match(await textOf(socket), /validation_failed/)
  await closed
  socket.destroy()
})

/** All that comes on a connection until its other side ends it. */
async function textOf(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => void (text += part))
  await once(socket, 'end')
  return text
}
