import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRawServer } from '@mediamill/lab/support/source-server'
import { NO_ALLOWED_HOSTS, parseAllowedHosts } from './guard/allowed-hosts.ts'
import { checkUrl } from './guard/check-url.ts'
import { send } from './send.ts'

test('a connection to a private address is closed before a byte of the outbound call is sent', async () => {
  let received = false
  await using server = await startRawServer(() => {
    received = true
  })
  const network = { allowedHosts: NO_ALLOWED_HOSTS }
  const checked = await checkUrl('http://93.184.216.34/', network)
  assert.ok(checked.ok)
  const target = {
    ...checked,
    url: { ...checked.url, hostname: 'public.test', port: server.port },
    addresses: ['127.0.0.1'],
  }
  const outcome = await send(target, network, {
    method: 'GET',
    headers: {},
    signal: new AbortController().signal,
    connectMs: 60_000,
    headersMs: 60_000,
  })
  assert.ok(!outcome.ok)
  assert.equal(outcome.reason, 'is not on the public internet')
  assert.equal(received, false)
})

test('a failed outbound call closes its connection', async () => {
  const closed = Promise.withResolvers<void>()
  await using server = await startRawServer((socket) => {
    socket.resume().once('close', closed.resolve)
  })
  const network = { allowedHosts: parseAllowedHosts(server.host) }
  const target = await checkUrl(server.url, network)
  assert.ok(target.ok)
  const outcome = await send(target, network, {
    method: 'GET',
    headers: {},
    signal: new AbortController().signal,
    connectMs: 60_000,
    headersMs: 1,
  })
  assert.ok(!outcome.ok)
  assert.equal(outcome.reason, 'did not respond in time')
  await closed.promise
})
