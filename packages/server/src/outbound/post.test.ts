import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '@mediamill/lab/support/process'
import { startRawServer, startSourceServer } from '@mediamill/lab/support/source-server'
import { NO_ALLOWED_HOSTS, parseAllowedHosts } from './guard/allowed-hosts.ts'
import type { PostOptions } from './post.ts'
import { post } from './post.ts'

const optionsFor = (hosts: string, options: Partial<PostOptions> = {}): PostOptions => ({
  network: { allowedHosts: parseAllowedHosts(hosts) },
  headers: { 'content-type': 'application/json', 'service-event-id': 'evt_1' },
  body: Buffer.from('{"ü":1}'),
  signal: new AbortController().signal,
  deadlineMs: 60_000,
  ...options,
})

test('a webhook is posted byte for byte with its headers, and the first 1 kB of the response is stored [webhooks.deliveries.1, webhooks.deliveries.5]', async () => {
  const received: Buffer[] = []
  await using server = await startSourceServer({
    '/hook': (call, response) => {
      call.on('data', (chunk: Buffer) => received.push(chunk))
      call.on('end', () => response.writeHead(201).end('x'.repeat(5000)))
    },
  })
  const outcome = await post(server.url('/hook'), optionsFor(server.host))
  assert.ok(outcome.ok)
  assert.deepEqual([outcome.status, outcome.bodyStart.length], [201, 1024])
  assert.equal(Buffer.concat(received).toString(), '{"ü":1}')
  assert.deepEqual([server.calls[0]?.method, server.calls[0]?.headers['service-event-id']], ['POST', 'evt_1'])
})

test('a webhook delivery does not follow a redirect and does not retry a 5xx [webhooks.deliveries.2]', async () => {
  await using server = await startSourceServer({
    '/moved': (_call, response) => response.writeHead(307, { location: '/hook' }).end(),
    '/broken': (_call, response) => response.writeHead(503).end('later'),
  })
  const moved = await post(server.url('/moved'), optionsFor(server.host))
  const broken = await post(server.url('/broken'), optionsFor(server.host))
  assert.deepEqual([moved.ok && moved.status, broken.ok && broken.status], [307, 503])
  assert.equal(server.calls.length, 2)
})

test('the response status decides whether a webhook delivery succeeds, even if the response body never ends', async () => {
  await using server = await startRawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const timer = setInterval(() => socket.write('a'.repeat(300)), 1)
    socket.on('close', () => clearInterval(timer))
  })
  const outcome = await post(server.url, optionsFor(server.host))
  assert.ok(outcome.ok && outcome.status === 200 && outcome.bodyStart.length === 1024)
})

const startLateServer = (beginning: string, rest: string) =>
  startRawServer((socket) => {
    socket.write(beginning)
    const timer = setTimeout(() => socket.end(rest), 10_000)
    socket.on('close', () => clearTimeout(timer))
  })

test('a webhook delivery whose response body stalls succeeds by its status, without waiting for the rest', {
  timeout: 60_000,
}, async () => {
  await using server = await startLateServer('HTTP/1.1 202 Accepted\r\n\r\nthanks', ', later')
  const outcome = await post(server.url, optionsFor(server.host, { deadlineMs: 20_000 }))
  assert.ok(outcome.ok && outcome.status === 202)
  assert.equal(String(outcome.bodyStart), 'thanks')
})

test('a delivery to a blocked address or closed port, or with a timeout, returns a failure reason instead of throwing [webhooks.deliveries.5]', {
  timeout: 60_000,
}, async () => {
  const blocked = await post('http://10.0.0.1/', { ...optionsFor(''), network: { allowedHosts: NO_ALLOWED_HOSTS } })
  assert.ok(!blocked.ok && /not on the public internet/.test(blocked.reason))
  const port = await freePort()
  const closed = await post(`http://127.0.0.1:${port}/`, optionsFor(`127.0.0.1:${port}`))
  assert.ok(!closed.ok && /did not accept a connection/.test(closed.reason))
  await using server = await startLateServer('', 'HTTP/1.1 200 OK\r\n\r\n')
  const silent = await post(server.url, optionsFor(server.host, { deadlineMs: 300 }))
  assert.ok(!silent.ok && /did not respond in time/.test(silent.reason))
  assert.equal(server.connections.count, 1)
})

test('stopping the service ends a webhook delivery at once', async () => {
  const controller = new AbortController()
  await using server = await startRawServer(() => controller.abort(new Error('stopping')))
  await assert.rejects(post(server.url, optionsFor(server.host, { signal: controller.signal })), /stopping/)
})
