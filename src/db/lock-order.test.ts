import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '../../test/support/database.ts'
import { openAccount } from '../../test/support/line.ts'
import { hashKey } from '../accounts/key.ts'
import { type AcceptedRow, insertRequests } from './accept-request.ts'
import { enterCalls } from './calls.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

const PER_MINUTE = { test: 10, free: 30, paid: 120 }

const asked = (accountId: number): AcceptedRow => ({
  accountId,
  livemode: true,
  endpoint: 'images/read',
  lane: 'image',
  source: 'https://1.1.1.1/a.jpg',
  webhookUrl: null,
  input: {},
  customer: null,
  metadata: null,
  hold: 0,
  concurrentRequests: 1000,
  testRequestsPerDay: 100,
  idempotency: null,
  trace: null,
})

/** Accounts, the oldest last in the calls and in the table: what is not put in order comes in another. */
async function openAccounts() {
  const accounts = []
  for (let count = 0; count < 12; count += 1) accounts.push(await openAccount(sql))
  const calls = accounts
    .toReversed()
    .map(({ liveKey }) => ({ hash: hashKey(liveKey).toString('hex'), requestId: null }))
  await enterCalls(sql, calls, PER_MINUTE)
  const [oldest, ...others] = accounts.map(({ id }) => id)
  assert.ok(oldest !== undefined)
  await sql`update accounts set name = 'the oldest' where id = ${oldest}`
  return { oldest, others, calls, ids: accounts.map(({ id }) => id).toReversed() }
}

/** Settles when a statement of this database waits for a row that another holds. */
async function untilOneWaits(): Promise<void> {
  for (;;) {
    const [found] = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`
    if (found !== undefined) return
  }
}

test('requests of many accounts wait for the oldest before they hold another, so that no two statements wait for each other', async () => {
  const { oldest, others, ids } = await openAccounts()
  const waiting = await sql.begin(async (tx) => {
    await tx`select from accounts where id = ${oldest} for update`
    const inserted = insertRequests(sql, ids.map(asked))
    await untilOneWaits()
    const free = await sql`select id from accounts where id = any(${others}::bigint[]) for no key update skip locked`
    assert.equal(free.length, others.length)
    return { inserted }
  })
  assert.equal((await waiting.inserted).filter((row) => row !== undefined).length, ids.length)
})

test('calls of many accounts wait for the oldest before they hold another, so that no two statements wait for each other', async () => {
  const { oldest, others, calls, ids } = await openAccounts()
  const waiting = await sql.begin(async (tx) => {
    await tx`select from call_windows where account_id = ${oldest} for update`
    const entered = enterCalls(sql, calls, PER_MINUTE)
    await untilOneWaits()
    const free = await sql`
      select account_id from call_windows where account_id = any(${others}::bigint[]) for no key update skip locked`
    assert.equal(free.length, others.length)
    return { entered }
  })
  assert.equal((await waiting.entered).filter((call) => call?.pace.entered).length, ids.length)
})
