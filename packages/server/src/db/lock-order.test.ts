import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS } from '@mediamill/lab/support/line'
import { accept } from '../requests/accept.ts'
import { claim } from '../requests/claim.ts'
import type { AcceptedRow } from './accept-request.ts'
import { insertRequests } from './accept-request.ts'
import { finishRequests } from './finish-request.ts'

const database = await sharedDatabase()
const { sql } = database

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
  pairs: [],
  unitPrice: 500,
  awaited: false,
  hold: 0,
  concurrentRequests: 1000,
  testRequestsPerDay: 100,
  idempotency: null,
  trace: null,
  destination: null,
})

/** Opens accounts and puts the oldest last in the batch and in the table, so that only sorted locks are in order. */
async function openAccounts() {
  const ids = []
  for (let count = 0; count < 12; count += 1) ids.push((await openAccount(sql)).id)
  const [oldest, ...others] = ids
  assert.ok(oldest !== undefined)
  await sql`update accounts set name = 'the oldest' where id = ${oldest}`
  return { oldest, others, ids: ids.toReversed() }
}

/** Resolves when a statement of this database waits for a row lock. */
async function untilOneWaits(): Promise<void> {
  for (;;) {
    const [found] = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`
    if (found !== undefined) return
  }
}

test('accepting requests of many accounts locks the oldest account first, so that statements cannot deadlock', async () => {
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

test('finishing requests of many accounts locks the oldest account first', async () => {
  await sql`update requests set completed_at = now(), status = 'aborted' where completed_at is null`
  const { oldest, others, ids } = await openAccounts()
  for (const id of ids) await accept(sql, acceptable(id))
  const worker = await aliveWorker(sql)
  const ends = await Array.fromAsync(ids, async () => {
    const taken = await claim(sql, worker, 'image', [])
    assert.ok(taken)
    const finish = {
      status: 'failed' as const,
      price: 0,
      data: null,
      files: null,
      error: null,
      sourceBytes: 0,
      took: null,
    }
    const eventId = `evt_${taken.request.id}`
    return { id: taken.request.id, guard: taken.held, finish: { ...finish, retentionMs: RETENTION_MS, eventId } }
  })
  const waiting = await sql.begin(async (tx) => {
    await tx`select from accounts where id = ${oldest} for update`
    const ended = finishRequests(sql, ends)
    await untilOneWaits()
    const free = await sql`select id from accounts where id = any(${others}::bigint[]) for no key update skip locked`
    assert.equal(free.length, others.length)
    return { ended }
  })
  assert.equal((await waiting.ended).filter((row) => row !== undefined).length, ids.length)
})
