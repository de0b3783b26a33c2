import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedReceiver } from '@mediamill/lab/support/receiver'
import { aliveWorker, failed, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { throughPooler } from '../../src/db/connection/pooler.ts'
import { claim } from '../../src/requests/claim.ts'
import { settle } from '../../src/requests/settle.ts'

const receiver = await sharedReceiver((one, response) => {
  response.writeHead(one.path === '/refuses' ? 500 : 204).end()
})
const service = await sharedService({ workers: false, allowed: [receiver.host] })
const { call, sql, holds } = service

const body = { source: 'https://1.1.1.1/a.jpg', operations: [{ type: 'grayscale' }] }
const wait = (seconds: number, key: string) => ({ key, headers: { prefer: `wait=${seconds}` } })
const start = async (key: string, more: object = {}) =>
  (await call('POST', '/v1/images/process', { body: { ...body, ...more }, key })).body.id as number

/** Opens a new account, so that all its events come from one test. */
async function open(concurrentRequests = 100) {
  const account = await openAccount(sql)
  await sql`
    update accounts set requests_per_minute = 100000, concurrent_requests = ${concurrentRequests} where id = ${account.id}`
  const list = (query = '') => call('GET', `/v1/events${query}`, { key: account.liveKey })
  return { ...account, key: account.liveKey, list }
}

async function finishNext(outcome = succeeded()): Promise<number> {
  const taken = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(taken)
  assert.ok(await settle(sql, taken.lease, outcome, RETENTION_MS))
  return taken.request.id
}

const idsOf = ({ body: page }: { body: Json }) => page.data.map((event: Json) => event.data.id as number)

test('every finished live or test request has an event, with or without a webhook URL, and the list starts with the oldest event [events.list.1, events.list.6]', async () => {
  const account = await open()
  assert.deepEqual((await account.list()).body, { object: 'list', data: [], has_more: false })
  const ids = [await start(account.key), await start(account.testKey), await start(account.key)]
  ids.push(await start(account.key, { webhook_url: receiver.url('/takes') }))
  await finishNext()
  await finishNext(failed())
  assert.equal((await call('POST', `/v1/requests/${ids[2]}/abort`, { key: account.key })).status, 200)
  await finishNext()
  const { status, body: page } = await account.list()
  assert.equal(status, 200)
  assert.deepEqual(
    page.data.map((event: Json) => [event.type, event.object, event.data.id, event.delivery]),
    [
      ['request.succeeded', 'event', ids[0], { url: null, status: 'unaddressed', attempts: 0 }],
      ['request.failed', 'event', ids[1], { url: null, status: 'unaddressed', attempts: 0 }],
      ['request.aborted', 'event', ids[2], { url: null, status: 'unaddressed', attempts: 0 }],
      ['request.succeeded', 'event', ids[3], { url: receiver.url('/takes'), status: 'pending', attempts: 0 }],
    ],
  )
  for (const event of page.data) {
    assert.deepEqual(event.data, (await call('GET', `/v1/requests/${event.data.id}`, { key: account.key })).body)
    assert.equal(event.created, Math.floor(Date.parse(event.data.completed_at) / 1000))
  }
  assert.deepEqual((await call('GET', '/v1/events', { key: account.testKey })).body, page)
})

test('a cursor `after` from another account returns 422 like an unknown cursor, and values out of range are rejected [events.list.3]', async () => {
  const [account, other] = [await open(), await open()]
  await start(other.key)
  await finishNext()
  const foreign = (await other.list()).body.data[0].id
  const responses = []
  for (const after of [foreign, 'evt_5d41402abc4b2a76b9719d911017c592'])
    responses.push(await account.list(`?after=${after}`))
  const [of, never] = responses.map(({ status, body: { error } }) => ({ status, ...error, request_id: '' }))
  assert.deepEqual(of, never)
  assert.deepEqual([of?.status, of?.code, of?.param], [422, 'validation_failed', 'after'])
  for (const query of ['after=1', 'after=', 'after=evt_%00', 'limit=0', 'limit=101', 'request_id=x']) {
    const { status, body: rejected } = await account.list(`?${query}`)
    assert.deepEqual([status, rejected.error.param], [422, query.split('=')[0]], query)
  }
  assert.equal((await account.list('?limit=1&unknown=1')).status, 200)
})

test('no list contains another account’s events, with or without a request filter [events.list.4]', async () => {
  const [account, other] = [await open(), await open()]
  const id = await start(other.key)
  await finishNext()
  assert.deepEqual(idsOf(await other.list()), [id])
  for (const query of ['', `?request_id=${id}`, '?request_id=999999999'])
    assert.deepEqual(idsOf(await account.list(query)), [])
  const waited = await call('GET', `/v1/events?request_id=${id}`, wait(55, account.key))
  assert.deepEqual([idsOf(waited), waited.headers.get('preference-applied')], [[], 'wait=55'])
})

test('a long poll for events returns at the next event from any process, and counts as one call [events.list.5]', async () => {
  const account = await open()
  const other = await service.another()
  const deaf = await service.another({ databaseUrl: throughPooler(service.databaseUrl) })
  const ids = [await start(account.key), await start(account.key)]
  const [first, second] = ids
  const waits = [
    call('GET', '/v1/events', wait(55, account.key)),
    ...[other, deaf].map((url) => call('GET', `${url}/v1/events`, wait(55, account.key))),
    call('GET', `/v1/events?request_id=${second}`, wait(55, account.key)),
  ]
  await Promise.all([holds(2), holds(1, other), holds(1, deaf)])
  await finishNext()
  for (const response of await Promise.all(waits.slice(0, 3))) {
    assert.deepEqual([response.status, idsOf(response)], [200, [first]])
    assert.equal(response.headers.get('preference-applied'), 'wait=55')
  }
  await finishNext()
  assert.deepEqual(idsOf((await waits[3]) as { body: Json }), [second])
  const [one] = (await account.list()).body.data
  const there = await call('GET', `/v1/events?after=${one.id}`, wait(55, account.key))
  assert.deepEqual([idsOf(there), there.headers.get('preference-applied')], [[second], 'wait=55'])
  const late = await call('GET', `/v1/events?after=${there.body.data[0].id}`, wait(1, account.key))
  assert.deepEqual([late.status, late.body.data, late.headers.get('preference-applied')], [200, [], 'wait=1'])
  const calls = [there, late].map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
  assert.equal((calls[0] ?? 0) - (calls[1] ?? 0), 1)
})

test('two concurrent readers on two processes each receive every event once, in the same order [events.list.1]', async () => {
  const account = await open()
  const deaf = await service.another({ databaseUrl: throughPooler(service.databaseUrl) })
  const all = 24
  const read = async (url: string, limit: number): Promise<string[]> => {
    const seen: string[] = []
    while (seen.length < all) {
      const after = seen.length > 0 ? `&after=${seen.at(-1)}` : ''
      const page = await call('GET', `${url}/v1/events?limit=${limit}${after}`, wait(20, account.key))
      assert.equal(page.status, 200)
      seen.push(...page.body.data.map(({ id }: Json) => id as string))
    }
    return seen
  }
  const readers = [read(service.url, 5), read(deaf, 3)]
  const worker = await aliveWorker(sql)
  const leases = []
  for (let count = 0; count < all; count += 1) {
    await start(account.key)
    leases.push((await claim(sql, worker, 'image', []))?.lease ?? assert.fail())
  }
  await Promise.all(leases.map((one) => settle(sql, one, succeeded(), RETENTION_MS)))
  const [first = [], second = []] = await Promise.all(readers)
  assert.deepEqual(first, second)
  assert.equal(new Set(first).size, all)
})
