import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import { createDatabase, sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { countRowsRead } from '@mediamill/lab/support/rows-read'
import { authenticate } from '../accounts/authenticate.ts'
import type { Runner, Sql } from '../db/connection/connect.ts'
import { connect } from '../db/connection/connect.ts'
import { flushCommits } from '../db/flush.ts'
import { accept } from './accept.ts'
import { claim, isWorkWaiting } from './claim.ts'
import type { RequestFilter } from './find.ts'
import { findInScope, listRequestPage } from './find.ts'
import { pairsOf } from './metadata-pairs.ts'
import { settle } from './settle.ts'

const { sql } = await sharedDatabase()

test('claiming and finishing requests read few rows, even if the table statistics are from a much shorter queue', async () => {
  const account = await openAccount(sql)
  const first = await accept(sql, acceptable(account.id))
  const copy = async (count: number, completedAt: Date | null) => {
    await sql`
      insert into requests (account_id, livemode, endpoint, lane, status, source, input, turn, completed_at)
      select account_id, livemode, endpoint, lane, case when ${completedAt}::timestamptz is null then 'queued' else 'aborted' end,
        source, input, now() + n * interval '1 second', ${completedAt}
      from requests, generate_series(1, ${count}) n where id = ${first.id}`
  }
  await copy(3000, new Date())
  await sql`vacuum analyze requests, jobs`
  await copy(2000, null)
  const worker = await aliveWorker(sql)
  const looking = await countRowsRead(sql, (tx) => isWorkWaiting(tx as Sql, ['image']))
  assert.ok(looking <= 2, `looking for work read ${looking} rows`)
  const claims: Awaited<ReturnType<typeof claim>>[] = []
  const claiming = await countRowsRead(sql, async (tx) => claims.push(await claim(tx as Sql, worker, 'image', [])))
  assert.ok(claiming < 20, `claiming read ${claiming} rows`)
  const [taken] = claims
  assert.ok(taken)
  const ending = await countRowsRead(sql, (tx) => settle(tx as Sql, taken.lease, succeeded(), RETENTION_MS))
  assert.ok(ending < 20, `ending read ${ending} rows`)
})

async function queueOfOne(sql: Sql) {
  const [busy, other] = [await openAccount(sql), await openAccount(sql)]
  const first = await accept(sql, acceptable(busy.id))
  await sql`
    insert into requests (account_id, livemode, endpoint, lane, source, input, turn)
    select account_id, livemode, endpoint, lane, source, input, now() + n * interval '1 second'
    from requests, generate_series(1, 5000) n where id = ${first.id}`
  return [busy, other] as const
}

test("a claim that skips an account at its limit reads few rows of this account, and finds other accounts' requests", async () => {
  await using full = await createDatabase()
  const [busy, other] = await queueOfOne(full.sql)
  const worker = await aliveWorker(full.sql)
  const claims: Awaited<ReturnType<typeof claim>>[] = []
  const claimForOthers = () =>
    countRowsRead(full.sql, async (tx) => claims.push(await claim(tx as Sql, worker, 'image', [busy.id])))
  const looking = await claimForOthers()
  assert.ok(looking < 20, `claiming for others read ${looking} rows`)
  const wanted = await accept(full.sql, acceptable(other.id))
  await claimForOthers()
  assert.deepEqual(
    claims.map((found) => found?.request.id),
    [undefined, wanted.id],
  )
})

test('a claim reads few rows of a long queue of one account', async () => {
  await using full = await createDatabase()
  const [, other] = await queueOfOne(full.sql)
  // Update the planner's statistics while only one account has requests.
  await full.sql`vacuum analyze requests, jobs`
  const worker = await aliveWorker(full.sql)
  const claiming = await countRowsRead(full.sql, (tx) => claim(tx as Sql, worker, 'image', []))
  assert.ok(claiming < 20, `claiming read ${claiming} rows`)
  await accept(full.sql, acceptable(other.id))
  const forOthers = await countRowsRead(full.sql, (tx) => claim(tx as Sql, worker, 'image', [other.id]))
  assert.ok(forOthers < 20, `claiming for others read ${forOthers} rows`)
})

test('a page of a filtered request list reads few rows, even if only a few of many requests match', async () => {
  await using full = await createDatabase()
  const account = await openAccount(full.sql)
  const first = await accept(full.sql, acceptable(account.id, { customer: 'rare', metadata: { order: '1' } }))
  await full.sql`
    insert into requests (account_id, livemode, endpoint, lane, status, source, input, turn, completed_at, customer, error, created_at)
    select account_id, n % 500 > 0, case when n % 500 = 0 then 'images/read' else endpoint end, lane,
      case when n % 500 = 0 then 'failed' else 'aborted' end, source, input, turn, now(),
      case when n % 500 = 0 then 'some' else 'customer ' || n % 100 end, '{"code":"processing_failed","message":"No."}', created_at + n * interval '1 minute'
    from requests, generate_series(1, 12000) n where id = ${first.id}`
  await full.sql`
    insert into request_metadata (account_id, pair, request_id)
    select account_id, ${pairsOf({ order: '2' })[0] ?? 0}, id from requests where customer = 'some'`
  await full.sql`update requests set metadata = '{"order":"2"}' where customer = 'some'`
  await full.sql`vacuum analyze`
  const page = { before: null, limit: 20 }
  const read = async (filter: RequestFilter) =>
    await countRowsRead(full.sql, async (tx) => {
      const { requests } = await listRequestPage(tx as Sql, account.id, page, filter)
      assert.equal(requests.length, 20, JSON.stringify(filter))
    })
  const plain = await read({})
  for (const filter of [
    { status: 'failed' },
    { endpoint: 'images/read' },
    { customer: 'some' },
    { livemode: false },
    { metadata: { order: '2' } },
    { createdBefore: new Date(first.createdAt.getTime() + 30 * 60_000) },
    { createdFrom: new Date(first.createdAt.getTime() + 5_000 * 60_000) },
  ] as const) {
    const rows = await read(filter)
    assert.ok(
      rows <= ('metadata' in filter ? 2.5 : 1.5) * plain,
      `${JSON.stringify(filter)} read ${rows} rows, not ${plain}`,
    )
  }
})

test('authenticating a call, accepting a request, and flushing a commit read few rows, even if the query plans were made for empty tables', async () => {
  await using empty = await createDatabase()
  const account = await openAccount(empty.sql)
  const own = connect(empty.url, { connections: 1, applicationName: 'test' })
  const call = async (tx: Runner) => {
    const caller = await authenticate(tx as Sql, account.liveKey)
    assert.ok(caller)
    await findInScope(tx as Sql, caller, '1')
  }
  const take = (tx: Runner) => accept(tx as Sql, acceptable(account.id))
  const flush = async (tx: Runner, request: MediaRequest) => await flushCommits(tx, [request])
  await call(own)
  const first = await take(own)
  await flush(own, first)
  await own`
    insert into requests (account_id, livemode, endpoint, lane, source, input, turn)
    select account_id, livemode, endpoint, lane, source, input, now() + n * interval '1 second'
    from requests, generate_series(1, 3000) n where id = ${first.id}`
  assert.ok((await countRowsRead(own, call)) < 20)
  assert.ok((await countRowsRead(own, take)) < 20)
  assert.ok((await countRowsRead(own, (tx) => flush(tx, first))) < 20)
  await own.end()
})
