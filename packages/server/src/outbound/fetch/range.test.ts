import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { SourceServer } from '@mediamill/lab/support/source-server'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import { parseAllowedHosts } from '../guard/allowed-hosts.ts'
import type { RangeOptions } from './range.ts'
import { fetchRange } from './range.ts'

const FILE = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 31 + (index >> 7)) & 0xff))

const optionsFor = (server: SourceServer, options: Partial<RangeOptions> = {}): RangeOptions => ({
  network: { allowedHosts: parseAllowedHosts(server.host) },
  signal: new AbortController().signal,
  maxBytes: 1_000_000,
  deadlineMs: 60_000,
  limits: { retryAfterMs: 1 },
  ...options,
})

async function partOf(server: SourceServer, offset: number, length: number, path = '/a') {
  const response = await fetchRange(server.url(path), { offset, length }, optionsFor(server))
  assert.equal(response.kind, 'part')
  return response.kind === 'part' ? response : assert.fail()
}

test('a range request transfers only the bytes of the range, and returns the size of the file', async () => {
  await using server = await startSourceServer({ '/a': FILE })
  const head = await partOf(server, 0, 65_536)
  assert.ok(head.data.equals(FILE.subarray(0, 65_536)))
  assert.equal(head.version.total, FILE.length)
  assert.equal(server.sent.bytes, 65_536)
  const tail = await partOf(server, 199_990, 65_536)
  assert.ok(tail.data.equals(FILE.subarray(199_990)))
  const past = await partOf(server, 200_000, 10)
  assert.deepEqual([past.data.length, past.version.total], [0, FILE.length])
})

test('a range request past the end of a file returns no bytes, even if the server sends a body', async () => {
  const page = respondWith({ 'content-range': 'bytes */100', 'content-type': 'text/html' }, '<h1>416</h1>', 416)
  await using server = await startSourceServer({ '/a': page })
  const past = await partOf(server, 100, 10)
  assert.deepEqual([past.data.length, past.version.total], [0, 100])
})

test('if a server ignores Range, the first response is used as the whole file, without a second call', async () => {
  await using server = await startSourceServer({ '/a': FILE }, { ranges: false })
  const response = await fetchRange(server.url('/a'), { offset: 0, length: 10 }, optionsFor(server))
  assert.ok(response.kind === 'whole' && response.received.response.statusCode === 200)
  response.received.response.destroy()
  assert.equal(server.calls.length, 1)
})

test('a range reader detects a file that changes between two ranges, with and without an ETag or Last-Modified', async () => {
  const changed = Buffer.from(FILE).fill(0, 0, 64)
  const longer = Buffer.concat([FILE, Buffer.from('x')])
  await using server = await startSourceServer({ '/a': FILE })
  const { version } = await partOf(server, 0, 10)
  assert.ok(version.validator?.startsWith('"'))
  const next = (of: typeof version) => fetchRange(server.url('/a'), { offset: 10, length: 10, of }, optionsFor(server))
  const same = await next(version)
  assert.ok(same.kind === 'part' && same.data.equals(FILE.subarray(10, 20)))
  server.files.set('/a', changed)
  await assert.rejects(next(version), { code: 'source_unreachable', message: /changed while it was read/ })
  server.files.set('/a', longer)
  await assert.rejects(next({ total: version.total, validator: undefined }), /changed while it was read/)
})

test('a file over the size limit fails as source_too_large on its first range request [sources.size.1]', async () => {
  await using server = await startSourceServer({ '/a': FILE })
  const part = { offset: 0, length: 10 }
  const fetched = (maxBytes: number) => fetchRange(server.url('/a'), part, optionsFor(server, { maxBytes }))
  assert.equal((await fetched(FILE.length)).kind, 'part')
  await assert.rejects(fetched(FILE.length - 1), { code: 'source_too_large' })
})

const respondWith = (headers: Record<string, string | number>, body = 'abcdefghij', status = 206) => {
  return (call: IncomingMessage, response: ServerResponse) =>
    call.headers.range === undefined ? response.writeHead(200).end(FILE) : response.writeHead(status, headers).end(body)
}

test('a range reader fetches the whole file if the server returns a wrong range or ranges that cannot be joined', async () => {
  await using server = await startSourceServer({
    '/other-start': respondWith({ 'content-range': 'bytes 5-14/100' }),
    '/longer': respondWith({ 'content-range': 'bytes 0-19/100' }),
    '/past-the-end': respondWith({ 'content-range': 'bytes 0-9/5' }),
    '/no-total': respondWith({ 'content-range': 'bytes 0-9/*' }),
    '/no-range': respondWith({}),
    '/several': respondWith({ 'content-type': 'multipart/byteranges; boundary=x' }),
    '/compressed': respondWith({ 'content-range': 'bytes 0-9/100', 'content-encoding': 'gzip' }),
    '/empty-but-not': respondWith({ 'content-range': 'bytes */100' }, '', 416),
  })
  for (const path of server.files.keys()) {
    const response = await fetchRange(server.url(path), { offset: 0, length: 10 }, optionsFor(server))
    assert.equal(response.kind, 'whole', path)
    if (response.kind === 'whole') response.received.response.destroy()
  }
})

test('a range response with more or fewer bytes than announced fails as source_unreachable', async () => {
  const range = { 'content-range': 'bytes 0-9/100' }
  await using server = await startSourceServer({
    '/more': respondWith({ ...range, 'transfer-encoding': 'chunked' }, 'abcdefghijk'),
    '/fewer': respondWith({ ...range, 'transfer-encoding': 'chunked' }, 'abc'),
    '/missing': respondWith(range, '', 404),
  })
  for (const path of server.files.keys()) {
    const fetched = fetchRange(server.url(path), { offset: 0, length: 10 }, optionsFor(server))
    await assert.rejects(fetched, { code: 'source_unreachable' }, path)
  }
})

test('every range request follows redirects, and rejects a redirect to a blocked address [sources.redirects.1]', async () => {
  await using server = await startSourceServer({
    '/a': FILE,
    '/to-a': (_call, response) => response.writeHead(302, { location: '/a' }).end(),
    '/to-metadata': (_call, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  })
  assert.ok((await partOf(server, 3, 4, '/to-a')).data.equals(FILE.subarray(3, 7)))
  const blocked = fetchRange(server.url('/to-metadata'), { offset: 0, length: 1 }, optionsFor(server))
  await assert.rejects(blocked, { code: 'url_blocked' })
})

test('a weak ETag cannot prove that two ranges belong to the same file, but Last-Modified can', async () => {
  const modified = 'Sun, 22 Nov 2026 08:00:00 GMT'
  const part = { 'content-range': 'bytes 0-9/100' }
  await using server = await startSourceServer({
    '/dated': respondWith({ ...part, etag: 'W/"1"', 'last-modified': modified }),
    '/undated': respondWith({ ...part, etag: 'W/"1"' }),
  })
  const dated = await partOf(server, 0, 10, '/dated')
  assert.deepEqual(dated.version, { total: 100, validator: modified })
  assert.deepEqual((await partOf(server, 0, 10, '/undated')).version, { total: 100, validator: undefined })
  await fetchRange(server.url('/dated'), { offset: 0, length: 10, of: dated.version }, optionsFor(server))
  assert.equal(server.calls.at(-1)?.headers['if-range'], modified)
})
