import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { connect } from './connect.ts'

test('after a temporary error, a single command repeats its call twice, and a batch repeats its call 12 times to survive a restart of the service', async () => {
  let calls = 0
  await using server = await startHttpServer((_call, response) => {
    calls += 1
    response.writeHead(503, { 'retry-after': '0' }).end()
  })
  process.env['MEDIAMILL_API_KEY'] = 'svc_live_any'
  for (const [options, expected] of [
    [undefined, 3],
    [{ isBatch: true }, 13],
  ] as const) {
    calls = 0
    const { service } = await connect({ url: server.url }, options)
    await assert.rejects(() => service.account.retrieve())
    assert.equal(calls, expected)
  }
})
