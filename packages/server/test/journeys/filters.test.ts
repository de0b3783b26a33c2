import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EndpointName } from '@mediamill/contract/endpoints/index'
import { aliveWorker, failed, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { claim } from '../../src/requests/claim.ts'
import { settle } from '../../src/requests/settle.ts'

const service = await sharedService({ workers: false })
const { call, sql, account } = service
const CUSTOMERS = ['ada', 'bob', undefined]
const all: Json[] = []

async function fill(): Promise<void> {
  for (let n = 0; n < 30; n += 1) {
    const path = ['images/process', 'images/read', 'documents/read'][n % 3] ?? ''
    const customer = CUSTOMERS[Math.floor(n / 2) % 3]
    const body = {
      source: 'https://1.1.1.1/a.jpg',
      ...(path === 'images/process' && { operations: [{ type: 'grayscale' }] }),
      ...(customer !== undefined && { customer }),
      ...(n % 4 > 0 && { metadata: { order: `${n % 5}`, 'a[é] b': 'ü', __proto__x: 'y' } }),
    }
    const key = n % 10 === 9 ? account.testKey : account.liveKey
    const { status, body: made } = await call('POST', `/v1/${path}`, { key, body })
    assert.equal(status, 202, JSON.stringify(made))
    if (n < 20) {
      const taken = await claim(sql, await aliveWorker(sql), path.startsWith('images') ? 'image' : 'document', [])
      assert.ok(taken)
      if (n % 7 === 3) await call('POST', `/v1/requests/${made.id}/abort`)
      else await settle(sql, taken.lease, n % 7 === 5 ? failed() : succeeded(500, path as EndpointName), RETENTION_MS)
    } else if (n < 23) {
      await claim(sql, await aliveWorker(sql), path.startsWith('images') ? 'image' : 'document', [])
    }
  }
  await sql`update requests set created_at = '2026-11-20T00:00:00.000700Z'::timestamptz + id * interval '1 hour'`
  const { body } = await call('GET', '/v1/requests?limit=100')
  all.push(...body.data)
  assert.equal(all.length, 30)
}

async function walk(query: string, limit = 4): Promise<number[]> {
  const ids: number[] = []
  for (let before = ''; ; before = `&before=${ids.at(-1)}`) {
    const { status, body } = await call('GET', `/v1/requests?limit=${limit}&${query}${before}`)
    assert.equal(status, 200, query)
    ids.push(...body.data.map(({ id }: Json) => id as number))
    if (!body.has_more) return ids
    assert.equal(body.data.length, limit, query)
  }
}

const idsOf = (keep: (request: Json) => boolean) => all.filter(keep).map(({ id }) => id as number)

await fill()

test('created_from and created_to are inclusive, and a date means the whole day in UTC [requests.list.3]', async () => {
  const [, , third] = all.toReversed()
  const at: string = third.created_at
  assert.equal(at, '2026-11-20T03:00:00.000Z')
  const later = (one: Json) => one.created_at >= at
  for (const [query, keep] of [
    [`created_from=${at}`, later],
    [`created_to=${at}`, (one: Json) => one.created_at <= at],
    [`created_from=${at}&created_to=${at}`, (one: Json) => one.created_at === at],
    ['created_from=2026-11-20T03:00:00.001Z', (one: Json) => one.created_at > at],
    ['created_from=2026-11-20T05:00%2B02:00', later],
    ['created_to=2026-11-20', (one: Json) => one.created_at < '2026-11-21'],
    ['created_from=2026-11-21', (one: Json) => one.created_at >= '2026-11-21'],
    ['created_from=2026-11-21&created_to=2026-11-20', () => false],
    ['created_to=2026-11-20&status=failed', (one: Json) => one.created_at < '2026-11-21' && one.status === 'failed'],
    ['created_from=2030-01-01', () => false],
    ['created_to=1999-12-31', () => false],
    ['created_to=9999-12-31', () => true],
    ['created_to=9999-12-31T23:59:59-14:00', () => true],
    ['created_from=0001-01-01T00:00:00%2B14:00', () => true],
    ['created_from=9999-12-31&created_to=0001-01-01', () => false],
    ['created_to=0001-01-01T00:00:00%2B14:00', () => false],
    ['created_from=9999-12-31T23:59:59-14:00', () => false],
  ] as const) {
    assert.deepEqual(await walk(query), idsOf(keep), query)
  }
})

test('a list filtered by creation time contains every matching request, even if a request with a higher id was created earlier [requests.list.1]', async () => {
  const { liveKey, id } = await openAccount(sql)
  await sql`update accounts set requests_per_minute = 1000, concurrent_requests = 100 where id = ${id}`
  for (let n = 0; n < 12; n += 1) {
    await call('POST', '/v1/images/read', { key: liveKey, body: { source: 'https://1.1.1.1/a.jpg' } })
  }
  await sql`
    update requests set completed_at = now(), status = 'aborted',
      created_at = '2026-01-01T00:00:00Z'::timestamptz + (id % 4) * interval '9 seconds' + (id / 8) * interval '30 seconds'
    where account_id = ${id}`
  const { body } = await call('GET', '/v1/requests?limit=100', { key: liveKey })
  for (const one of body.data) {
    const query = `created_from=${one.created_at}&created_to=${one.created_at}`
    const { body: found } = await call('GET', `/v1/requests?${query}`, { key: liveKey })
    const expected = body.data.filter((other: Json) => other.created_at === one.created_at)
    assert.deepEqual(found.data, expected, query)
  }
})

test('an invalid filter value returns 422 with the name of the filter, and unknown filters are ignored [requests.list.2, api.query.1]', async () => {
  for (const [query, param] of [
    ['status=done', 'status'],
    ['endpoint=images', 'endpoint'],
    [`customer=${'x'.repeat(65)}`, 'customer'],
    ['customer=%00', 'customer'],
    ['livemode=yes', 'livemode'],
    ['livemode=', 'livemode'],
    ['created_from=yesterday', 'created_from'],
    ['created_from=2026-02-30', 'created_from'],
    ['created_from=2026-11-21T09:30:00', 'created_from'],
    ['created_to=infinity', 'created_to'],
    ['created_to=2026-11-21T25:00:00Z', 'created_to'],
    ['metadata=x', 'metadata'],
    [`metadata[${'k'.repeat(41)}]=x`, `metadata[${'k'.repeat(41)}]`],
    [`metadata[k]=${'x'.repeat(501)}`, 'metadata[k]'],
    [Array.from({ length: 21 }, (_, n) => `metadata[${n}]=x`).join('&'), 'metadata'],
  ] as const) {
    const { status, body } = await call('GET', `/v1/requests?${query}`)
    assert.deepEqual([status, body.error.code, body.error.param], [422, 'validation_failed', param], query)
    assert.ok(body.error.message.startsWith(`${param} `), body.error.message)
  }
  assert.deepEqual(
    await walk('state=failed&metadata.order=3', 100),
    idsOf(() => true),
  )
})

test('an unknown query parameter is ignored, and the response names the parameter [api.query.1]', async () => {
  const { status, headers } = await call('GET', '/v1/requests?offset=20&limit=1')
  assert.deepEqual(
    [status, headers.get('mediamill-warning')],
    [200, 'unknown query parameter "offset" was ignored; use "before"'],
  )
  assert.equal((await call('GET', '/v1/requests?limit=1&metadata[a]=b')).headers.get('mediamill-warning'), null)
})
