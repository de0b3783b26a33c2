import assert from 'node:assert/strict'
import { test } from 'node:test'
import { microUsd } from '@mediamill/contract/domain/money'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { insertPurchase } from '../../src/db/accounts/accounts.ts'
import { listDifferences } from '../../src/db/accounts/ledger.ts'

const service = await sharedService({ workers: false })
const { call, sql } = service
const elsewhere = await service.another()

const body = { source: 'https://1.1.1.1/a.jpg' }
const work = { ...body, operations: [{ type: 'grayscale' }] }

test('a new account has $1.00 of credit on the free tier, which covers images and documents but not videos [billing.ledger.2, videos.access.1]', async () => {
  const { liveKey: key, testKey } = await openAccount(sql)
  const { body: account } = await call('GET', '/v1/account', { key })
  assert.deepEqual(account.balance, { amount: '1.000000', currency: 'usd', micro_usd: 1_000_000 })
  assert.equal(account.tier, 'free')
  assert.equal((await call('POST', '/v1/images/process', { key, body: work })).status, 202)
  assert.equal((await call('POST', '/v1/documents/read', { key, body })).status, 202)
  for (const [path, sent] of [
    ['videos/process', work],
    ['videos/read', body],
    ['videos/screenshot', { ...body, seconds: 1 }],
  ] as const) {
    for (const used of [key, testKey]) {
      const { status, body: response } = await call('POST', `/v1/${path}`, { key: used, body: sent })
      assert.deepEqual(
        [status, response.error.type, response.error.code],
        [402, 'payment_required', 'paid_account_required'],
      )
    }
  }
  const invalid = await call('POST', '/v1/videos/screenshot', { key, body })
  assert.equal(invalid.body.error.code, 'validation_failed', 'a wrong body is told before the tier')
})

test('the first purchase makes an account paid and allows videos [billing.ledger.2]', async () => {
  const { id, liveKey: key, testKey } = await openAccount(sql)
  await insertPurchase(sql, id, microUsd(1), null)
  assert.equal((await call('GET', '/v1/account', { key })).body.tier, 'paid')
  assert.equal((await call('POST', '/v1/videos/read', { key, body })).status, 202)
  assert.equal((await call('POST', '/v1/videos/read', { key: testKey, body })).status, 202)
})

test('with credit for seven requests, exactly seven of 200 parallel calls on two processes are accepted [billing.holds.1]', async () => {
  const { id, liveKey: key } = await openAccount(sql)
  await sql`insert into ledger (account_id, kind, amount) values (${id}, 'adjustment', -985999)`
  await sql`
    update accounts set balance = 14001, requests_per_minute = 10000, concurrent_requests = 1000 where id = ${id}`
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      call('POST', `${index % 2 === 0 ? service.url : elsewhere}/v1/images/process`, { key, body: work }),
    ),
  )
  assert.equal(responses.filter(({ status }) => status === 202).length, 7)
  for (const { status, body: response } of responses) {
    if (status !== 202) assert.deepEqual([status, response.error.code], [402, 'insufficient_credits'])
  }
  assert.deepEqual(await listDifferences(sql), [])
})

test('a call to any endpoint is accepted if the available balance equals the price, and returns 402 if one micro-dollar is missing [billing.holds.1]', async () => {
  const prices: [string, object, number][] = [
    ['images/process', work, 2_000],
    ['images/read', body, 500],
    ['videos/process', work, 20_000],
    ['videos/read', body, 1_000],
    ['videos/screenshot', { ...body, seconds: 1 }, 2_000],
    ['documents/process', { ...body, operations: [{ type: 'watermark', image_url: body.source, x: 0, y: 0 }] }, 4_000],
    ['documents/read', body, 500],
    ['documents/snapshot', body, 2_000],
  ]
  const { id, liveKey: key } = await openAccount(sql, microUsd(1))
  for (const [endpoint, sent, price] of prices) {
    await sql`update accounts set balance = held + ${price - 1} where id = ${id}`
    const short = await call('POST', `/v1/${endpoint}`, { key, body: sent })
    assert.deepEqual([short.status, short.body.error.code], [402, 'insufficient_credits'], endpoint)
    await sql`update accounts set balance = held + ${price} where id = ${id}`
    const accepted = await call('POST', `/v1/${endpoint}`, { key, body: sent })
    assert.equal(accepted.status, 202, endpoint)
    await call('POST', `/v1/requests/${accepted.body.id}/abort`, { key })
  }
  await sql`update accounts set balance = 1000001 where id = ${id}`
  assert.deepEqual(await listDifferences(sql), [])
})
