import assert from 'node:assert/strict'
import { test } from 'node:test'
import { naming } from '@mediamill/lab/support/message'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'

const service = await sharedService({ workers: false })
const { call, sql } = service

test('GET /v1/account and the 402 error for insufficient credit contain the held and the available amount [account.object.2]', async () => {
  const { id, liveKey: key } = await openAccount(sql)
  const body = { source: 'https://1.1.1.1/a.pdf' }
  assert.equal((await call('POST', '/v1/documents/read', { key, body })).status, 202)
  await sql`update requests set hold = 1000100 where account_id = ${id}`
  await sql`update accounts set held = 1000100 where id = ${id}`
  const { balance, held, available } = (await call('GET', '/v1/account', { key })).body
  assert.deepEqual(
    [balance.micro_usd, held.micro_usd, available],
    [1_000_000, 1_000_100, { amount: '-0.000100', currency: 'usd', micro_usd: -100 }],
  )
  const rejected = await call('POST', '/v1/documents/read', { key, body })
  assert.equal(rejected.status, 402)
  assert.match(rejected.body.error.message, naming('at least $0.0005', '-$0.0001', 'hold $1.0001', 'Buy credit'))
})

test("GET /v1/account returns the account's own limits and webhook URL [account.object.1, limits.own.1]", async () => {
  const { id, liveKey: key } = await openAccount(sql)
  await sql`
    update accounts set webhook_url = 'https://example.com/hook', requests_per_minute = 251, max_source_bytes = 7
    where id = ${id}`
  const { body } = await call('GET', '/v1/account', { key })
  assert.equal(body.webhook_url, 'https://example.com/hook')
  assert.deepEqual(body.limits, { requests_per_minute: 251, concurrent_requests: 2, max_source_bytes: 7 })
})
