import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterFile, sharedFolder } from '@mediamill/lab/support/shared'
import Fastify from 'fastify'
import { sendFile } from './send-file.ts'

const folder = await sharedFolder('mediamill-send-file-')
const text = 'export const value = 1\n'.repeat(400)
await writeFile(join(folder, 'a.js'), text)
await writeFile(join(folder, 'a.js.br'), brotliCompressSync(text))
await writeFile(join(folder, 'a.js.gz'), gzipSync(text))
const app = Fastify()
app.get<{ Params: { name: string } }>('/:name', async (call, reply) => {
  const file = pathToFileURL(join(folder, call.params.name))
  return await sendFile(file, call, reply, { type: 'text/javascript', cacheControl: 'public, max-age=60' })
})
afterFile(() => app.close())

const get = (encodings: string, more: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url: '/a.js', headers: { 'accept-encoding': encodings, ...more } })

test('the server sends a file in the best compression that the client accepts, with its length and its own ETag', async () => {
  const plain = await get('identity')
  const brotli = await get('gzip, deflate, br')
  const gzip = await get('gzip;q=0.5, br;q=0')
  assert.deepEqual(
    [plain, brotli, gzip].map(({ headers }) => headers['content-encoding']),
    [undefined, 'br', 'gzip'],
  )
  assert.equal(plain.body, text)
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), text)
  assert.equal(gunzipSync(gzip.rawPayload).toString(), text)
  for (const { headers, rawPayload } of [plain, brotli, gzip]) {
    assert.equal(Number(headers['content-length']), rawPayload.length)
    assert.equal(headers.vary, 'Accept-Encoding')
  }
  assert.equal(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size, 3)
})

test('the server returns 304 to a client that already has the file, and only headers to HEAD', async () => {
  const { headers } = await get('br')
  const again = await get('br', { 'if-none-match': `W/${String(headers.etag)}` })
  assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', headers.etag])
  assert.equal((await get('gzip', { 'if-none-match': String(headers.etag) })).statusCode, 200)
  const head = await get('br', {}, 'HEAD')
  assert.deepEqual(
    [head.statusCode, head.body, head.headers['content-length'], head.headers['content-encoding']],
    [200, '', headers['content-length'], 'br'],
  )
})
