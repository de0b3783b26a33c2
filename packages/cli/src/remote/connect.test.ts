import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { connect } from './connect.ts'

test('after a temporary error, a single command repeats its call twice, and a batch repeats its call 12 times to survive a restart of the service', async (t) => {
  let calls = 0
  const server = createServer((_call, response) => {
    calls += 1
    response.writeHead(503, { 'retry-after': '0' }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  process.env['MEDIAMILL_API_KEY'] = 'svc_live_any'
  for (const [options, expected] of [
    [undefined, 3],
    [{ isBatch: true }, 13],
  ] as const) {
    calls = 0
    const { service } = await connect({ url }, options)
    await assert.rejects(() => service.account.retrieve())
    assert.equal(calls, expected)
  }
})
