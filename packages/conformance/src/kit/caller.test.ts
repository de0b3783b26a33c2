import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { shared } from '@mediamill/lab/support/shared'
import { Caller } from './caller.ts'

let calls = 0
const { url } = shared(
  await startHttpServer((_call, response) => {
    calls += 1
    const isRejected = calls <= 50
    response.writeHead(isRejected ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '0' })
    response.end(JSON.stringify(isRejected ? { error: { code: 'rate_limited' } } : {}))
  }),
)

test('the conformance kit retries a rate-limited call a limited number of times', async () => {
  const caller = new Caller(url, 'svc_live_a')
  const { status, body } = await caller.call('GET', '/')
  assert.deepEqual([status, body.error?.code, calls], [429, 'rate_limited', 4])
})
