import assert from 'node:assert/strict'
import { test } from 'node:test'
import { naming } from '@mediamill/lab/support/message'
import { aliveWorker, failed, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { claim } from '../../src/requests/claim.ts'
import { settle } from '../../src/requests/settle.ts'

const service = await sharedService({ workers: false })
const { call, sql } = service

const DAY_MS = 86_400_000
/** The time from which all tests count days, so that midnight does not change their results. */
const NOW = new Date()
const dayOf = (back: number, now = NOW) => new Date(now.getTime() - back * DAY_MS).toISOString().slice(0, 10)

type Key = { liveKey: string }
const usage = async ({ liveKey: key }: Key, query = '') => (await call('GET', `/v1/usage${query}`, { key })).body

async function live() {
  const account = await openAccount(sql)
  await sql`update accounts set requests_per_minute = 1000, concurrent_requests = 100 where id = ${account.id}`
  const start = async (path: string, customer: string | null, more: object = {}, key = account.liveKey) => {
    const body = { source: 'https://1.1.1.1/a', ...(customer === null ? {} : { customer }), ...more }
    const response = await call('POST', `/v1/${path}`, { key, body })
    assert.equal(response.status, 202)
    await sql`update requests set created_at = ${NOW} where id = ${response.body.id}`
    return response.body.id as number
  }
  const end = async (outcome: Parameters<typeof settle>[2]) => {
    const taken = await claim(sql, await aliveWorker(sql), 'image', [])
    assert.ok(taken && (await settle(sql, taken.lease, outcome, RETENTION_MS)))
  }
  const operations = { operations: [{ type: 'grayscale' }] }
  const early = await start('images/process', 'ada', operations)
  await sql`update requests set created_at = created_at - interval '1 day' where id = ${early}`
  await end(succeeded())
  await start('images/process', 'ada', operations)
  await end(succeeded())
  await start('images/read', 'bob')
  await end(succeeded(500))
  await start('images/process', null, operations)
  await end(failed())
  const aborted = await start('images/read', 'bob')
  await call('POST', `/v1/requests/${aborted}/abort`, { key: account.liveKey })
  await start('documents/read', 'ada')
  await start('images/read', null, {}, account.testKey)
  return account
}

const account = await live()

const row = (requests: number, succeeded: number, failed: number, spent: number, source: number, result: number) => ({
  requests,
  succeeded,
  failed,
  spent: `0.00${String(spent).padStart(4, '0')}`,
  spent_micro_usd: spent,
  source_bytes: source,
  result_bytes: result,
})

test('by default, usage covers 30 days and has a row per day with requests, in ascending order [usage.range.1, usage.rows.2]', async () => {
  const before = new Date()
  const { data, ...rest } = await usage(account)
  const [from, to] = [dayOf(29, before), dayOf(0, before)]
  const [laterFrom, laterTo] = [dayOf(29, new Date()), dayOf(0, new Date())]
  const isLater = rest.to === laterTo
  assert.deepEqual(rest, {
    object: 'usage',
    from: isLater ? laterFrom : from,
    to: isLater ? laterTo : to,
    group_by: 'day',
  })
  assert.deepEqual(data, [
    { day: dayOf(1), ...row(1, 1, 0, 2_000, 100, 10) },
    { day: dayOf(0), ...row(5, 2, 1, 2_500, 205, 20) },
  ])
})

test('usage can be grouped by endpoint, customer, or status, and each row has that field [usage.rows.1]', async () => {
  assert.deepEqual((await usage(account, '?group_by=endpoint')).data, [
    { endpoint: 'documents/read', ...row(1, 0, 0, 0, 0, 0) },
    { endpoint: 'images/process', ...row(3, 2, 1, 4_000, 205, 20) },
    { endpoint: 'images/read', ...row(2, 1, 0, 500, 100, 10) },
  ])
  assert.deepEqual((await usage(account, '?group_by=customer')).data, [
    { customer: 'ada', ...row(3, 2, 0, 4_000, 200, 20) },
    { customer: 'bob', ...row(2, 1, 0, 500, 100, 10) },
    { customer: null, ...row(1, 0, 1, 0, 5, 0) },
  ])
  assert.deepEqual((await usage(account, '?group_by=status')).data, [
    { status: 'aborted', ...row(1, 0, 0, 0, 0, 0) },
    { status: 'failed', ...row(1, 0, 1, 0, 5, 0) },
    { status: 'queued', ...row(1, 0, 0, 0, 0, 0) },
    { status: 'succeeded', ...row(3, 3, 0, 4_500, 300, 30) },
  ])
})

test('the customer parameter filters every grouping, and both ends of the range are inclusive [usage.range.1]', async () => {
  const only = (query: string) => usage(account, `?customer=ada&${query}`)
  assert.deepEqual((await only('group_by=day')).data.length, 2)
  assert.deepEqual((await only(`from=${dayOf(1)}&to=${dayOf(1)}`)).data, [
    { day: dayOf(1), ...row(1, 1, 0, 2_000, 100, 10) },
  ])
  assert.deepEqual((await only(`from=${dayOf(0)}&group_by=status`)).data, [
    { status: 'queued', ...row(1, 0, 0, 0, 0, 0) },
    { status: 'succeeded', ...row(1, 1, 0, 2_000, 100, 10) },
  ])
  assert.deepEqual(
    (await only('group_by=customer')).data.map((item: { customer: string }) => item.customer),
    ['ada'],
  )
  assert.deepEqual((await usage(account, '?customer=*')).data, [])
  assert.deepEqual((await usage(account, '?customer=')).data, [])
})

test('usage counts only requests in the mode of the key and in its account [usage.range.2]', async () => {
  const { data } = await usage({ liveKey: account.testKey })
  assert.deepEqual(data, [{ day: dayOf(0), ...row(1, 0, 0, 0, 0, 0) }])
  assert.deepEqual((await usage(await openAccount(sql))).data, [])
})

test('a usage range over 92 days, or with from after to, returns 422 with the param from; other errors name their own field [usage.range.1]', async () => {
  const rejected: [string, string][] = [
    [`from=${dayOf(92)}`, 'from'],
    [`from=${dayOf(92)}&to=${dayOf(0)}`, 'from'],
    [`from=${dayOf(0)}&to=${dayOf(1)}`, 'from'],
    [`to=${dayOf(30)}`, 'from'],
    ['from=2026-02-30', 'from'],
    ['from=2026-1-1', 'from'],
    ['from=infinity', 'from'],
    ['from=0000-01-01', 'from'],
    ['from=', 'from'],
    ['to=now', 'to'],
    ['to=2026-11-21T00:00:00Z', 'to'],
    ['group_by=month', 'group_by'],
    ['group_by=__proto__', 'group_by'],
    [`customer=${'x'.repeat(65)}`, 'customer'],
    ['customer=%00', 'customer'],
  ]
  for (const [query, param] of rejected) {
    const { status, body } = await call('GET', `/v1/usage?${query}`)
    assert.deepEqual([status, body.error.code, body.error.param], [422, 'validation_failed', param], query)
  }
  const { body } = await call('GET', '/v1/usage?from=2026-1-1')
  assert.match(body.error.message, naming('from', 'date such as 2026-11-21', 'got "2026-1-1"'))
  for (const query of [
    `from=${dayOf(91)}&to=${dayOf(0)}`,
    `from=${dayOf(0)}`,
    'from=9999-12-30&to=9999-12-31',
    `customer=${'😀'.repeat(64)}`,
  ]) {
    assert.equal((await call('GET', `/v1/usage?${query}`)).status, 200, query)
  }
})
