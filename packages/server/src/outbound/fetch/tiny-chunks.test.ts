import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { startDrippingServer, writeOn } from '@mediamill/lab/support/dripping-server'
import type { RawServer } from '@mediamill/lab/support/source-server'
import { startRawServer, startSourceServer } from '@mediamill/lab/support/source-server'
import { ChunkThrottle } from '../chunk-throttle.ts'
import { parseAllowedHosts } from '../guard/allowed-hosts.ts'
import { checkUrl } from '../guard/check-url.ts'
import { send } from '../send.ts'
import { openSource } from './fetch.ts'
import { fetchRange } from './range.ts'
import type { StreamOptions } from './stream-body.ts'
import { streamBody } from './stream-body.ts'

const MIB = 1024 * 1024
const BODY = Buffer.from(Array.from({ length: 60_000 }, (_, index) => (index * 7 + (index >> 8)) & 0xff))

const quick = () => new ChunkThrottle({ chunksPerMs: 1e9 })

async function streamed(
  server: Pick<RawServer, 'url' | 'host'>,
  options: Partial<StreamOptions> = {},
): Promise<Buffer[]> {
  const all = {
    network: { allowedHosts: parseAllowedHosts(server.host) },
    signal: new AbortController().signal,
    maxBytes: 4 * MIB,
    throttle: quick(),
    ...options,
  }
  const response = await openSource(server.url, all)
  const chunks: Buffer[] = []
  await streamBody(response, all, async (batch) => void chunks.push(...batch))
  return chunks
}

const reasonOf = (failing: Promise<unknown>) =>
  failing.then(
    () => 'ok',
    (error: unknown) => (error instanceof RequestFailure ? error.message : Promise.reject(error)),
  )

test('a downloaded body that arrives in single bytes is complete, and is passed on in few chunks [sources.download.3]', async () => {
  await using server = await startDrippingServer(BODY)
  const received = { bytes: 0 }
  const chunks = await streamed(server, { received })
  assert.ok(Buffer.concat(chunks).equals(BODY))
  assert.equal(received.bytes, BODY.length)
  assert.ok(chunks.length <= 3, `${chunks.length} chunks`)
})

test('a compressed body sent in single bytes is joined into larger chunks before it is decompressed [sources.download.3]', async () => {
  const packed = gzipSync(BODY, { level: 0 })
  await using server = await startDrippingServer(packed, 'Content-Encoding: gzip\r\n')
  assert.ok(Buffer.concat(await streamed(server)).equals(BODY))
})

test('a range sent in single bytes arrives complete, and is throttled like a body sent in single bytes [sources.download.3]', async () => {
  const throttle = new ChunkThrottle({ chunksPerMs: 1e9, clock: () => 0 })
  const headers = `Content-Range: bytes 0-${BODY.length - 1}/${BODY.length}\r\n`
  await using server = await startRawServer((socket) => {
    socket.write(`HTTP/1.1 206 Partial Content\r\n${headers}Transfer-Encoding: chunked\r\n\r\n`)
    socket.end(`${[...BODY.toString('latin1')].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`, 'latin1')
  })
  const response = await fetchRange(
    server.url,
    { offset: 0, length: BODY.length },
    {
      network: { allowedHosts: parseAllowedHosts(server.host) },
      signal: new AbortController().signal,
      maxBytes: MIB,
      deadlineMs: 60_000,
      throttle,
    },
  )
  assert.ok(response.kind === 'part' && response.data.equals(BODY))
  assert.ok(throttle.pauseMs(0) > 0)
})

test('tiny chunks are throttled by their number, and chunks of normal size are not throttled [sources.download.3]', async () => {
  const chunksPerMs = 1e6
  const paid = async (server: Pick<RawServer, 'url' | 'host'>) => {
    const throttle = new ChunkThrottle({ chunksPerMs, clock: () => 0 })
    await streamed(server, { throttle })
    return throttle.pauseMs(0) * chunksPerMs
  }
  await using dripping = await startDrippingServer(BODY)
  const pieces = await paid(dripping)
  // No pause follows the last turn, so its chunks are not counted.
  assert.ok(pieces > BODY.length / 2 && pieces < BODY.length, `${pieces} of ${BODY.length} were paid for`)
  await using usual = await startSourceServer({ '/': Buffer.alloc(2 * MIB) })
  assert.equal(await paid({ url: usual.url('/'), host: usual.host }), 0)
  await using written = await startSourceServer({
    '/': (_call, response) => {
      for (let index = 0; index < 4000; index += 1) response.write(Buffer.alloc(400))
      response.end()
    },
  })
  assert.equal(await paid({ url: written.url('/'), host: written.host }), 0)
})

test('all bodies in tiny chunks share one throttle, and idle time does not allow a later burst', () => {
  let now = 0
  const throttle = new ChunkThrottle({ chunksPerMs: 20, clock: () => now })
  assert.deepEqual([throttle.pauseMs(2000), throttle.pauseMs(1000)], [100, 150])
  now = 120
  assert.equal(throttle.pauseMs(0), 30)
  now = 10_000
  assert.equal(throttle.pauseMs(20), 1)
})

test('a body whose tiny chunks would require a pause of more than ten seconds fails as source_unreachable [sources.download.3]', async () => {
  await using server = await startDrippingServer(BODY)
  const reason = await reasonOf(streamed(server, { throttle: new ChunkThrottle({ chunksPerMs: 0.5 }) }))
  assert.equal(reason, 'The source could not be downloaded: its server sends it in chunks that are too small.')
})

test('a body with far more chunked framing than content fails as source_unreachable [sources.download.3]', async () => {
  await using server = await startRawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    writeOn(socket, `1;${'x'.repeat(16_000)}\r\nx\r\n`)
  })
  const reason = await reasonOf(streamed(server))
  assert.equal(reason, 'The source could not be downloaded: its server sends it in chunks that are too small.')
})

test('while a body is throttled, its socket is not read [sources.download.3]', async () => {
  const stop = new AbortController()
  await using server = await startRawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    writeOn(socket, '1\r\nx\r\n'.repeat(10_000))
  })
  const options = {
    network: { allowedHosts: parseAllowedHosts(server.host) },
    signal: stop.signal,
    maxBytes: 400 * MIB,
    // With this throttle, the first pause is longer than this test.
    throttle: new ChunkThrottle({ chunksPerMs: 2, clock: () => 0 }),
  }
  const response = await openSource(server.url, options)
  const { socket } = response.response
  const ended = streamBody(response, options, async () => {}).catch(() => {})
  for (let index = 0; index < 3000; index += 1) await turn()
  const read = socket.bytesRead
  stop.abort(new Error('measured'))
  await ended
  assert.ok(read <= 3 * 64 * 1024, `${read} bytes were read`)
})

test('an unread response buffers at most the bytes of one socket read, however many single bytes arrive', async () => {
  await using server = await startRawServer((socket) => {
    socket.setNoDelay(true).write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')
    const drip = (left: number): void => {
      if (left === 0 || socket.destroyed) return
      socket.write('x')
      setImmediate(drip, left - 1)
    }
    drip(3000)
  })
  const network = { allowedHosts: parseAllowedHosts(server.host) }
  const target = await checkUrl(server.url, network)
  assert.ok(target.ok)
  const outcome = await send(target, network, {
    method: 'GET',
    headers: {},
    signal: new AbortController().signal,
    connectMs: 60_000,
    headersMs: 60_000,
  })
  assert.ok(outcome.ok)
  const { response, body } = outcome
  for (let index = 0; index < 4000; index += 1) await turn()
  const held = body.readableLength + response.readableLength + response.socket.readableLength
  body.destroy()
  assert.ok(held < 1000, `${held} single bytes are held`)
})

test('twenty downloads in single bytes use at most 64 MB of memory together [sources.download.3]', {
  timeout: 120_000,
}, async () => {
  const bytes = 200_000
  await using server = await startDrippingServer(Buffer.alloc(bytes, 'x'))
  const fixture = new URL('../../../../../lab/fixtures/downloads.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [fixture, server.url, '20'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const { sizes, grownMb } = JSON.parse(await text(child.stdout)) as { sizes: number[]; grownMb: number }
  assert.deepEqual(
    sizes,
    Array.from({ length: 20 }, () => bytes),
  )
  assert.ok(grownMb <= 64, `${grownMb} MB more`)
})
