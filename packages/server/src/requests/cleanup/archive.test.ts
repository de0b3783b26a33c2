import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Outcome } from '@mediamill/contract/domain/request'
import { createDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import {
  acceptable,
  aliveWorker,
  failed,
  openAccount,
  RETENTION_MS,
  succeeded,
} from '@mediamill/lab/support/request-rows'
import { verifyLedger } from '../../accounts/ledger-audit.ts'
import { readArchivable } from '../../db/archive.ts'
import { findEventOf, resendEvent } from '../../db/events/event-log.ts'
import { claimEvents, recordAttempts } from '../../db/events/events.ts'
import { accept } from '../accept.ts'
import { claim } from '../claim.ts'
import { hold } from '../idempotency.ts'
import { settle } from '../settle.ts'
import { archive } from './archive.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  await sql`truncate jobs, requests, events, delivery_attempts, request_metadata, idempotency_keys, part_plans, video_parts`
})

const worker = await aliveWorker(sql)
const webhookUrl = 'https://example.com/hook'
const BEFORE = new Date(Date.now() - 30 * 86_400_000)

type Account = Awaited<ReturnType<typeof openAccount>>

async function finished(account: Account, outcome: Outcome = failed(), url: string | null = null): Promise<number> {
  const metadata = { order: '17', shop: 'north' }
  await accept(sql, acceptable(account.id, { webhookUrl: url, metadata }))
  const found = await claim(sql, worker, 'image', [])
  assert.ok(found && (await settle(sql, found.lease, outcome, RETENTION_MS)))
  return found.request.id
}

async function delivered(account: Account): Promise<number> {
  const id = await finished(account, failed(), webhookUrl)
  const [event] = await claimEvents(sql, { limit: 1, share: 1, inFlight: new Map(), leaseMs: 60_000 })
  assert.equal(event?.id, id)
  const made = { eventId: event.eventId, lease: event.lease, url: webhookUrl, startedAt: new Date(), durationMs: 1 }
  const response = { status: 204, beginning: Buffer.from('ok') }
  await recordAttempts(sql, [{ ...made, response, next: { status: 'delivered' } }])
  return id
}

const age = async (...ids: number[]) =>
  void (await sql`
    update requests set created_at = created_at - interval '60 days', completed_at = completed_at - interval '60 days',
      deleted_at = deleted_at - interval '60 days', sweep_at = null
    where id = any(${ids}::bigint[])`)

async function archived(before = BEFORE) {
  const lines: string[] = []
  const write = async (batch: readonly string[]) => void lines.push(...batch)
  const done = await archive(sql, { before, write, onProgress: () => undefined })
  return { ...done, lines }
}

const idsLeft = async () => (await sql<{ id: number }[]>`select id from requests order by id`).map(({ id }) => id)

test('the archive command reads requests and delivery attempts in the order of their ids, for any query plan and storage order', async () => {
  const [older, newer] = [await openAccount(sql), await openAccount(sql)]
  const first = await delivered(newer)
  const [second, third, fourth] = [await finished(older), await finished(newer), await finished(older)]
  await age(first, second, third, fourth)
  const event = await findEventOf(sql, first)
  await sql`
    insert into delivery_attempts (event_id, number, url, started_at, duration_ms, status)
    select event_id, 2, url, started_at, duration_ms, status from delivery_attempts where event_id = ${event?.id ?? ''}`
  // An update moves a row to the end of its table.
  await sql`update delivery_attempts set duration_ms = 2 where number = 1`
  await sql`update requests set customer = 'moved' where id = ${first}`
  const [page, short] = await sql.begin(async (tx) => {
    // Without indexes and loops, PostgreSQL reads rows as they are stored, and joins them in the order of the accounts.
    for (const plan of ['hashjoin', 'nestloop', 'indexscan', 'bitmapscan'])
      await tx.unsafe(`set local enable_${plan} = off`)
    return [await readArchivable(tx, BEFORE, 0, 10), await readArchivable(tx, BEFORE, 0, 1)]
  })
  const idsOf = ({ last, archivable }: typeof page) => [archivable.map(({ id }) => id), last]
  assert.deepEqual([page, short].map(idsOf), [
    [[first, second], fourth],
    [[first], first],
  ])
  const { delivery_attempts: attempts } = JSON.parse(page.archivable[0]?.line ?? '{}')
  assert.deepEqual(
    attempts.map(({ number }: { number: number }) => number),
    [1, 2],
  )
})

test('the archive command archives requests with their events, attempts, and files, and keeps ledger and usage rows [operator.commands.14]', async () => {
  const account = await openAccount(sql)
  const [paid, posted, newest] = [
    await finished(account, succeeded(2_000)),
    await delivered(account),
    await finished(account),
  ]
  await age(paid, posted, newest)
  const kept = async () => [
    await sql`select * from ledger order by id`,
    await sql`select * from usage_days order by account_id, scope, endpoint`,
    await sql`select id, balance, held, open_live, event_count from accounts order by id`,
  ]
  const before = await kept()
  const { lines, ...counts } = await archived()
  assert.deepEqual(counts, { archived: 2, kept: 1 })
  const [first, second] = lines.map((line) => JSON.parse(line))
  assert.deepEqual(
    [first.request.id, first.request.status, first.request.price, first.request.files[0].format],
    [paid, 'succeeded', 2_000, 'jpg'],
  )
  assert.deepEqual(
    [first.event.type, first.event.status, first.delivery_attempts],
    ['request.succeeded', 'unaddressed', []],
  )
  assert.deepEqual(second.request.metadata, { order: '17', shop: 'north' })
  assert.deepEqual(
    [second.event.request_id, second.event.status, second.delivery_attempts.length, second.delivery_attempts[0].status],
    [posted, 'delivered', 1, 204],
  )
  assert.deepEqual(await idsLeft(), [newest])
  const [left] = await sql`
    select (select count(*) from events)::integer as events, (select count(*) from delivery_attempts)::integer as attempts,
      (select count(*) from request_metadata)::integer as pairs`
  assert.deepEqual(left, { events: 1, attempts: 0, pairs: 2 })
  assert.deepEqual(await kept(), before)
  assert.deepEqual(await verifyLedger(sql), { differences: [], mischarged: [], overdrawn: [] })
})

test('the archive command does not archive open requests, requests with results, pending deliveries, or the newest event of an account [operator.commands.14]', async () => {
  const account = await openAccount(sql)
  const young = await finished(account)
  const stored = await finished(account, succeeded(0))
  const sweepable = await finished(account, succeeded(0))
  const pending = await finished(account, failed(), webhookUrl)
  const old = await finished(account)
  const newest = await finished(account)
  const other = await finished(await openAccount(sql))
  const open = (await accept(sql, acceptable(account.id))).id
  await age(stored, sweepable, pending, old, newest, other, open)
  await sql`update requests set deleted_at = now() + interval '1 day', sweep_at = now() + interval '1 day' where id = ${stored}`
  await sql`update requests set sweep_at = now() where id = ${sweepable}`
  const { lines, ...counts } = await archived()
  assert.deepEqual(counts, { archived: 1, kept: 6 })
  assert.deepEqual(JSON.parse(lines[0] ?? '').request.id, old)
  assert.deepEqual(await idsLeft(), [young, stored, sweepable, pending, newest, other, open])
  assert.equal((await claim(sql, worker, 'image', []))?.request.id, open)
})

test('after an archive, a valid Idempotency-Key still returns its request [idempotency.replays.1]', async () => {
  const account = await openAccount(sql)
  const key = { accountId: account.id, livemode: true, key: 'k' }
  const fingerprint = { exact: Buffer.from('a'), content: Buffer.from('a') }
  const keyState = await hold(sql, key, fingerprint)
  assert.ok('hold' in keyState)
  const { id } = await accept(sql, acceptable(account.id, { idempotency: keyState.hold }))
  const found = await claim(sql, worker, 'image', [])
  assert.ok(found && (await settle(sql, found.lease, failed(), RETENTION_MS)))
  await finished(account)
  // The command accepts no later date than this.
  await archived(new Date(Date.now() - 2 * 86_400_000))
  assert.deepEqual(await hold(sql, key, fingerprint), { replayOf: id })
})

test('if an event is resent while the archive command writes it to the archive, the event stays in the database, with its request and attempts', async () => {
  const account = await openAccount(sql)
  const [resent, old, newest] = [await delivered(account), await delivered(account), await finished(account)]
  await age(resent, old, newest)
  const event = await findEventOf(sql, resent)
  const write = async () => void (await resendEvent(sql, event?.id ?? ''))
  const done = await archive(sql, { before: BEFORE, write, onProgress: () => undefined })
  assert.deepEqual(done, { archived: 1, kept: 2 })
  assert.deepEqual(await idsLeft(), [resent, newest])
  assert.equal((await findEventOf(sql, resent))?.status, 'pending')
  assert.equal((await sql`select from delivery_attempts`).length, 1)
})

test('if the archive command cannot write the archive, it deletes nothing from the database', async () => {
  const account = await openAccount(sql)
  const ids = [await finished(account), await finished(account)]
  await age(...ids)
  const write = () => Promise.reject(new Error('the disk is full'))
  await assert.rejects(archive(sql, { before: BEFORE, write, onProgress: () => undefined }), /the disk is full/)
  assert.deepEqual(await idsLeft(), ids)
})

test('an archive locks the delivery attempts of an event before the event, so that it cannot deadlock with cleanup', async () => {
  const account = await openAccount(sql)
  const [old, newest] = [await delivered(account), await finished(account)]
  await age(old, newest)
  const { done } = await sql.begin(async (tx) => {
    await tx`select from delivery_attempts for update`
    const archiving = archived()
    await until(async () => {
      const waits = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waits.length > 0
    })
    await tx`update events set body = null where request_id = ${old}`
    return { done: archiving }
  })
  assert.equal((await done).archived, 1)
})

test('a second archive of the same database is rejected while the first runs [operator.commands.14]', async () => {
  const account = await openAccount(sql)
  await age(await finished(account), await finished(account))
  const write = () => assert.rejects(archived(), /Another archive is running/)
  assert.equal((await archive(sql, { before: BEFORE, write, onProgress: () => undefined })).archived, 1)
  assert.equal((await archived()).archived, 0)
})

test('the transaction of a running archive does not stop vacuum from removing deleted rows', async () => {
  const account = await openAccount(sql)
  await age(await finished(account), await finished(account))
  const write = async () => {
    const open = await sql`
      select backend_xmin from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`
    assert.deepEqual([...open], [{ backend_xmin: null }])
  }
  assert.equal((await archive(sql, { before: BEFORE, write, onProgress: () => undefined })).archived, 1)
})
