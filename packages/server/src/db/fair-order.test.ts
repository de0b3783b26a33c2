import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase, sharedDatabase } from '@mediamill/lab/support/database'
import { countPagesRead } from '@mediamill/lab/support/pages-read'
import { acceptMany, claimNextImage, liveRequest, passFloors, runOnIdleFleet } from '@mediamill/lab/support/queue'
import { aliveWorker, openAccount } from '@mediamill/lab/support/request-rows'
import { insertRequests } from './accept-request.ts'
import { isWorkWaiting } from './claim-requests.ts'
import type { Sql } from './connection/connect.ts'
import { measureCosts, raiseLateTags } from './fair-order.ts'
import { requeueAll } from './requeue-requests.ts'

const { sql } = await sharedDatabase()

async function sharesOf(own: Sql, workerId: string, count: number): Promise<Map<number, number>> {
  const shares = new Map<number, number>()
  for (let nth = 0; nth < count; nth += 1) {
    const { accountId } = (await claimNextImage(own, workerId)) ?? assert.fail('nothing is waiting')
    shares.set(accountId, (shares.get(accountId) ?? 0) + 1 / count)
  }
  return shares
}

test('an account that ran 500 jobs on an idle fleet later gets the same share as a new account', async () => {
  const [old, fresh] = [await openAccount(sql), await openAccount(sql)]
  const worker = await aliveWorker(sql)
  await runOnIdleFleet(sql, worker, [liveRequest(old.id)], 500)
  await acceptMany(sql, liveRequest(old.id), 150)
  await acceptMany(sql, liveRequest(fresh.id), 150)
  for (const [id, share] of await sharesOf(sql, worker, 150)) {
    assert.ok(share >= 0.4 && share <= 0.6, `account ${id} got ${share} of what was claimed`)
  }
})

test('requests of a new account wait behind other requests of this account, not behind another account’s queue', async () => {
  await using own = await createDatabase()
  const [busy, other] = [await openAccount(own.sql), await openAccount(own.sql)]
  const worker = await aliveWorker(own.sql)
  await acceptMany(own.sql, liveRequest(busy.id), 400)
  await sharesOf(own.sql, worker, 100)
  await acceptMany(own.sql, liveRequest(other.id), 10)
  assert.ok(Math.abs(((await sharesOf(own.sql, worker, 20)).get(other.id) ?? 0) - 0.5) <= 0.05)
})

test('accounts get shares of the workers in proportion to their weights', async () => {
  await using own = await createDatabase()
  const [heavy, light] = [await openAccount(own.sql), await openAccount(own.sql)]
  await own.sql`update accounts set weight = 3 where id = ${heavy.id}`
  await acceptMany(own.sql, liveRequest(light.id), 100)
  await acceptMany(own.sql, liveRequest(heavy.id), 100)
  const shares = await sharesOf(own.sql, await aliveWorker(own.sql), 100)
  assert.ok(Math.abs((shares.get(heavy.id) ?? 0) - 0.75) <= 0.05, `${shares.get(heavy.id)} of weight 3`)
})

test('the cost of a request in the fair order is the time for which requests to its endpoint usually use a slot', async () => {
  await using own = await createDatabase()
  const [slow, quick] = [await openAccount(own.sql), await openAccount(own.sql)]
  const slowCall = liveRequest(slow.id, { endpoint: 'images/process' })
  const worker = await aliveWorker(own.sql)
  await runOnIdleFleet(own.sql, worker, [slowCall, liveRequest(quick.id)], 20)
  await own.sql`
    update requests set took = json_build_object(
      'downloadMs', 10, 'processMs', case endpoint when 'images/read' then 80 else 880 end, 'storeMs', 10)`
  await measureCosts(own.sql)
  const costs = await own.sql`select endpoint, ms from endpoint_costs order by endpoint`
  assert.deepEqual(
    [...costs],
    [
      { endpoint: 'images/process', ms: 900 },
      { endpoint: 'images/read', ms: 100 },
    ],
  )
  await acceptMany(own.sql, slowCall, 100)
  await acceptMany(own.sql, liveRequest(quick.id), 100)
  const shares = await sharesOf(own.sql, worker, 100)
  assert.ok(Math.abs((shares.get(quick.id) ?? 0) - 0.9) <= 0.03, `${shares.get(quick.id)} of the quick endpoint`)
})

test('parallel calls of one account get queue positions in the order in which they arrived', async () => {
  await using own = await createDatabase()
  const account = await openAccount(own.sql)
  const statements = Array.from({ length: 4 }, () =>
    insertRequests(own.sql, [liveRequest(account.id), liveRequest(account.id)]),
  )
  await Promise.all(statements)
  const tags = await own.sql<{ tag: number }[]>`select tag from jobs order by record_id`
  assert.deepEqual(
    tags.map(({ tag }) => tag),
    Array.from({ length: 8 }, (_, nth) => (nth + 1) * 1_000_000),
  )
})

test('a requeued request is claimed first, even if workers have already claimed later requests', async () => {
  await using own = await createDatabase()
  const account = await openAccount(own.sql)
  const [lost, other] = [await aliveWorker(own.sql), await aliveWorker(own.sql)]
  await acceptMany(own.sql, liveRequest(account.id), 3)
  const first = await claimNextImage(own.sql, lost)
  await claimNextImage(own.sql, other)
  await passFloors(own.sql)
  await requeueAll(own.sql, lost)
  assert.equal((await claimNextImage(own.sql, other))?.id, first?.id)
})

test('a request whose transaction commits only after newer requests were claimed moves to the front of the queue, and is claimed', async () => {
  await using own = await createDatabase()
  const account = await openAccount(own.sql)
  const worker = await aliveWorker(own.sql)
  const late = await own.sql.begin(async (tx) => {
    const [row] = await insertRequests(tx, [liveRequest(account.id)])
    const other = await openAccount(own.sql)
    await runOnIdleFleet(own.sql, worker, [liveRequest(other.id)], 5)
    await passFloors(own.sql)
    return row
  })
  assert.equal(await claimNextImage(own.sql, worker), undefined)
  assert.equal(await raiseLateTags(own.sql), 1)
  assert.equal((await claimNextImage(own.sql, worker))?.id, late?.id)
})

test('claiming a request reads few pages, even if an old snapshot keeps the rows of all finished jobs', async () => {
  await using own = await createDatabase()
  const accounts = await Promise.all(Array.from({ length: 20 }, () => openAccount(own.sql)))
  const worker = await aliveWorker(own.sql)
  const requests = accounts.map(({ id }) => liveRequest(id))
  await own.sql`vacuum analyze jobs`
  const pages = async () => {
    await insertRequests(own.sql, requests.slice(0, 2))
    const looking = await countPagesRead(own.sql, (tx) => isWorkWaiting(tx, ['image']))
    return { looking, claiming: await countPagesRead(own.sql, (tx) => claimNextImage(tx, worker)) }
  }
  const before = await pages()
  await own.sql.begin(async (snapshot) => {
    await snapshot`set transaction isolation level repeatable read`
    await snapshot`select count(*) from jobs`
    await runOnIdleFleet(own.sql, worker, requests, 500)
    await passFloors(own.sql)
    const under = await pages()
    assert.ok(
      under.claiming <= before.claiming + 40,
      `claiming read ${under.claiming} pages, and ${before.claiming} before`,
    )
    assert.ok(under.looking <= before.looking + 10, `looking read ${under.looking} pages, and ${before.looking} before`)
  })
})
