import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import type { RawServer } from '@mediamill/lab/support/source-server'
import { startRawServer, startSourceServer } from '@mediamill/lab/support/source-server'
import { download } from './fetch/download.ts'
import { parseAllowedHosts } from './guard/allowed-hosts.ts'
import { checkUrl } from './guard/check-url.ts'
import { KeptConnections } from './kept-connections.ts'

const folder = await sharedFolder('mediamill-kept-')
let files = 0

async function fetchFor(kept: KeptConnections, accountId: number, url: string, maxBytes = 10_000_000): Promise<Buffer> {
  const path = join(folder, `file-${(files += 1)}`)
  await download(url, path, {
    network: { allowedHosts: parseAllowedHosts(new URL(url).host) },
    connections: kept.of(accountId),
    signal: new AbortController().signal,
    maxBytes,
    deadlineMs: 60_000,
    limits: { retryAfterMs: 1 },
  })
  return await readFile(path)
}

/** Starts a server that returns `response` for each call. Closes the connection if `response` returns `undefined`. */
const talking = (response: (call: number, connection: number) => string | undefined): Promise<RawServer> =>
  startRawServer((socket, connection) => {
    let calls = 0
    const reply = () => {
      const text = response((calls += 1), connection)
      if (text === undefined) socket.destroy()
      else socket.write(text)
    }
    socket.on('data', reply)
    reply()
  })
const ok = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`

test('outbound calls of one account reuse a connection, and another account gets a separate connection', async () => {
  using kept = new KeptConnections()
  await using server = await talking((call, connection) => ok(`${connection}/${call}`))
  const first = (account: number) => fetchFor(kept, account, server.url).then(String)
  assert.deepEqual([await first(1), await first(1), await first(2), await first(1)], ['1/1', '1/2', '2/1', '1/3'])
})

test('an outbound call does not reuse a connection to an earlier address of the host', async () => {
  using kept = new KeptConnections()
  const target = await checkUrl('http://127.0.0.1:4000/', { allowedHosts: parseAllowedHosts('127.0.0.1:4000') })
  assert.ok(target.ok)
  const own = kept.of(1)
  assert.equal(own.agentFor(target), own.agentFor({ ...target }))
  assert.notEqual(own.agentFor(target), own.agentFor({ ...target, addresses: ['127.0.0.2'] }))
})

test('an outbound call retries on a new connection if the server closed the idle connection', async () => {
  using kept = new KeptConnections()
  await using server = await talking((call, connection) => (call === 1 ? ok(`from ${connection}`) : undefined))
  const bodies: string[] = []
  for (let call = 0; call < 4; call += 1) bodies.push(String(await fetchFor(kept, 1, server.url)))
  assert.deepEqual(bodies, ['from 1', 'from 2', 'from 3', 'from 4'])
})

test('a process does not reuse an outbound connection with an unread response', async () => {
  using kept = new KeptConnections()
  await using server = await talking((_call, connection) => ok(String(connection)).replace(/: 1/, ': 1000'))
  await assert.rejects(fetchFor(kept, 1, server.url, 10), { code: 'source_too_large' })
  const second = await talking((_call, connection) => ok(`${connection}`))
  await using _ = second
  assert.equal(String(await fetchFor(kept, 1, second.url)), '1')
  await assert.rejects(fetchFor(kept, 1, server.url, 10), { code: 'source_too_large' })
  assert.equal(server.connections.count, 2)
})

test('a process reuses an outbound connection after a response body in tiny chunks', async () => {
  using kept = new KeptConnections()
  let connections = 0
  await using server = await startSourceServer({
    '/tiny-chunks': (call, response) => {
      if (call.socket.bytesWritten === 0) connections += 1
      response.writeHead(200, { 'content-length': 600 })
      for (let at = 0; at < 600; at += 1) response.write('x')
      response.end()
    },
  })
  for (let call = 0; call < 3; call += 1) {
    assert.equal((await fetchFor(kept, 1, server.url('/tiny-chunks'))).length, 600)
  }
  assert.equal(connections, 1)
})

test('a process keeps idle outbound connections only to the most recently used hosts', async () => {
  using kept = new KeptConnections()
  await using server = await talking((call, connection) => ok(`${connection}/${call}`))
  assert.equal(String(await fetchFor(kept, 0, server.url)), '1/1')
  const target = await checkUrl(server.url, { allowedHosts: parseAllowedHosts(server.host) })
  assert.ok(target.ok)
  for (let account = 1; account <= 128; account += 1) kept.of(account).agentFor(target)
  assert.equal(String(await fetchFor(kept, 0, server.url)), '2/1')
})

test('a process drops its connection to the least recently used host first, and reconnects to a dropped host', async () => {
  using kept = new KeptConnections()
  const target = await checkUrl('http://127.0.0.1:9/', { allowedHosts: parseAllowedHosts('127.0.0.1:9') })
  assert.ok(target.ok)
  const agents = Array.from({ length: 128 }, (_, account) => kept.of(account).agentFor(target))
  assert.equal(new Set(agents).size, 128)
  assert.equal(kept.of(0).agentFor(target), agents[0])
  kept.of(128).agentFor(target)
  assert.equal(kept.of(0).agentFor(target), agents[0])
  assert.notEqual(kept.of(1).agentFor(target), agents[1])
  assert.equal(kept.of(127).agentFor(target), agents[127])
})
