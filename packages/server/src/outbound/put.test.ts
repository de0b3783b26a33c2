import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { freePort } from '@mediamill/lab/support/process'
import { startRawServer, startSourceServer } from '@mediamill/lab/support/source-server'
import { NO_ALLOWED_HOSTS, parseAllowedHosts } from './guard/allowed-hosts.ts'
import type { PutOptions, PutOutcome } from './put.ts'
import { put } from './put.ts'

const FILE = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))

const optionsFor = (hosts: string, options: Partial<PutOptions> = {}): PutOptions => ({
  network: { allowedHosts: parseAllowedHosts(hosts) },
  headers: { 'content-type': 'image/png', 'x-ms-blob-type': 'BlockBlob' },
  size: FILE.length,
  body: Readable.from([FILE.subarray(0, 100_000), FILE.subarray(100_000)]),
  signal: new AbortController().signal,
  deadlineMs: 20_000,
  ...options,
})

const reasonOf = (outcome: PutOutcome) => ('reason' in outcome ? outcome.reason : String(outcome.status))

test('the service uploads a file to a destination byte for byte, with its length and only the requested headers [destinations.headers.1]', async () => {
  const received: Buffer[] = []
  await using server = await startSourceServer({
    '/bucket/a.png?X-Amz-Signature=ab%2Fc': (call, response) => {
      call.on('data', (chunk: Buffer) => received.push(chunk))
      call.on('end', () => response.writeHead(201).end())
    },
  })
  const outcome = await put(server.url('/bucket/a.png?X-Amz-Signature=ab%2Fc'), optionsFor(server.host))
  assert.deepEqual(outcome, { status: 201 })
  assert.ok(Buffer.concat(received).equals(FILE))
  const { method, headers } = server.calls[0] ?? assert.fail()
  assert.equal(method, 'PUT')
  assert.deepEqual(headers, {
    host: server.host,
    connection: 'close',
    'content-length': '300000',
    'content-type': 'image/png',
    'x-ms-blob-type': 'BlockBlob',
  })
})

test('an upload to a destination does not follow a redirect and does not retry an error [destinations.url.1]', async () => {
  await using server = await startSourceServer({
    '/moved': (call, response) => call.resume().on('end', () => response.writeHead(307, { location: '/b' }).end()),
    '/broken': (call, response) => call.resume().on('end', () => response.writeHead(500).end('secret')),
  })
  assert.deepEqual(await put(server.url('/moved'), optionsFor(server.host)), { status: 307 })
  assert.deepEqual(await put(server.url('/broken'), optionsFor(server.host)), { status: 500 })
  assert.equal(server.calls.length, 2)
})

test('an upload to a destination fails if the address is private, if the port is closed, or if the server responds before it has the whole file [destinations.attempts.1, destinations.url.1]', async () => {
  const network = { allowedHosts: NO_ALLOWED_HOSTS }
  const body = Readable.from([FILE])
  const blocked = await put('http://10.0.0.1/', { ...optionsFor(''), network, body })
  assert.match(reasonOf(blocked), /^the host 10\.0\.0\.1 is not on the public internet\b/)
  assert.ok(body.destroyed)
  const port = await freePort()
  const closed = await put(`http://127.0.0.1:${port}/`, optionsFor(`127.0.0.1:${port}`))
  assert.match(reasonOf(closed), /^its server did not accept a connection$/)
  await using hasty = await startRawServer((socket) => {
    socket.pause()
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  })
  const endless = new Readable({
    read() {
      this.push(Buffer.alloc(65_536))
    },
  })
  const early = await put(hasty.url, optionsFor(hasty.host, { size: 2 ** 40, body: endless }))
  assert.match(reasonOf(early), /^its server responded before it received the whole file$/)
  assert.ok(endless.destroyed)
})

test('an upload to a destination ends after the stall timeout if the server stops reading or never responds [destinations.attempts.3]', {
  timeout: 60_000,
}, async () => {
  await using stopped = await startRawServer((socket) => void socket.pause())
  let read = 0
  const endless = new Readable({
    read(size) {
      read += size
      this.push(Buffer.alloc(size))
    },
  })
  const options = { size: 2 ** 40, body: endless, stallMs: 300 }
  assert.match(reasonOf(await put(stopped.url, optionsFor(stopped.host, options))), /^its server stopped reading it$/)
  assert.ok(read < 64 * 1024 * 1024, `${read} bytes were read for nobody`)
  await using silent = await startRawServer((socket) => void socket.resume())
  const mute = await put(silent.url, optionsFor(silent.host, { stallMs: 300 }))
  assert.match(reasonOf(mute), /^its server did not respond in time$/)
})

test('a destination server that reads slowly has time until the deadline [destinations.attempts.3]', {
  timeout: 60_000,
}, async () => {
  await using slow = await startRawServer((socket) => {
    socket.pause()
    const timer = setInterval(() => socket.read(), 20)
    socket.on('close', () => clearInterval(timer))
  })
  const endless = new Readable({
    read(size) {
      this.push(Buffer.alloc(size))
    },
  })
  const options = { size: 2 ** 40, body: endless, stallMs: 10_000, deadlineMs: 700 }
  assert.match(reasonOf(await put(slow.url, optionsFor(slow.host, options))), /^its server took too long$/)
})

test('an upload to a destination ends at once after an abort, and throws an error if the local file cannot be read [requests.abort.2]', async () => {
  const controller = new AbortController()
  await using server = await startRawServer(() => controller.abort(new Error('stopping')))
  await assert.rejects(put(server.url, optionsFor(server.host, { signal: controller.signal })), /stopping/)
  const broken = new Readable({
    read() {
      this.destroy(new Error('the disk is gone'))
    },
  })
  await using other = await startRawServer(() => {})
  await assert.rejects(put(other.url, optionsFor(other.host, { body: broken })), /the disk is gone/)
})

/** Replaces the timers of `ms` milliseconds. Their time only passes when the test calls `pass`. */
function holdTimer(t: TestContext, ms: number): { pass: (ms: number) => void } {
  const { setTimeout } = globalThis
  let leftMs = ms
  let ring = () => {}
  const held = { refresh: () => (leftMs = ms) }
  t.mock.method(globalThis, 'setTimeout', (work: () => void, delay: number) => {
    if (delay !== ms) return setTimeout(work, delay)
    ring = work
    return held
  })
  return {
    pass(passedMs) {
      leftMs -= passedMs
      if (leftMs <= 0) ring()
    },
  }
}

test('a destination server that reads each chunk in time never counts as stalled, however long the upload lasts [destinations.attempts.3]', async (t) => {
  const STALL_MS = 7_777
  const timer = holdTimer(t, STALL_MS)
  let taken = 0
  let isTaken = () => {}
  await using server = await startSourceServer({
    '/a': (call, response) => {
      call.on('data', (chunk: Buffer) => {
        taken += chunk.length
        isTaken()
      })
      call.on('end', () => response.writeHead(201).end())
    },
  })
  async function* pieces() {
    for (let given = 100_000; given <= 400_000; given += 100_000) {
      yield Buffer.alloc(100_000)
      while (taken < given) await new Promise<void>((resolve) => (isTaken = resolve))
      timer.pass(STALL_MS * 0.6)
    }
  }
  const options = { size: 400_000, body: Readable.from(pieces()), stallMs: STALL_MS }
  assert.deepEqual(await put(server.url('/a'), optionsFor(server.host, options)), { status: 201 })
})
