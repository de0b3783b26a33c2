import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedReceiver } from '@mediamill/lab/support/receiver'
import { aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
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
