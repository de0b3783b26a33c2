import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { Caller } from './caller.ts'

let calls = 0
const server = createServer((_call, response) => {
  calls += 1
  const isRejected = calls <= 50
  response.writeHead(isRejected ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '0' })
  response.end(JSON.stringify(isRejected ? { error: { code: 'rate_limited' } } : {}))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())

test('the conformance kit retries a rate-limited call a limited number of times', async () => {
  const caller = new Caller(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'svc_live_a')
  const { status, body } = await caller.call('GET', '/')
  assert.deepEqual([status, body.error?.code, calls], [429, 'rate_limited', 4])
})
