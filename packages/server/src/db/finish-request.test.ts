import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount } from '@mediamill/lab/support/request-rows'
import { accept } from '../requests/accept.ts'
import { claim } from '../requests/claim.ts'
import type { Finish, RequestEnd } from './finish-request.ts'
import { finishRequests } from './finish-request.ts'

const { sql } = await sharedDatabase()

type Body = Omit<Finish, 'retentionMs' | 'eventId'>

const ok: Body = {
  status: 'succeeded',
  price: 2_000,
  data: { width: 3, height: 4, note: 'a "note"\\, {signs}' },
  files: [{ key: 'a.jpg', format: 'jpg', size: 10, sha256: 'ab' }],
  error: null,
  sourceBytes: 90,
  took: { downloadMs: 2, processMs: 3, storeMs: 4 },
  trace: { traceparent: '00-11111111111111111111111111111111-2222222222222222-01' },
}
const broken: Body = { ...ok, status: 'failed', price: 0, data: null, files: null, took: null, trace: undefined }
const FINISHES: readonly Body[] = [ok, { ...broken, error: { code: 'processing_failed', message: "It's broken." } }]

const OWN = [
  'id',
  'account_id',
  'request_id',
  'turn',
  'created_at',
  'started_at',
  'completed_at',
  'deleted_at',
  'sweep_at',
  'due_at',
]

/** Returns the account's rows, without the columns that always differ. */
async function rowsAfter(finish: Body, livemode: boolean, together: boolean) {
  const account = await openAccount(sql)
  const { limits } = acceptable(account.id)
  const worker = await aliveWorker(sql)
  const ends: RequestEnd[] = []
  for (let nth = 0; nth < 3; nth += 1) {
    await accept(
      sql,
      acceptable(account.id, { livemode, limits, customer: 'c-1', webhookUrl: nth === 2 ? 'https://a.example' : null }),
    )
    const taken = await claim(sql, worker, 'image', [])
    assert.ok(taken)
    const eventId = `evt_${account.id}_${nth}`
    const asked = { ...finish, retentionMs: 60_000, eventId }
    ends.push({ id: taken.lease.id, guard: taken.lease, finish: asked })
  }
  const [first, ...others] = ends
  assert.ok(first !== undefined)
  const rows = await finishRequests(sql, [first])
  for (const some of together ? [others] : others.map((end) => [end])) rows.push(...(await finishRequests(sql, some)))
  const own = sql`account_id = ${account.id}`
  const [books] = await sql<{ events: unknown[] }[]>`
    select (select jsonb_agg(to_jsonb(r) - ${OWN}::text[] order by id) from requests r where ${own}) as requests,
      (select jsonb_agg(to_jsonb(e) - ${OWN}::text[] order by sequence) from events e where ${own}) as events,
      (select jsonb_agg(to_jsonb(l) - ${OWN}::text[] order by id) from ledger l where ${own} and kind = 'charge') as ledger,
      (select jsonb_agg(to_jsonb(u) - ${OWN}::text[] order by scope) from usage_days u where ${own}) as usage,
      (select jsonb_agg(deleted_at - completed_at order by id) from requests r where ${own}) as kept,
      (select jsonb_build_array(held, balance, open_live, open_test, event_count) from accounts where id = ${account.id}) as account`
  return {
    books,
    answers: rows.map((row) => ({
      ...row,
      id: 0,
      place: 0,
      accountId: 0,
      createdAt: 0,
      startedAt: 0,
      completedAt: 0,
      deletedAt: 0,
    })),
  }
}

test('finishing requests one by one writes the same rows in every table as finishing them in a batch', async () => {
  for (const finish of FINISHES) {
    for (const livemode of [true, false]) {
      const together = await rowsAfter(finish, livemode, true)
      assert.equal(together.books?.events.length, 3)
      assert.deepEqual(await rowsAfter(finish, livemode, false), together)
    }
  }
})
