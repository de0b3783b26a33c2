import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { freePort } from '@mediamill/lab/support/process'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { startRawServer, startSourceServer } from '@mediamill/lab/support/source-server'
import { ChunkThrottle } from '../chunk-throttle.ts'
import { parseAllowedHosts } from '../guard/allowed-hosts.ts'
import type { DownloadOptions } from './download.ts'
import { download, saveBody } from './download.ts'
import { JoinedBody } from './joined-body.ts'
import { HEAD_BYTES } from './source-file.ts'

const MIB = 1024 * 1024
const PATTERN = Buffer.from(Array.from({ length: 3 * MIB }, (_, index) => (index * 7 + (index >> 8)) & 0xff))

const folder = await sharedFolder('download-test-')
const target = join(folder, 'in.bin')

async function fetched(url: string, hosts: string, options: Partial<DownloadOptions> = {}) {
  try {
    const result = await download(url, target, {
      network: { allowedHosts: parseAllowedHosts(hosts) },
      signal: new AbortController().signal,
      maxBytes: 4 * MIB,
      deadlineMs: 60_000,
      ...options,
      limits: { retryAfterMs: 1, ...options.limits },
    })
    return { ...result, content: await readFile(target) }
  } catch (error) {
    assert.equal(existsSync(target), false, 'something was left behind')
    throw error
  } finally {
    await rm(target, { force: true })
  }
}

async function codeOf(url: string, hosts: string, options: Partial<DownloadOptions> = {}): Promise<string> {
  try {
    await fetched(url, hosts, options)
    return 'ok'
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    assert.ok(!/127\.0\.0|localhost|:\d{4}|\/tmp|ECONN|HPE_/.test(error.message), error.message)
    return error.code
  }
}

test('a download saves a file, and returns its size and first 64 KiB', async () => {
  await using server = await startSourceServer({
    '/a': PATTERN,
    '/small': PATTERN.subarray(0, 10),
    '/empty': Buffer.alloc(0),
  })
  const large = await fetched(server.url('/a'), server.host)
  assert.equal(large.size, PATTERN.length)
  assert.ok(large.content.equals(PATTERN))
  assert.ok(large.head.equals(PATTERN.subarray(0, HEAD_BYTES)))
  const small = await fetched(server.url('/small'), server.host)
  assert.deepEqual([small.size, small.content, small.head], [10, PATTERN.subarray(0, 10), PATTERN.subarray(0, 10)])
  const empty = await fetched(server.url('/empty'), server.host)
  assert.deepEqual([empty.size, empty.content.length, empty.head.length], [0, 0, 0])
})

test('a download accepts a source at the size limit, and rejects one byte more as source_too_large, with or without Content-Length [sources.size.1]', async () => {
  const chunked = (size: number) => (_call: unknown, response: { write: (bytes: Buffer) => void; end: () => void }) => {
    response.write(PATTERN.subarray(0, size))
    response.end()
  }
  await using server = await startSourceServer({
    '/at': PATTERN.subarray(0, MIB),
    '/over': PATTERN.subarray(0, MIB + 1),
    '/chunked-at': chunked(MIB),
    '/chunked-over': chunked(MIB + 1),
  })
  for (const path of ['/at', '/chunked-at'])
    assert.equal(await codeOf(server.url(path), server.host, { maxBytes: MIB }), 'ok')
  for (const path of ['/over', '/chunked-over']) {
    assert.equal(await codeOf(server.url(path), server.host, { maxBytes: MIB }), 'source_too_large')
  }
})

test('a watermark image over its size limit fails as processing_failed with the limit, and with the size if the server sends it [limits.media.1]', async () => {
  await using server = await startSourceServer({
    '/over': PATTERN.subarray(0, MIB + 1),
    '/chunked-over': (_call, response) => {
      response.write(PATTERN.subarray(0, MIB + 1))
      response.end()
    },
  })
  const options = { maxBytes: MIB, subject: 'watermark image' } as const
  const rejects = async (path: string, message: string) =>
    assert.rejects(fetched(server.url(path), server.host, options), { code: 'processing_failed', message })
  await rejects('/over', 'The watermark image has 1,048,577 bytes; the limit is 1 MB (1,048,576 bytes).')
  await rejects('/chunked-over', 'The watermark image is larger than 1 MB, the limit.')
})

test('a download of an endless body stops at the size limit, and its received bytes are counted', async () => {
  await using server = await startSourceServer({
    '/endless': (_call, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(PATTERN)) {}
        response.once('drain', more)
      }
      more()
    },
  })
  const received = { bytes: 0 }
  assert.equal(await codeOf(server.url('/endless'), server.host, { maxBytes: MIB, received }), 'source_too_large')
  assert.ok(received.bytes > MIB && received.bytes <= MIB + 64 * 1024)
})

test('a download decompresses a body, and limits its decompressed size [sources.size.2]', async () => {
  const zeros = Buffer.alloc(8 * MIB)
  const encoded = (encoding: string, body: Buffer) => (_call: unknown, response: import('node:http').ServerResponse) =>
    response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.length }).end(body)
  await using server = await startSourceServer({
    '/gzip': encoded('gzip', gzipSync(PATTERN)),
    '/deflate': encoded('deflate', deflateSync(PATTERN)),
    '/br': encoded('BR', brotliCompressSync(PATTERN)),
    '/identity': encoded('identity', PATTERN),
    '/bomb-gzip': encoded('gzip', gzipSync(zeros)),
    '/bomb-deflate': encoded('deflate', deflateSync(zeros)),
    '/bomb-br': encoded('br', brotliCompressSync(zeros)),
    '/unknown': encoded('zstd', PATTERN),
    '/twice': encoded('gzip, gzip', gzipSync(gzipSync(PATTERN))),
    '/cut': encoded('gzip', gzipSync(PATTERN).subarray(0, 1000)),
    '/damaged': encoded('gzip', PATTERN),
  })
  for (const path of ['/gzip', '/deflate', '/br', '/identity']) {
    assert.ok((await fetched(server.url(path), server.host)).content.equals(PATTERN), path)
  }
  for (const path of ['/bomb-gzip', '/bomb-deflate', '/bomb-br']) {
    assert.equal(await codeOf(server.url(path), server.host), 'source_too_large', path)
  }
  for (const path of ['/unknown', '/twice', '/cut', '/damaged']) {
    assert.equal(await codeOf(server.url(path), server.host), 'source_unreachable', path)
  }
  assert.equal(server.calls[0]?.headers['accept-encoding'], 'identity')
})

test('a download limits the compressed bytes of a body that decompresses to nothing', async () => {
  // The empty blocks decompress to nothing, so the decoder never emits a byte.
  const blocks = Buffer.alloc(2 * MIB, Buffer.from([0, 0, 0, 0xff, 0xff]))
  const body = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), blocks])
  await using server = await startSourceServer({
    '/nothing': (_call, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(body)
    },
  })
  assert.equal(await codeOf(server.url('/nothing'), server.host, { maxBytes: MIB }), 'source_too_large')
})

test('a download whose response ends early counts as interrupted, even if its compressed data is already complete', async () => {
  const body = Buffer.concat([deflateSync(PATTERN), Buffer.from('more than a decoder reads')])
  await using server = await startRawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: ${body.length + 10}\r\n\r\n`)
    socket.write(body)
  })
  await assert.rejects(fetched(server.url, server.host), /closed the connection early/)
})

test('a download fails at once if the response was interrupted before the download read the body', async () => {
  await using server = await startRawServer((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'))
  const [response] = (await once(http.get(server.url, { agent: false }), 'response')) as [http.IncomingMessage]
  const body = new JoinedBody(response, new ChunkThrottle())
  response.destroy()
  await once(body, 'close')
  const options = {
    network: { allowedHosts: parseAllowedHosts('') },
    signal: new AbortController().signal,
    maxBytes: MIB,
    limits: { stallMs: 100 },
  }
  await assert.rejects(saveBody({ response, body }, target, options), /interrupted/)
})

test('a download follows three redirects, rejects the fourth, and checks each redirect URL like the first URL [sources.redirects.1]', async () => {
  const to =
    (location: string, status = 302) =>
    (_call: unknown, response: import('node:http').ServerResponse) =>
      response.writeHead(status, { location }).end()
  await using other = await startSourceServer({ '/private': PATTERN })
  await using server = await startSourceServer({
    '/file': PATTERN.subarray(0, 10),
    '/1': to('/file', 301),
    '/2': to('1', 303),
    '/3': to('//HOST/2', 307),
    '/4': to('/3', 308),
    '/loop': to('/loop'),
    '/neighbor': to(other.url('/private')),
    '/metadata': to('http://169.254.169.254/latest/'),
    '/localhost': to('http://localhost/'),
    '/file-scheme': to('file:///etc/passwd'),
    '/repaired': to('http:\\\\127.0.0.1\\'),
    '/slashes': to('///etc/passwd'),
    '/space': to('/a b'),
    '/userinfo': to('http://a:b@example.com/'),
    '/no-name': to('http://nothing.invalid/'),
    '/nowhere': (_call, response) => response.writeHead(302).end(),
  })
  server.files.set('/3', to(`//${server.host}/2`, 307))
  assert.equal((await fetched(server.url('/3'), server.host)).size, 10)
  const expected = {
    '/4': 'source_unreachable',
    '/loop': 'source_unreachable',
    '/nowhere': 'source_unreachable',
    // An exemption is a pair of host and port. Another port of the same address is not exempt.
    '/neighbor': 'url_invalid',
    '/metadata': 'url_blocked',
    '/localhost': 'url_blocked',
    '/file-scheme': 'url_invalid',
    '/repaired': 'url_invalid',
    '/slashes': 'url_invalid',
    '/space': 'url_invalid',
    '/userinfo': 'url_invalid',
    '/no-name': 'url_unresolvable',
  }
  for (const [path, code] of Object.entries(expected))
    assert.equal(await codeOf(server.url(path), server.host), code, path)
  assert.equal(other.calls.length, 0)
})

test('a download is retried once after a failed connection or a 5xx response [sources.download.1]', async () => {
  // 500 is the lowest status that must be retried.
  const responses = [500, 200, 502, 503, 404]
  await using server = await startSourceServer({
    '/flaky': (_call, response) => response.writeHead(responses.shift() ?? 500).end('body'),
  })
  assert.equal(await codeOf(server.url('/flaky'), server.host), 'ok')
  assert.equal(await codeOf(server.url('/flaky'), server.host), 'source_unreachable')
  assert.equal(await codeOf(server.url('/flaky'), server.host), 'source_unreachable')
  assert.equal(server.calls.length, 5)
  const port = await freePort()
  assert.equal(await codeOf(`http://127.0.0.1:${port}/`, `127.0.0.1:${port}`), 'source_unreachable')
})

const FAULTS: Record<string, { says: string | ((socket: Socket) => void); code: string }> = {
  '101 Switching Protocols': {
    says: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    code: 'source_unreachable',
  },
  '204 No Content': { says: 'HTTP/1.1 204 No Content\r\n\r\n', code: 'source_unreachable' },
  '205 Reset Content': { says: 'HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n', code: 'source_unreachable' },
  'a part that was not asked for': {
    says: 'HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-1/2\r\nContent-Length: 2\r\n\r\nab',
    code: 'source_unreachable',
  },
  '304 Not Modified': { says: 'HTTP/1.1 304 Not Modified\r\n\r\n', code: 'source_unreachable' },
  '300 Multiple Choices': {
    says: 'HTTP/1.1 300 Choose\r\nLocation: /\r\nContent-Length: 0\r\n\r\n',
    code: 'source_unreachable',
  },
  'a status past 599': { says: 'HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n', code: 'source_unreachable' },
  'an empty answer': { says: (socket) => socket.end(), code: 'source_unreachable' },
  'a reset': { says: (socket) => socket.resetAndDestroy(), code: 'source_unreachable' },
  'no HTTP': { says: 'SSH-2.0-OpenSSH_9.2\r\n', code: 'source_unreachable' },
  'half of the headers': { says: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'), code: 'source_unreachable' },
  'headers too large': {
    says: `HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(20_000)}\r\nContent-Length: 1\r\n\r\na`,
    code: 'source_unreachable',
  },
  'endless interim answers': {
    says: (socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20)),
    code: 'source_unreachable',
  },
  'endless headers': {
    says: (socket) => (socket.write('HTTP/1.1 200 OK\r\n'), repeat(socket, 'X-More: and more\r\n')),
    code: 'source_unreachable',
  },
  'a body shorter than announced': {
    says: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
    code: 'source_unreachable',
  },
  'a body longer than announced': { says: 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef', code: 'ok' },
  'a length that is not a number': {
    says: 'HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\nabc',
    code: 'source_unreachable',
  },
  'a negative length': { says: 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc', code: 'source_unreachable' },
  'a length past all numbers': {
    says: 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc',
    code: 'source_unreachable',
  },
  'a huge length': { says: 'HTTP/1.1 200 OK\r\nContent-Length: 9007199254740991\r\n\r\nabc', code: 'source_too_large' },
  'two lengths': {
    says: 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc',
    code: 'source_unreachable',
  },
  'a length and chunks': {
    says: 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    code: 'source_unreachable',
  },
  'a broken chunk': {
    says: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n',
    code: 'source_unreachable',
  },
  'chunks without the last': {
    says: (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'),
    code: 'source_unreachable',
  },
  'a body that ends with the connection': { says: (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nabc'), code: 'ok' },
  'a reset within the body': {
    says: (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', () => socket.resetAndDestroy()),
    code: 'source_unreachable',
  },
}

function repeat(socket: Socket, text: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(text)) {}
    socket.once('drain', more)
  }
  more()
}

test('a download fails with the correct error code for every kind of invalid response [sources.download.1]', async () => {
  for (const [name, { says, code }] of Object.entries(FAULTS)) {
    await using server = await startRawServer((socket) =>
      typeof says === 'string' ? socket.write(says) : says(socket),
    )
    assert.equal(await codeOf(server.url, server.host), code, name)
  }
})

test('the error for a server that sends only interim (1xx) responses has its own message', async () => {
  const upgrade = FAULTS['101 Switching Protocols']?.says
  const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20)
  for (const [says, message] of [
    [upgrade, /status 101/],
    [interim, /final response/],
  ] as const) {
    await using server = await startRawServer((socket) => socket.write(String(says)))
    await assert.rejects(fetched(server.url, server.host), message)
  }
})

test('a download times out if the server sends nothing before the headers, within the headers, or within the body [sources.download.1]', async () => {
  const silent = [
    { said: '', limits: { headersMs: 50 }, message: /did not respond in time/ },
    { said: 'HTTP/1.1 200 OK\r\nContent-', limits: { headersMs: 50 }, message: /did not respond in time/ },
    { said: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', limits: { stallMs: 50 }, message: /stopped sending/ },
  ]
  for (const { said: output, limits, message } of silent) {
    await using server = await startRawServer((socket) => socket.write(output))
    await assert.rejects(fetched(server.url, server.host, { limits }), { code: 'source_unreachable', message })
    assert.equal(server.connections.count, 1)
  }
})

test('a connection that the server does not accept times out and is retried once [sources.download.1]', async (t) => {
  const listener = spawn(process.execPath, ['-e', LISTEN_ONLY], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => listener.kill('SIGKILL'))
  const port = Number(String((await once(listener.stdout, 'data'))[0]))
  listener.kill('SIGSTOP')
  const fillers = Array.from({ length: 16 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  t.after(() => {
    for (const filler of fillers) filler.destroy()
  })
  const host = `127.0.0.1:${port}`
  const limits = { connectMs: 100, headersMs: 100 }
  await assert.rejects(fetched(`http://${host}/`, host, { limits }), /did not accept a connection in time/)
})

/** The code of a server. The test stops it and fills its accept queue, so that no connection is accepted. */
const LISTEN_ONLY = `
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`

test('a slow download fails below the minimum speed, and at its deadline [sources.download.2]', async () => {
  await using server = await startRawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const timer = setInterval(() => socket.write('a'), 5)
    socket.on('close', () => clearInterval(timer))
  })
  const limits = { stallMs: 3000, paceMs: 100, minBytesPerSecond: 1_000_000 }
  await assert.rejects(fetched(server.url, server.host, { limits }), /sends too slowly/)
  await assert.rejects(fetched(server.url, server.host, { deadlineMs: 100 }), /took longer/)
})

test('an abort ends a download at once with the abort reason, and leaves no file [requests.abort.2]', async () => {
  const phases = ['', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc']
  for (const output of phases) {
    const controller = new AbortController()
    const closed = Promise.withResolvers<void>()
    await using server = await startRawServer((socket) => {
      socket.on('close', closed.resolve)
      socket.write(output, () => setImmediate(() => controller.abort(new Error('aborted by the client'))))
    })
    await assert.rejects(fetched(server.url, server.host, { signal: controller.signal }), /aborted by the client/)
    await closed.promise
    assert.equal(existsSync(target), false)
  }
  const aborted = AbortSignal.abort(new Error('aborted before'))
  await using server = await startSourceServer({ '/a': PATTERN })
  await assert.rejects(fetched(server.url('/a'), server.host, { signal: aborted }), /aborted before/)
  assert.equal(server.calls.length, 0)
})

test('a download ignores proxy variables in the environment', async () => {
  await using proxy = await startSourceServer()
  await using server = await startSourceServer({ '/a': PATTERN })
  const restore = http.setGlobalProxyFromEnv({ http_proxy: proxy.url('') })
  try {
    await new Promise((resolve) => http.get(server.url('/a'), (response) => response.resume().on('end', resolve)))
    assert.deepEqual([proxy.calls.length, server.calls.length], [1, 0])
    assert.equal(await codeOf(server.url('/a'), server.host), 'ok')
  } finally {
    restore()
  }
  assert.deepEqual([proxy.calls.length, server.calls.length], [1, 1])
})

test('a disk error is not reported as a source error, and a download never overwrites an existing file', async () => {
  await using server = await startSourceServer({ '/a': PATTERN, '/small': PATTERN.subarray(0, 9) })
  const options = {
    network: { allowedHosts: parseAllowedHosts(server.host) },
    signal: new AbortController().signal,
    maxBytes: MIB * 4,
    deadlineMs: 60_000,
  }
  await assert.rejects(download(server.url('/a'), join(folder, 'no', 'such', 'folder'), options), { code: 'ENOENT' })
  const there = join(folder, 'there')
  await writeFile(there, 'it was there before')
  for (const path of ['/small', '/a']) {
    await assert.rejects(download(server.url(path), there, options), { code: 'EEXIST' })
    assert.equal(await readFile(there, 'utf8'), 'it was there before')
  }
})
