import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase, sharedDatabase } from '@mediamill/lab/support/database'
import { acceptMany, claimNextImage, finishAll, liveRequest } from '@mediamill/lab/support/queue'
import { aliveWorker, openAccount } from '@mediamill/lab/support/request-rows'
import type { Sql } from '../src/db/connection/connect.ts'
import { migrate } from '../src/db/migrate.ts'
import { requeueAll } from '../src/db/requeue-requests.ts'

/** A database that old processes without the table `jobs` and new processes share, as during an upgrade. */
const { sql } = await sharedDatabase()

const before = {
  async accept(own: Sql, accountId: number): Promise<number> {
    const [row] = await own<{ id: number }[]>`
      insert into requests (account_id, livemode, endpoint, lane, source, input, turn)
      values (${accountId}, true, 'images/read', 'image', 'https://example.com/a.jpg', '{}', now()) returning id`
    return row?.id ?? assert.fail()
  },
  async claim(own: Sql, workerId: string): Promise<number | undefined> {
    const [row] = await own<{ id: number }[]>`
      with due as (
        select id from requests where lane = 'image' and worker_id is null and completed_at is null
        order by turn, id limit 1 for update skip locked
      )
      update requests r set status = 'processing', worker_id = ${workerId}, attempt = attempt + 1
      from due where r.id = due.id returning r.id`
    return row?.id
  },
  async requeue(own: Sql, workerId: string): Promise<void> {
    await own`update requests set worker_id = null, attempt = attempt - 1 where worker_id = ${workerId}`
  },
  async end(own: Sql, id: number): Promise<void> {
    await own`update requests set status = 'aborted', worker_id = null, completed_at = now() where id = ${id}`
  },
}

async function listDifferences(own: Sql): Promise<readonly object[]> {
  return await own`
    select r.id, j.record_id from requests r full join jobs j on j.kind = 'request' and j.record_id = r.id
    where (r.id is null or r.completed_at is not null or j.record_id is null
        or r.worker_id is distinct from j.worker_id or r.attempt <> j.attempt or r.lane <> j.lane)
      and (r.completed_at is null or j.record_id is not null)`
}

test('workers of the current and the previous release never claim the same request at the same time', async () => {
  const account = await openAccount(sql)
  await acceptMany(sql, liveRequest(account.id), 60)
  for (let count = 0; count < 60; count += 1) await before.accept(sql, account.id)
  const workers = await Promise.all(Array.from({ length: 4 }, () => aliveWorker(sql)))
  const claims = workers.map((worker, nth) =>
    nth % 2 === 0 ? async () => (await claimNextImage(sql, worker))?.id : () => before.claim(sql, worker),
  )
  // Each worker claims one request before any worker continues. Otherwise a fast worker could claim all requests.
  const claimed: (number | undefined)[] = await Promise.all(claims.map((claim) => claim()))
  await Promise.all(
    claims.map(async (claim) => {
      for (let id = await claim(); id !== undefined; id = await claim()) claimed.push(id)
    }),
  )
  assert.ok(!claimed.includes(undefined))
  assert.equal(claimed.length, 120)
  assert.equal(new Set(claimed).size, 120)
  assert.deepEqual(await listDifferences(sql), [])
})

test('every open request has a matching row in the jobs table, even if the previous release accepts, claims, requeues, or ends the request', async () => {
  await using own = await createDatabase()
  const account = await openAccount(own.sql)
  const [worker, older] = await Promise.all([aliveWorker(own.sql), aliveWorker(own.sql)])
  const first = await before.accept(own.sql, account.id)
  assert.equal((await claimNextImage(own.sql, worker))?.id, first)
  await requeueAll(own.sql, worker)
  assert.equal(await before.claim(own.sql, older), first)
  assert.equal(await claimNextImage(own.sql, worker), undefined)
  assert.deepEqual(await listDifferences(own.sql), [])
  await before.requeue(own.sql, older)
  assert.deepEqual(await listDifferences(own.sql), [])
  const again = (await claimNextImage(own.sql, worker)) ?? assert.fail()
  assert.equal(again.id, first)
  await own.sql`update accounts set open_live = 1 where id = ${account.id}`
  await finishAll(own.sql, worker, [again])
  assert.deepEqual(await listDifferences(own.sql), [])
  await acceptMany(own.sql, liveRequest(account.id), 1)
  await before.end(own.sql, (await before.claim(own.sql, older)) ?? assert.fail())
  assert.deepEqual([...(await own.sql`select from jobs`)], [])
})

test('the migration that fills the jobs table adds a row for every open request, and two accounts then still get similar shares of the workers', async () => {
  await using own = await createDatabase()
  const [busy, other] = [await openAccount(own.sql), await openAccount(own.sql)]
  const worker = await aliveWorker(own.sql)
  await own.sql`
    insert into requests (account_id, livemode, endpoint, lane, source, input, turn)
    select case when n <= 1100 then ${busy.id}::bigint else ${other.id}::bigint end, true, 'images/read', 'image', 'https://example.com/a.jpg', '{}', now()
    from generate_series(1, 1200) n`
  const held = await before.claim(own.sql, worker)
  await own.sql`truncate jobs`
  await own.sql`delete from migrations where name = '0066_fill_jobs.sql'`
  assert.deepEqual(await migrate(own.url), ['0066_fill_jobs.sql'])
  assert.deepEqual(await listDifferences(own.sql), [])
  const claimed = await Array.fromAsync({ length: 100 }, () => claimNextImage(own.sql, worker))
  assert.ok(claimed.every((row) => row !== undefined && row.id !== held))
  const share = claimed.filter((row) => row?.accountId === other.id).length / 100
  assert.ok(share >= 0.4 && share <= 0.6, `${share} of the account with fewer requests`)
})
