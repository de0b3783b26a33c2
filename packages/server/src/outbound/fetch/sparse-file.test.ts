import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import type { SourceHandler, SourceServer } from '@mediamill/lab/support/source-server'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import { parseAllowedHosts } from '../guard/allowed-hosts.ts'
import type { SparseFileOptions } from './sparse-file.ts'
import { openSparseFile } from './sparse-file.ts'

const KIB = 1024
const FILE = Buffer.from(Array.from({ length: 1000 * KIB }, (_, index) => (index * 31 + (index >> 7)) & 0xff))

const folder = await sharedFolder('mediamill-sparse-')

let files = 0
async function openAt(server: SourceServer, options: Partial<SparseFileOptions> = {}) {
  files += 1
  const path = join(folder, `file-${files}`)
  const received = { bytes: 0 }
  const file = await openSparseFile(server.url('/a'), path, {
    network: { allowedHosts: parseAllowedHosts(server.host) },
    signal: new AbortController().signal,
    maxBytes: 10_000_000,
    deadlineMs: 60_000,
    firstBytes: 256 * KIB,
    received,
    limits: { retryAfterMs: 1 },
    ...options,
  })
  return { path, received, file }
}

test('a sparse file, which holds a partly fetched source, has the full size of the source, and fetches only requested ranges, each once', async () => {
  await using server = await startSourceServer({ '/a': FILE })
  const { path, received, file } = await openAt(server)
  await using _ = file
  assert.deepEqual([file.size, file.presentBytes, received.bytes], [FILE.length, 256 * KIB, 256 * KIB])
  assert.ok(file.head.equals(FILE.subarray(0, 64 * KIB)))
  await file.fetch(0, 1)
  await file.fetch(100, 1000)
  assert.equal(server.calls.length, 1, 'that was there already')
  await file.fetch(600 * KIB, 100 * KIB)
  await file.fetch(620 * KIB, 70 * KIB)
  assert.deepEqual([server.calls.length, server.sent.bytes, received.bytes], [2, 356 * KIB, 356 * KIB])
  const found = await readFile(path)
  assert.equal(found.length, FILE.length)
  assert.ok(found.subarray(600 * KIB, 700 * KIB).equals(FILE.subarray(600 * KIB, 700 * KIB)))
  assert.ok(found.subarray(300 * KIB, 600 * KIB).every((byte) => byte === 0))
})

test('bytes that two readers of a sparse file need are fetched once, and kept until the file is closed', async () => {
  await using server = await startSourceServer({ '/a': FILE })
  const { file } = await openAt(server)
  await Promise.all([file.fetch(300 * KIB, 200 * KIB), file.fetch(400 * KIB, 200 * KIB)])
  assert.equal(server.sent.bytes, (256 + 300) * KIB)
  assert.ok((await file.read?.(450 * KIB, KIB))?.equals(FILE.subarray(450 * KIB, 451 * KIB)))
  await assert.rejects(async () => await file.read?.(999 * KIB, 2 * KIB), RangeError)
  await file[Symbol.asyncDispose]()
  await assert.rejects(async () => await file.read?.(0, 1), { code: 'EBADF' })
})

test('a sparse file fetches only the missing bytes of a requested range, and enlarges small ranges', async () => {
  await using server = await startSourceServer({ '/a': FILE })
  const { path, file } = await openAt(server)
  await using _ = file
  await file.fetch(500 * KIB, 1)
  await file.fetch(200 * KIB, 600 * KIB)
  assert.deepEqual(
    server.calls.map(({ headers }) => headers.range),
    [
      [0, 256],
      [500, 564],
      [256, 500],
      [564, 800],
    ].map(([from = 0, to = 0]) => `bytes=${from * KIB}-${to * KIB - 1}`),
  )
  assert.ok((await readFile(path)).subarray(0, 800 * KIB).equals(FILE.subarray(0, 800 * KIB)))
  await file.fetch(999 * KIB, KIB)
  await assert.rejects(file.fetch(999 * KIB, KIB + 1), RangeError)
  await assert.rejects(file.fetch(-1, 10), RangeError)
})

test('a range that arrives in several batches is written completely and in order', async () => {
  const large = randomBytes(4 * 1024 * KIB)
  await using server = await startSourceServer({ '/a': large })
  const { path, file } = await openAt(server)
  await using _ = file
  await file.fetch(0, large.length)
  assert.ok((await readFile(path)).equals(large))
})

test('if the server has no range support, a sparse file reads the whole source from the first response', async () => {
  await using server = await startSourceServer({ '/a': FILE }, { ranges: false })
  const { path, file } = await openAt(server)
  await using _ = file
  assert.deepEqual([file.size, file.presentBytes, server.calls.length], [FILE.length, FILE.length, 1])
  await file.fetch(900 * KIB, 1000)
  assert.ok((await readFile(path)).equals(FILE))
  assert.equal(server.calls.length, 1)
})

test('a small source is completely fetched with the first range, and an empty source gives an empty file', async () => {
  await using server = await startSourceServer({ '/a': FILE.subarray(0, 1000) })
  const { path, file } = await openAt(server)
  await using _ = file
  assert.deepEqual([file.size, file.presentBytes, (await stat(path)).size], [1000, 1000, 1000])
  await using empty = await startSourceServer({ '/a': Buffer.alloc(0) })
  const opened = await openAt(empty)
  await using __ = opened.file
  assert.deepEqual([opened.file.size, opened.file.head.length], [0, 0])
})

test('a source that is too large, changes, or disappears ends its fetch with the correct error code [sources.size.1, sources.download.1]', async () => {
  await using server = await startSourceServer({ '/a': FILE })
  await assert.rejects(openAt(server, { maxBytes: 1000 * KIB - 1 }), { code: 'source_too_large' })
  await using plain = await startSourceServer({ '/a': FILE }, { ranges: false })
  await assert.rejects(openAt(plain, { maxBytes: 1000 * KIB - 1 }), { code: 'source_too_large' })
  const { file } = await openAt(server)
  await using _ = file
  server.files.set('/a', Buffer.from(FILE).fill(0, 0, 64))
  await assert.rejects(file.fetch(500 * KIB, 10), { code: 'source_unreachable', message: /changed while it was read/ })
  server.files.delete('/a')
  await assert.rejects(file.fetch(500 * KIB, 10), { code: 'source_unreachable', message: /status 404/ })
})

test('a single deadline covers all fetches of a sparse file', async () => {
  await using server = await startSourceServer({ '/a': FILE })
  const { file } = await openAt(server, { deadlineMs: 1500 })
  await using _ = file
  server.files.set('/a', () => {})
  await assert.rejects(file.fetch(500 * KIB, 10), { code: 'source_unreachable', message: /took longer than/ })
  // One deadline limits both fetches, so the second has 1 s left. With a deadline of its own, it would have 2 s.
  await assert.rejects(file.fetch(500 * KIB, 10), { code: 'source_unreachable', message: /took longer than 1 seconds/ })
})

test('a sparse file that is opened for a known version of a source is rejected if the source has changed', async () => {
  await using server = await startSourceServer({ '/a': FILE })
  const { file: first } = await openAt(server)
  await using _first = first
  assert.ok(first.version?.validator !== undefined)
  const { file: second } = await openAt(server, { of: first.version })
  await using _second = second
  assert.deepEqual(second.version, first.version)
  server.files.set('/a', Buffer.from(FILE).fill(1, 0, 10))
  await assert.rejects(openAt(server, { of: first.version }), { code: 'source_unreachable', message: /changed/ })
})

test('a sparse file does not download a known source again if its server no longer supports ranges', async () => {
  await using server = await startSourceServer({ '/a': FILE })
  const { file } = await openAt(server)
  await using _ = file
  await using other = await startSourceServer({ '/a': FILE }, { ranges: false })
  assert.ok(file.version)
  await assert.rejects(openAt(other, { of: file.version }), {
    code: 'source_unreachable',
    message: /stopped supporting ranges/,
  })
})

test('closing a sparse file ends a running fetch, which never writes into a file that is opened later', async () => {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await using server = await startSourceServer({ '/a': FILE })
  const { file } = await openAt(server)
  const serve: SourceHandler = (call, response) => {
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(call.headers.range ?? '') ?? []
    const [from, to] = [Number(start), Number(end) + 1]
    const headers = { etag: file.version?.validator, 'content-range': `bytes ${from}-${to - 1}/${FILE.length}` }
    response.writeHead(206, { ...headers, 'content-length': to - from }).write(FILE.subarray(from, from + 100))
    asked.resolve()
    void released.promise.then(() => response.end(FILE.subarray(from + 100, to)))
  }
  server.files.set('/a', serve)
  const fetched = file.fetch(300 * KIB, 100 * KIB).then(
    () => 'fetched',
    () => 'ended',
  )
  await asked.promise
  await file[Symbol.asyncDispose]()
  // The new file gets the file descriptor number of the closed file.
  const other = join(folder, 'other')
  const number = fs.openSync(other, 'wx')
  released.resolve()
  const how = await fetched
  assert.deepEqual([how, (await stat(other)).size], ['ended', 0])
  fs.closeSync(number)
  await assert.rejects(file.fetch(600 * KIB, 1))
})
