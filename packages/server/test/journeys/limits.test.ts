import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '@mediamill/contract/domain/ids'
import { microUsd } from '@mediamill/contract/domain/money'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { insertPurchase } from '../../src/db/accounts/accounts.ts'

const service = await sharedService({ workers: false })
const { call, sql } = service
const elsewhere = await service.another()
const urlOf = (index: number) => (index % 2 === 0 ? service.url : elsewhere)

const body = { source: 'https://1.1.1.1/a.jpg' }

async function pass(accountId: AccountId, seconds: number): Promise<void> {
  await sql`
    update call_windows set at = (select array_agg(greatest(entry - ${seconds * 1000}::bigint, 0) order by place)
      from unnest(at) with ordinality as entries (entry, place))
    where account_id = ${accountId}`
}

async function race(count: number, send: (index: number) => ReturnType<typeof call>) {
  const responses = await Promise.all(Array.from({ length: count }, (_, index) => send(index)))
  const rejected = responses.filter(({ status }) => status >= 400)
  return {
    accepted: count - rejected.length,
    codes: new Set(rejected.map((response) => response.body.error.code)),
    refused: rejected,
  }
}

test('test keys, free accounts, and paid accounts have the documented limits [account.object.1]', async () => {
  const account = await openAccount(sql)
  const limits = async (key: string) => (await call('GET', '/v1/account', { key })).body.limits
  const test = { requests_per_minute: 10, concurrent_requests: 2, max_source_bytes: 10 * 1024 * 1024 }
  assert.deepEqual(await limits(account.testKey), test)
  const free = { requests_per_minute: 30, concurrent_requests: 2, max_source_bytes: 25 * 1024 * 1024 }
  assert.deepEqual(await limits(account.liveKey), free)
  await insertPurchase(sql, account.id, microUsd(1), null)
  const paid = { requests_per_minute: 120, concurrent_requests: 10, max_source_bytes: 2 * 1024 ** 3 }
  assert.deepEqual(await limits(account.liveKey), paid)
  assert.deepEqual(await limits(account.testKey), test)
})

for (const [kind, limit] of [
  ['test', 10],
  ['free', 30],
  ['paid', 120],
] as const) {
  test(`if 150 calls with a ${kind} key race on two processes, exactly ${limit} are accepted per minute [limits.counting.1, limits.rate.1]`, async () => {
    const account = await openAccount(sql, microUsd(kind === 'paid' ? 1 : 0))
    const key = kind === 'test' ? account.testKey : account.liveKey
    const {
      accepted,
      codes,
      refused: rejected,
    } = await race(150, (index) => call('GET', `${urlOf(index)}/v1/account`, { key }))
    assert.equal(accepted, limit)
    assert.deepEqual([...codes], ['rate_limited'])
    for (const { status, headers } of rejected) {
      const wait = Number(headers.get('retry-after'))
      assert.ok(status === 429 && Number.isInteger(wait) && wait >= 1 && wait <= 60)
      assert.equal(headers.get('x-ratelimit-remaining'), '0')
      assert.equal(headers.get('x-ratelimit-limit'), String(limit))
    }
  })
}

test('the rate limit covers the last 60 s: at the limit, a call is accepted only once the oldest call is 60 s old [limits.rate.1]', async () => {
  const { id, testKey: key } = await openAccount(sql)
  const enter = async () => (await call('GET', '/v1/account', { key })).status
  for (let count = 0; count < 4; count += 1) assert.equal(await enter(), 200)
  await pass(id, 30)
  for (let count = 0; count < 6; count += 1) assert.equal(await enter(), 200)
  assert.equal(await enter(), 429)
  await pass(id, 20)
  const rejected = await call('GET', '/v1/account', { key })
  assert.equal(rejected.status, 429)
  assert.ok(Number(rejected.headers.get('retry-after')) <= 10)
  await pass(id, 10)
  for (let count = 0; count < 4; count += 1) assert.equal(await enter(), 200)
  assert.equal(await enter(), 429, 'a refused call is not counted, and none enters too many')
  await pass(id, 30)
  for (let count = 0; count < 6; count += 1) assert.equal(await enter(), 200)
  assert.equal(await enter(), 429)
})

test('all calls of an account in one mode count toward one rate limit, with any key and endpoint, even if they are rejected [limits.counting.1, limits.rate.1]', async () => {
  const account = await openAccount(sql)
  const left = async (method: string, path: string, sent?: unknown) => {
    const { headers } = await call(method, path, {
      key: account.testKey,
      ...(sent === undefined ? {} : { body: sent }),
    })
    return Number(headers.get('x-ratelimit-remaining'))
  }
  assert.equal(await left('GET', '/v1/account'), 9)
  assert.equal(await left('GET', '/v1/requests/1'), 8)
  assert.equal(await left('POST', '/v1/images/read', {}), 7)
  assert.equal(await left('POST', '/v1/videos/read', body), 6)
  assert.equal(await left('GET', '/v1/nothing'), 5)
  const live = await call('GET', '/v1/account', { key: account.liveKey })
  assert.equal(live.headers.get('x-ratelimit-remaining'), '29')
})

test('if the rate limit changes within a minute, the earlier calls of this minute still count [limits.rate.1]', async () => {
  const account = await openAccount(sql)
  const { accepted: before } = await race(40, () => call('GET', '/v1/account', { key: account.liveKey }))
  assert.equal(before, 30)
  await insertPurchase(sql, account.id, microUsd(1_000_000), null)
  const { accepted: afterwards } = await race(150, () => call('GET', '/v1/account', { key: account.liveKey }))
  assert.equal(afterwards, 90)
  await sql`update accounts set requests_per_minute = 20 where id = ${account.id}`
  assert.equal((await call('GET', '/v1/account', { key: account.liveKey })).status, 429)
  await sql`update accounts set requests_per_minute = 120 where id = ${account.id}`
  assert.equal(
    (await call('GET', '/v1/account', { key: account.liveKey })).status,
    429,
    'refused calls give nothing back',
  )
  await sql`update accounts set requests_per_minute = 20 where id = ${account.id}`
  await pass(account.id, 60)
  const { accepted: lowered } = await race(40, () => call('GET', '/v1/account', { key: account.liveKey }))
  assert.equal(lowered, 20)
  const fresh = await openAccount(sql, microUsd(1))
  await call('GET', '/v1/account', { key: fresh.liveKey })
  await sql`update accounts set requests_per_minute = 3 where id = ${fresh.id}`
  const { accepted: rest } = await race(10, () => call('GET', '/v1/account', { key: fresh.liveKey }))
  assert.equal(rest, 2)
})

test('if 200 calls race on two processes, exactly the concurrency limit is accepted, and a finished request frees its slot [limits.concurrency.1]', async () => {
  const account = await openAccount(sql, microUsd(1_000_000))
  await sql`update accounts set requests_per_minute = 10000 where id = ${account.id}`
  const key = account.liveKey
  const send = (index: number) => call('POST', `${urlOf(index)}/v1/images/read`, { key, body })
  const { accepted, codes, refused: rejected } = await race(200, send)
  assert.equal(accepted, 10)
  assert.deepEqual([...codes], ['concurrency_limited'])
  assert.ok(rejected.every(({ status, headers }) => status === 429 && headers.get('retry-after') === '1'))
  const { data } = (await call('GET', '/v1/requests', { key })).body
  assert.equal((await call('POST', `/v1/requests/${data[3].id}/abort`, { key })).status, 200)
  assert.equal((await send(1)).status, 202)
  assert.equal((await send(0)).body.error.code, 'concurrency_limited')
})

test('a test key over its daily limit gets test_mode_daily_limit until midnight UTC, and idempotent replays do not count [limits.daily.1]', async () => {
  const account = await openAccount(sql)
  const key = account.testKey
  await sql`
    update accounts set test_accepted = 99, test_day = (now() at time zone 'utc')::date where id = ${account.id}`
  const idempotent = { key, body, headers: { 'idempotency-key': 'a' } }
  assert.equal((await call('POST', '/v1/images/read', idempotent)).status, 202)
  const rejected = await call('POST', '/v1/images/read', { key, body })
  assert.deepEqual([rejected.status, rejected.body.error.code], [429, 'test_mode_daily_limit'])
  const wait = Number(rejected.headers.get('retry-after'))
  assert.equal(Math.round((Date.now() / 1000 + wait) / 86_400), Math.ceil(Date.now() / 86_400_000))
  assert.equal((await call('POST', '/v1/images/read', idempotent)).status, 200)
  assert.equal((await call('POST', '/v1/images/read', { key: account.liveKey, body })).status, 202)
  await sql`update accounts set test_day = test_day - 1 where id = ${account.id}`
  assert.equal((await call('POST', '/v1/images/read', { key, body })).status, 202)
})
