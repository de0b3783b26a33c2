import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import { finishOf, liveRequest } from '@mediamill/lab/support/queue'
import { acceptable, aliveWorker, openAccount } from '@mediamill/lab/support/request-rows'
import { sharedFolder } from '@mediamill/lab/support/shared'
import type { Acceptable } from '../requests/accept.ts'
import { accept } from '../requests/accept.ts'
import { claim } from '../requests/claim.ts'
import { openDiskStore } from '../store/disk.ts'
import { UploadReceiver } from '../uploads/upload-receiver.ts'
import { insertRequests } from './accept-request.ts'
import { lockOf } from './accounts/lock-accounts.ts'
import type { RequestEnd } from './finish-request.ts'
import { finishRequests } from './finish-request.ts'
import { correctQuotas, deleteUploads } from './uploads/delete.ts'
import { holdUploads } from './uploads/uploads.ts'

const database = await sharedDatabase()
const { sql } = database

const asked = (accountId: number) => liveRequest(accountId, { unitPrice: 500 })

/** Opens 12 accounts. The oldest is last in the returned list and in the table. Only a sort by id puts it first. */
async function openAccounts() {
  const ids = []
  for (let count = 0; count < 12; count += 1) ids.push((await openAccount(sql)).id)
  const [oldest, ...others] = ids
  assert.ok(oldest !== undefined)
  await sql`update accounts set name = 'the oldest' where id = ${oldest}`
  return { oldest, others, ids: ids.toReversed() }
}

async function untilWaiting(count = 1): Promise<void> {
  await until(async () => {
    const waiting = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length === count
  })
}

/** Runs `work` while the oldest account is locked. Checks that `work` waits, and has not locked the other accounts. */
async function whileOldestIsLocked<Result>(
  { oldest, others }: { oldest: number; others: number[] },
  work: () => Promise<Result>,
): Promise<Result> {
  const waiting = await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${lockOf(tx, tx`${oldest}::bigint`)})`
    const done = work()
    await untilWaiting()
    const locks = await tx<{ isFree: boolean }[]>`
      select pg_try_advisory_xact_lock(${lockOf(tx, tx`id`)}) as "isFree" from unnest(${others}::bigint[]) as other (id)`
    assert.deepEqual(new Set(locks.map(({ isFree }) => isFree)), new Set([true]))
    const rows = await tx`select from accounts where id = any(${others}::bigint[]) for no key update skip locked`
    assert.equal(rows.length, others.length)
    return { done }
  })
  return await waiting.done
}

/** Runs statements that wait for an update of the account row, while a foreign key check locks its old version. */
async function runAfterUpdate<Result>(
  accountId: number,
  statements: readonly (() => Promise<Result>)[],
): Promise<Result[]> {
  return await sql.begin(async (reference) => {
    await reference`select from accounts where id = ${accountId} for key share`
    const waiting = await sql.begin(async (tx) => {
      await tx`update accounts set name = 'updated' where id = ${accountId}`
      const done = statements.map((run) => run())
      await untilWaiting(statements.length)
      return { done }
    })
    return await Promise.all(waiting.done)
  })
}

test('accepting requests of many accounts locks the oldest account first, so that concurrent statements cannot deadlock', async () => {
  const { ids, ...accounts } = await openAccounts()
  const inserted = await whileOldestIsLocked(accounts, () => insertRequests(sql, ids.map(asked)))
  assert.equal(inserted.filter((row) => row !== undefined).length, ids.length)
})

test('finishing requests of many accounts locks the oldest account first, so that concurrent statements cannot deadlock', async () => {
  const { ids, ...accounts } = await openAccounts()
  const ends = await claimEach(ids)
  const finished = await whileOldestIsLocked(accounts, () => finishRequests(sql, ends))
  assert.equal(finished.filter((row) => row !== undefined).length, ids.length)
})

test('simultaneous calls of one account that wait for the same update of the account do not deadlock', async () => {
  const { id } = await openAccount(sql)
  const calls = Array.from({ length: 3 }, () => () => insertRequests(sql, [asked(id)]))
  assert.equal((await runAfterUpdate(id, calls)).flat().filter((row) => row !== undefined).length, calls.length)
})

test('simultaneous completions of requests of one account that wait for the same update of the account do not deadlock', async () => {
  const { id } = await openAccount(sql)
  const ends = await claimEach([id, id, id])
  const completions = ends.map((end) => () => finishRequests(sql, [end]))
  assert.equal((await runAfterUpdate(id, completions)).flat().filter((row) => row !== undefined).length, ends.length)
})

test('accepting a request with a form file and finishing the request of the form do not deadlock [uploads.object.3]', async () => {
  const { id: accountId } = await openAccount(sql)
  const owner = { accountId, livemode: true }
  const receiver = new UploadReceiver(sql, await openDiskStore(await sharedFolder('mediamill-locks-')), () => 'JPEG')
  const file = await receiver.receiveFile(owner, { size: 5 }, { quotaBytes: 1_000_000 }, async function* () {
    yield Buffer.from('bytes')
  })
  const [end] = await claimEach([accountId], { files: [file] })
  assert.ok(end)
  // `accept` locks the file first, and then the account.
  const { finishing, inserted } = await sql.begin(async (tx) => {
    assert.deepEqual(await holdUploads(tx, owner, [file.id]), [file.id])
    const done = finishRequests(sql, [end])
    await untilWaiting()
    return { finishing: { done }, inserted: await insertRequests(tx, [asked(accountId)]) }
  })
  const finished = await finishing.done
  assert.deepEqual([inserted[0]?.status, finished[0]?.status], ['queued', 'succeeded'])
  const [upload] = await sql`select status, request_id from uploads where id = ${file.id}`
  assert.deepEqual({ ...upload }, { status: 'complete', request_id: null })
})

async function deletedUploads(accountIds: readonly number[]): Promise<string[]> {
  const ids = accountIds.map((id) => `upl_${id}`)
  await sql`
    insert into upload_room (account_id, livemode, bytes)
    select id, true, 5 from unnest(${accountIds}::bigint[]) as account (id)`
  await sql`
    insert into uploads (id, account_id, livemode, signed, size, status, expires_at, sweep_at)
    select 'upl_' || id, id, true, false, 5, 'deleting', now(), now()
    from unnest(${accountIds}::bigint[]) as account (id)`
  return ids
}

/** Runs `work` while the quota of the oldest account is locked. Checks that `work` has not locked the other quotas. */
async function whileOldestQuotaIsLocked(
  { oldest, others }: { oldest: number; others: number[] },
  work: () => Promise<unknown>,
): Promise<void> {
  const waiting = await sql.begin(async (tx) => {
    await tx`select from upload_room where account_id = ${oldest} for update`
    const done = work()
    await untilWaiting()
    const free = await tx`select from upload_room where account_id = any(${others}::bigint[]) for update skip locked`
    assert.equal(free.length, others.length)
    return { done }
  })
  await waiting.done
}

const quotasOf = async (ids: readonly number[]) =>
  (await sql<{ bytes: number }[]>`select bytes from upload_room where account_id = any(${ids}::bigint[])`).map(
    ({ bytes }) => bytes,
  )

test('deleting uploads of many accounts locks the quota of the oldest account first, so that concurrent statements cannot deadlock', async () => {
  const { ids, ...accounts } = await openAccounts()
  const uploads = await deletedUploads(ids)
  await whileOldestQuotaIsLocked(accounts, () => deleteUploads(sql, uploads))
  assert.deepEqual(
    await quotasOf(ids),
    ids.map(() => 0),
  )
})

test('correcting the quotas of many accounts locks the quota of the oldest account first, so that concurrent statements cannot deadlock', async () => {
  const { ids, ...accounts } = await openAccounts()
  await deletedUploads(ids)
  await sql`update upload_room set bytes = 7 where account_id = any(${ids}::bigint[])`
  await whileOldestQuotaIsLocked(accounts, () => correctQuotas(sql))
  assert.deepEqual(
    await quotasOf(ids),
    ids.map(() => 5),
  )
})

async function claimEach(ids: readonly number[], differing: Partial<Acceptable> = {}): Promise<RequestEnd[]> {
  await sql`update requests set completed_at = now(), status = 'aborted' where completed_at is null`
  for (const id of ids) await accept(sql, acceptable(id, differing))
  const worker = await aliveWorker(sql)
  return await Array.fromAsync(ids, async () => {
    const taken = await claim(sql, worker, 'image', [])
    assert.ok(taken)
    return { id: taken.request.id, guard: taken.lease, finish: finishOf(taken.request.id) }
  })
}
