import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { takeExpiredResults } from '../../db/sweep.ts'
import { accept } from '../accept.ts'
import { claim } from '../claim.ts'
import { find, findLinked } from '../find.ts'
import { settle } from '../settle.ts'
import { expire } from './expire.ts'

const { sql } = await sharedDatabase()
beforeEach(async () => void (await sql`update requests set sweep_at = null`))

const account = await openAccount(sql)
await sql`update accounts set concurrent_requests = 1000 where id = ${account.id}`
const worker = await aliveWorker(sql)

const keyOf = (id: number) => `${String(id).padStart(40, '0')}.jpg`

async function finished(retentionMs: number): Promise<RequestId> {
  await accept(sql, acceptable(account.id))
  const found = await claim(sql, worker, 'image', [])
  assert.ok(found)
  const { id } = found.request
  const outcome = succeeded(0)
  assert.ok(outcome.status === 'succeeded')
  const file = { key: keyOf(id), format: 'jpg', size: 10, sha256: 'ab' } as const
  await settle(sql, found.lease, { ...outcome, files: [file] }, retentionMs)
  return id
}

async function manyFinished(count: number): Promise<void> {
  const id = await finished(0)
  await sql`
    insert into requests (account_id, livemode, endpoint, lane, status, source, input, turn, data, files, started_at,
      completed_at, deleted_at, sweep_at)
    select account_id, livemode, endpoint, lane, status, source, input, turn, data,
      json_build_array(json_build_object('key', 'file ' || n)), started_at, completed_at, deleted_at, sweep_at
    from requests, generate_series(2, ${count}) n where id = ${id}`
}

test('a worker deletes the files of a result when the result expires and not before, and keeps the request record [requests.object.6]', async () => {
  const [due, kept] = [await finished(0), await finished(RETENTION_MS)]
  const deleted: string[] = []
  assert.equal(await expire(sql, async (key) => void deleted.push(key)), 1)
  assert.deepEqual(deleted, [keyOf(due)])
  assert.deepEqual(
    [(await findLinked(sql, due))?.filesDeleted, (await findLinked(sql, kept))?.filesDeleted],
    [true, false],
  )
  const record = await find(sql, account.id, due)
  assert.ok(record.status === 'succeeded' && record.files.length === 1 && record.deletedAt !== null)
})

test('concurrent workers delete every expired file once, without waiting for each other', async () => {
  await manyFinished(1000)
  const deleted: string[] = []
  const { promise: all, resolve } = Promise.withResolvers<void>()
  let sweepers = 0
  const counts = await Promise.all(
    Array.from({ length: 4 }, async () => {
      let isFirst = true
      return await expire(sql, async (key) => {
        deleted.push(key)
        if (isFirst) {
          isFirst = false
          sweepers += 1
          if (sweepers === 4) resolve()
        }
        await all
      })
    }),
  )
  assert.equal(new Set(deleted).size, 1000)
  assert.equal(deleted.length, 1000)
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    1000,
  )
})

test('a worker reports files that the store cannot delete, retries them later, and deletes other files without delay', async () => {
  await manyFinished(250)
  const stuck = await finished(0)
  await sql`update requests set sweep_at = now() - interval '1 day' where id = ${stuck}`
  const store = (isBroken: boolean, deleted: string[]) => async (key: string) => {
    if (isBroken && key === keyOf(stuck)) throw new Error('the store did not')
    deleted.push(key)
  }
  const deleted: string[] = []
  await assert.rejects(expire(sql, store(true, deleted)), /the store did not/)
  await expire(sql, store(true, deleted))
  assert.equal(deleted.length, 250)
  assert.equal((await findLinked(sql, stuck))?.filesDeleted, false)
  await sql`update requests set sweep_at = sweep_at - interval '10 minutes' where sweep_at is not null`
  assert.equal(await expire(sql, store(false, deleted)), 1)
  assert.equal((await findLinked(sql, stuck))?.filesDeleted, true)
})

test('if a worker crashes during cleanup, another worker continues its batch', async () => {
  await manyFinished(3)
  const dies = expire(sql, () => new Promise<never>(() => {}))
  dies.catch(() => undefined)
  while ((await sql`select from requests where sweep_at > now()`).count < 3);
  const deleted: string[] = []
  assert.equal(await expire(sql, async (key) => void deleted.push(key)), 0, 'they are taken')
  await sql`update requests set sweep_at = sweep_at - interval '10 minutes'`
  assert.equal(await expire(sql, async (key) => void deleted.push(key)), 3)
})

test('a worker deletes the oldest expired results first, and retries failed deletions last', async () => {
  const [minute, day, hour] = [await finished(0), await finished(0), await finished(0)]
  for (const [id, interval] of [
    [minute, '1 minute'],
    [day, '1 day'],
    [hour, '1 hour'],
  ] as const) {
    await sql`update requests set sweep_at = now() - ${interval}::interval where id = ${id}`
  }
  const taken: number[] = []
  for (let turn = 0; turn < 4; turn += 1) {
    // This test does not confirm the deletion, and the lease of 0 ms expires immediately.
    for (const { id } of await takeExpiredResults(sql, 1, 0)) taken.push(id)
  }
  assert.deepEqual(taken, [day, hour, minute, day])
})
