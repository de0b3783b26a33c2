import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ApiError } from '@mediamill/contract/domain/errors'
import { newUploadId } from '@mediamill/contract/domain/uploads'
import { createDatabase } from '@mediamill/lab/support/database'
import { acceptable, openAccount } from '@mediamill/lab/support/line'
import { until } from '@mediamill/lab/support/process'
import { findAccount } from '../db/accounts/accounts.ts'
import { listDifferences } from '../db/accounts/ledger.ts'
import { listen } from '../db/connection/notices.ts'
import { insertUpload } from '../db/uploads/uploads.ts'
import { accept } from './accept.ts'
import { createWorkersWaker } from './notices.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

/** How many of so many parallel calls were accepted, and the codes of the others. */
async function race(count: number, call: (index: number) => Promise<unknown>) {
  const results = await Promise.allSettled(Array.from({ length: count }, (_, index) => call(index)))
  const codes = results.flatMap((result) => {
    if (result.status === 'fulfilled') return []
    assert.ok(result.reason instanceof ApiError, String(result.reason))
    return [result.reason.code]
  })
  return { accepted: count - codes.length, codes: [...new Set(codes)] }
}

test('an accepted call is a queued request that holds its price [2.1, 3, rulings 6]', async () => {
  const account = await openAccount(sql)
  const request = await accept(sql, acceptable(account.id, { customer: 'c', metadata: { z: '1', a: '2' } }))
  assert.equal(request.status, 'queued')
  assert.deepEqual(Object.keys(request.metadata ?? {}), ['z', 'a'])
  const row = await findAccount(sql, account.id)
  assert.equal(row?.held, 2_000)
  assert.equal(row?.balance, 1_000_000)
  assert.equal(row?.openLive, 1)
})

test('workers hear of a lone call with its commit, and of a refused one nothing', async () => {
  const heard: string[] = []
  const listening = await listen(sql, { requests: (lanes) => void heard.push(lanes.join()), abort: () => undefined })
  heard.length = 0
  const waker = createWorkersWaker(sql, true)
  const late: string[] = []
  const workers = { take: waker.take, wake: (lane: string) => void late.push(lane) }
  const account = await openAccount(sql)
  await accept(sql, acceptable(account.id, { workers }))
  await until(() => heard.length > 0)
  assert.deepEqual([heard, late], [['image'], []])
  const second = await accept(sql, acceptable(account.id, { workers: { ...workers, take: () => [] } }))
  assert.deepEqual(late, ['image'], 'the next of the same moment are told of together')
  await sql`update accounts set suspended = true where id = ${account.id}`
  await assert.rejects(accept(sql, acceptable(account.id, { workers: { ...workers, take: (lanes) => lanes } })))
  await sql`select pg_notify('mediamill_requests', 'video')`
  await until(() => heard.includes('video'))
  assert.deepEqual(heard, ['image', 'video'])
  assert.equal(second.status, 'queued')
  await listening.stop()
})

test('the workers are told apart from the statement where that would wait for the disk', () => {
  assert.deepEqual(createWorkersWaker(sql, false).take(['image']), [])
  const waker = createWorkersWaker(sql, true)
  assert.deepEqual([waker.take(['image']), waker.take(['image'])], [['image'], []])
})

test('a call that names an upload of another account or of the other mode is refused and starts nothing [4.10, rulings 17]', async () => {
  const [own, other] = [await openAccount(sql), await openAccount(sql)]
  const upload = async (accountId: number, livemode: boolean) => {
    const id = newUploadId()
    const asked = { size: 5, signed: true, filename: null, origin: null, roomBytes: 1_000_000 }
    await insertUpload(sql, { accountId, livemode, id, ...asked, lifeMs: 60_000, leaseMs: 60_000 })
    await sql`update uploads set status = 'complete', received = 5, sha256 = ${Buffer.alloc(32)} where id = ${id}`
    return { id, param: 'source' }
  }
  const start = (uploads: { id: string; param: string }[]) => accept(sql, acceptable(own.id, { uploads }))
  for (const foreign of [await upload(other.id, true), await upload(own.id, false)]) {
    await assert.rejects(start([foreign]), { code: 'upload_not_found', param: 'source' })
    await assert.rejects(start([await upload(own.id, true), { ...foreign, param: 'operations.0.image_url' }]), {
      code: 'upload_not_found',
      param: 'operations.0.image_url',
    })
  }
  assert.equal((await findAccount(sql, own.id))?.openLive, 0)
  assert.equal((await start([await upload(own.id, true)])).status, 'queued')
})

test('calls of an account that come at the same moment are taken in the order in which they came', async () => {
  const account = await openAccount(sql)
  const calls = Array.from({ length: 5 }, (_, index) =>
    accept(sql, acceptable(account.id, { customer: String(index) })),
  )
  await Promise.all(calls)
  const rows = await sql<
    { customer: string }[]
  >`select customer from requests where account_id = ${account.id} order by turn`
  assert.deepEqual(
    rows.map(({ customer }) => customer),
    ['0', '1', '2', '3', '4'],
  )
  const [{ isLast } = { isLast: false }] = await sql<{ isLast: boolean }[]>`
    select a.turn = max(r.turn) as "isLast" from accounts a join requests r on r.account_id = a.id
    where a.id = ${account.id} group by a.id`
  assert.ok(isLast, 'the next call comes behind them')
})

test('of 200 parallel calls with credit for 5 exactly 5 are accepted [8, rulings 6]', async () => {
  const account = await openAccount(sql)
  await sql`insert into ledger (account_id, kind, amount) values (${account.id}, 'adjustment', -990000)`
  await sql`update accounts set balance = 10000 where id = ${account.id}`
  const { accepted, codes } = await race(200, () => accept(sql, acceptable(account.id)))
  assert.equal(accepted, 5)
  assert.deepEqual(codes, ['insufficient_credits'])
  assert.deepEqual(await listDifferences(sql), [])
})

test('of 200 parallel calls of an account that may run 2 at once exactly 2 are accepted [8]', async () => {
  const account = await openAccount(sql)
  const limits = { requestsPerMinute: 30, concurrentRequests: 2, maxSourceBytes: 1 }
  const { accepted, codes } = await race(200, () => accept(sql, acceptable(account.id, { limits })))
  assert.equal(accepted, 2)
  assert.deepEqual(codes, ['concurrency_limited'])
})

test('a test key starts 100 requests a day and no more, and holds no credit [5, 8]', async () => {
  const account = await openAccount(sql)
  const limits = { requestsPerMinute: 10, concurrentRequests: 1000, maxSourceBytes: 1 }
  const { accepted, codes } = await race(130, () => accept(sql, acceptable(account.id, { livemode: false, limits })))
  assert.equal(accepted, 100)
  assert.deepEqual(codes, ['test_mode_daily_limit'])
  assert.equal((await findAccount(sql, account.id))?.held, 0)
  await sql`update accounts set test_day = test_day - 1 where id = ${account.id}`
  const next = await race(130, () => accept(sql, acceptable(account.id, { livemode: false, limits })))
  assert.deepEqual([next.accepted, next.codes], [100, ['test_mode_daily_limit']], 'the next day')
})

test('the concurrency of test and live keys is counted apart [rulings 4]', async () => {
  const account = await openAccount(sql)
  const limits = { requestsPerMinute: 10, concurrentRequests: 1, maxSourceBytes: 1 }
  await accept(sql, acceptable(account.id, { limits }))
  await accept(sql, acceptable(account.id, { limits, livemode: false }))
  for (const livemode of [true, false]) {
    const next = accept(sql, acceptable(account.id, { limits, livemode }))
    await assert.rejects(next, { code: 'concurrency_limited' })
  }
})

test('a suspended account starts nothing, even when it was suspended after its key was checked [5]', async () => {
  const account = await openAccount(sql)
  await sql`update accounts set suspended = true where id = ${account.id}`
  await assert.rejects(accept(sql, acceptable(account.id)), { code: 'account_suspended', status: 403 })
})
