import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '../../test/support/database.ts'
import { openAccount } from '../../test/support/line.ts'
import type { AcceptedRow } from './accept-request.ts'
import { insertRequests } from './accept-request.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

/** A call with a test key. */
const testCall = (accountId: number, differing: Partial<AcceptedRow> = {}): AcceptedRow => ({
  accountId,
  livemode: false,
  endpoint: 'images/read',
  lane: 'image',
  source: 'https://example.com/a.jpg',
  webhookUrl: null,
  input: {},
  customer: null,
  metadata: null,
  destination: null,
  pairs: [],
  unitPrice: 1_000,
  hold: 0,
  awaited: false,
  concurrentRequests: 100,
  testRequestsPerDay: 3,
  idempotency: null,
  trace: null,
  ...differing,
})

test('a day’s test requests count from nothing each day: as many as are allowed may come in one statement [5, 8]', async () => {
  const { id } = await openAccount(sql)
  const asked = (count: number) => Array.from({ length: count }, () => testCall(id))
  const accepted = async (count: number) => (await insertRequests(sql, asked(count))).filter(Boolean).length
  assert.deepEqual([await accepted(4), await accepted(3), await accepted(1)], [0, 3, 0])
  await sql`update accounts set test_day = test_day - 1 where id = ${id}`
  assert.deepEqual([await accepted(2), await accepted(2), await accepted(1), await accepted(1)], [2, 0, 1, 0])
})

test('the open requests of both modes are counted apart, to the last that is allowed [8, rulings 4]', async () => {
  const { id } = await openAccount(sql)
  const accepted = async (livemode: boolean) =>
    (await insertRequests(sql, [testCall(id, { livemode, concurrentRequests: 2, testRequestsPerDay: 9 })]))[0] !==
    undefined
  const all: boolean[] = []
  for (const livemode of [true, false, true, false, true, false]) all.push(await accepted(livemode))
  assert.deepEqual(all, [true, true, true, true, false, false])
})
