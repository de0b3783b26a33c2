import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { compressBodies } from './compress.ts'

const LONG = { text: 'a word '.repeat(500) }

const app = Fastify()
after(() => app.close())
compressBodies(app)
app.get('/long', (_call, reply) => reply.header('vary', 'Origin').send(LONG))
app.get('/short', () => ({ text: 'a word' }))
app.get('/picture', (_call, reply) => reply.type('image/png').send(Buffer.alloc(5_000)))
app.get('/console/api/keys', () => LONG)
const kept = Buffer.from('a word '.repeat(500))
app.get('/kept', (_call, reply) => reply.type('text/plain').send(kept))
const sent: unknown[] = []
app.addHook('onSend', async (_call, _reply, payload) => {
  sent.push(payload)
})

const get = async (url: string, encodings?: string, method: 'GET' | 'HEAD' = 'GET') =>
  await app.inject({ method, url, headers: encodings === undefined ? {} : { 'accept-encoding': encodings } })

test('the server compresses JSON over 1 kB with the best coding that the client accepts [api.compression.1]', async () => {
  const brotli = await get('/long', 'gzip, deflate, br')
  assert.equal(brotli.headers['content-encoding'], 'br')
  assert.equal(brotli.headers.vary, 'Origin, Accept-Encoding')
  assert.equal(brotli.headers['content-length'], String(brotli.rawPayload.length))
  assert.deepEqual(JSON.parse(String(brotliDecompressSync(brotli.rawPayload))), LONG)
  const gzip = await get('/long', 'br;q=0, gzip;q=0.5')
  assert.equal(gzip.headers['content-encoding'], 'gzip')
  assert.deepEqual(JSON.parse(String(gunzipSync(gzip.rawPayload))), LONG)
  const head = await get('/long', 'br', 'HEAD')
  assert.equal(head.headers['content-length'], String(brotli.rawPayload.length))
})

test('a response to a call without Accept-Encoding is not compressed, and its Vary header contains Accept-Encoding [api.compression.1]', async () => {
  const { headers, body } = await get('/long')
  assert.equal(headers['content-encoding'], undefined)
  assert.equal(headers.vary, 'Origin, Accept-Encoding')
  assert.equal(body, JSON.stringify(LONG))
})

test('the server never compresses short bodies, files, and responses that can contain keys or secrets [api.compression.1]', async () => {
  for (const url of ['/short', '/picture', '/console/api/keys']) {
    assert.equal((await get(url, 'gzip, br')).headers['content-encoding'], undefined, url)
  }
})

test('a response body that is sent repeatedly is compressed once per content coding', async () => {
  sent.length = 0
  await Promise.all(['br', 'br', 'gzip', 'gzip'].map((coding) => get('/kept', coding)))
  await get('/kept', 'br')
  assert.equal(sent.length, 5)
  assert.equal(new Set(sent).size, 2)
})
