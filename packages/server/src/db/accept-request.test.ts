import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { liveRequest } from '@mediamill/lab/support/queue'
import { openAccount } from '@mediamill/lab/support/request-rows'
import type { AcceptedRow } from './accept-request.ts'
import { insertRequests } from './accept-request.ts'

const { sql } = await sharedDatabase()

const testCall = (accountId: number, differing: Partial<AcceptedRow> = {}): AcceptedRow =>
  liveRequest(accountId, {
    livemode: false,
    unitPrice: 1_000,
    concurrentRequests: 100,
    testRequestsPerDay: 3,
    ...differing,
  })

test('the daily limit of test requests is exact, even if one statement inserts many requests [limits.daily.1]', async () => {
  const { id } = await openAccount(sql)
  const asked = (count: number) => Array.from({ length: count }, () => testCall(id))
  const accepted = async (count: number) => (await insertRequests(sql, asked(count))).filter(Boolean).length
  assert.deepEqual([await accepted(4), await accepted(3), await accepted(1)], [0, 3, 0])
  await sql`update accounts set test_day = test_day - 1 where id = ${id}`
  assert.deepEqual([await accepted(2), await accepted(2), await accepted(1), await accepted(1)], [2, 0, 1, 0])
})

test('the limit of open requests is exact, and separate for live and test mode [limits.counting.1, limits.concurrency.1]', async () => {
  const { id } = await openAccount(sql)
  const accepted = async (livemode: boolean) =>
    (await insertRequests(sql, [testCall(id, { livemode, concurrentRequests: 2, testRequestsPerDay: 9 })]))[0] !==
    undefined
  const all: boolean[] = []
  for (const livemode of [true, false, true, false, true, false]) all.push(await accepted(livemode))
  assert.deepEqual(all, [true, true, true, true, false, false])
})

test('a request that is inserted alone has the same column values as a request that is inserted in a batch', async () => {
  const full = {
    webhookUrl: 'https://example.com/hook',
    input: { operations: [{ type: 'flip', horizontal: true }] },
    customer: 'c-1',
    metadata: { "it's": 'a "value"\\ with, {signs}' },
    destination: { value: Buffer.from([0, 1, 254, 255]), sealedBy: '68a0da0d' },
    unitPrice: 2_000,
    hold: 3_000,
    trace: { traceparent: '00-11111111111111111111111111111111-2222222222222222-01' },
  }
  for (const differing of [{}, { livemode: true }, { livemode: true, ...full }]) {
    const { id } = await openAccount(sql)
    const asked = testCall(id, { testRequestsPerDay: 9, ...differing })
    const rows = [...(await insertRequests(sql, [asked])), ...(await insertRequests(sql, [asked, asked]))]
    const written = await sql`
      select to_jsonb(r) - array['id', 'created_at'] as columns from requests r where account_id = ${id} order by id`
    const [alone, ...together] = written.map(({ columns }) => columns)
    assert.deepEqual(together, [alone, alone])
    assert.deepEqual(
      rows.map((row) => ({ ...row, id: 0, createdAt: 0, place: 0 })),
      rows.map(() => ({ ...rows[0], id: 0, createdAt: 0, place: 0 })),
    )
    const [account] = await sql`
      select held, open_live, open_test, test_accepted, (select array_agg(tag - first order by tag) from jobs,
        (select min(tag) as first from jobs where account_id = ${id}) least where account_id = ${id})::text as tags
      from accounts where id = ${id}`
    const live = asked.livemode ? 3 : 0
    assert.deepEqual(account, {
      held: 3 * asked.hold,
      open_live: live,
      open_test: 3 - live,
      test_accepted: 3 - live,
      tags: '{0,1000000,2000000}',
    })
  }
})
