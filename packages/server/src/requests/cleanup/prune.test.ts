import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { countRowsRead } from '@mediamill/lab/support/rows-read'
import { findEvent, listAttempts, resendEvent } from '../../db/events/event-log.ts'
import { claimEvents, fixBodies, recordAttempts } from '../../db/events/events.ts'
import { deleteOldKeys } from '../../db/idempotency.ts'
import { deleteOldAttempts } from '../../db/prune.ts'
import { accept } from '../accept.ts'
import { claim } from '../claim.ts'
import { find } from '../find.ts'
import { hold } from '../idempotency.ts'
import { claimNextSegment, requeueOrEndSegment } from '../segments/queue.ts'
import { plannedVideo, videoWorker } from '../segments/segments-fixture.ts'
import { settle } from '../settle.ts'
import { prune } from './prune.ts'

const { sql } = await sharedDatabase()
beforeEach(async () => void (await sql`truncate delivery_attempts`))

const account = await openAccount(sql)
const worker = await aliveWorker(sql)
const url = 'https://example.com/hook'

async function posted(status: 'delivered' | 'undelivered') {
  await accept(sql, acceptable(account.id, { webhookUrl: url }))
  const found = await claim(sql, worker, 'image', [])
  assert.ok(found && (await settle(sql, found.lease, succeeded(0), RETENTION_MS)))
  return await attempt(status)
}

async function attempt(status: 'delivered' | 'undelivered') {
  const [event] = await claimEvents(sql, { limit: 1, share: 1, inFlight: new Map(), leaseMs: 60_000 })
  assert.ok(event)
  await fixBodies(sql, [{ id: event.eventId, lease: event.lease, body: Buffer.from('the body') }])
  const response = { status: status === 'delivered' ? 204 : 500, beginning: Buffer.from('') }
  const made = { eventId: event.eventId, lease: event.lease, url, startedAt: new Date(), durationMs: 1 }
  await recordAttempts(sql, [{ ...made, response, next: { status } }])
  return { id: event.eventId, requestId: event.id }
}

const age = async (eventId: string, interval: string) =>
  void (await sql`
    update delivery_attempts set started_at = started_at - ${interval}::interval where event_id = ${eventId}`)

const isBodyKept = async (eventId: string) => ((await findEvent(sql, eventId))?.body ?? null) !== null

test('a worker deletes delivery attempts and event bodies after 30 days and not before, and keeps the event and the request', async () => {
  const [old, young] = [await posted('delivered'), await posted('undelivered')]
  await age(old.id, '30 days 1 second')
  await age(young.id, '29 days 23 hours')
  await prune(sql)
  assert.deepEqual([(await listAttempts(sql, old.id)).length, await isBodyKept(old.id)], [0, false])
  assert.deepEqual([(await listAttempts(sql, young.id)).length, await isBodyKept(young.id)], [1, true])
  assert.equal((await findEvent(sql, old.id))?.status, 'delivered')
  assert.equal((await find(sql, account.id, old.requestId as never)).status, 'succeeded')
})

test('an undelivered event keeps its body beyond 30 days, and is posted with the same bytes', async () => {
  const event = await posted('undelivered')
  await age(event.id, '31 days')
  await resendEvent(sql, event.id)
  await prune(sql)
  assert.deepEqual([(await findEvent(sql, event.id))?.status, await isBodyKept(event.id)], ['pending', true])
  await attempt('delivered')
  await prune(sql)
  assert.equal(await isBodyKept(event.id), true, 'the new attempt is young')
  await age(event.id, '31 days')
  await prune(sql)
  assert.equal(await isBodyKept(event.id), false)
})

test('a worker keeps the body of an event until its newest attempt is deleted', async () => {
  const event = await posted('undelivered')
  await age(event.id, '31 days')
  await resendEvent(sql, event.id)
  await attempt('delivered')
  await prune(sql)
  assert.deepEqual([(await listAttempts(sql, event.id)).length, await isBodyKept(event.id)], [1, true])
  await age(event.id, '31 days')
  await prune(sql)
  assert.deepEqual([(await listAttempts(sql, event.id)).length, await isBodyKept(event.id)], [0, false])
})

test('concurrent workers delete every old delivery attempt once', async () => {
  const event = await posted('delivered')
  await sql`
    insert into delivery_attempts (event_id, number, url, started_at, duration_ms, status)
    select ${event.id}, 1, ${url}, now() - interval '40 days', 1, 204 from generate_series(1, 3000)`
  await age(event.id, '40 days')
  await Promise.all(Array.from({ length: 4 }, () => prune(sql)))
  await prune(sql)
  assert.equal((await listAttempts(sql, event.id)).length, 0)
})

test('a worker deletes an Idempotency-Key after a day and not before, with any number of workers [idempotency.keys.1]', async () => {
  const keys = Array.from({ length: 1200 }, () => randomUUID())
  await sql`
    insert into idempotency_keys (account_id, livemode, key, fingerprint, holder, held_until, created_at)
    select ${account.id}, true, key, 'x', gen_random_uuid(), now(), now() - interval '24 hours 1 second'
    from unnest(${keys}::text[]) key`
  await hold(
    sql,
    { accountId: account.id, livemode: true, key: 'young' },
    { exact: Buffer.from('a'), content: Buffer.from('a') },
  )
  await Promise.all(Array.from({ length: 4 }, () => prune(sql)))
  await prune(sql)
  const left = await sql<{ key: string }[]>`select key from idempotency_keys`
  assert.deepEqual([...left], [{ key: 'young' }])
})

test('a cleanup run without anything to delete reads few rows of a large table', async () => {
  const event = await posted('delivered')
  await sql`
    insert into delivery_attempts (event_id, number, url, started_at, duration_ms, status)
    select ${event.id}, 1, ${url}, now(), 1, 204 from generate_series(1, 5000)`
  await sql`
    insert into idempotency_keys (account_id, livemode, key, fingerprint, holder, held_until)
    select ${account.id}, true, 'key ' || n, 'x', gen_random_uuid(), now() from generate_series(1, 5000) n`
  await sql`vacuum analyze delivery_attempts, idempotency_keys`
  const read = await countRowsRead(sql, async (tx) => {
    assert.deepEqual([await deleteOldAttempts(tx, 500), await deleteOldKeys(tx, 500)], [0, 0])
  })
  assert.ok(read < 10, `${read} rows were read`)
})

test('if the database clock is set back an hour, events are still delivered on time and dead workers are found on time', async () => {
  await accept(sql, acceptable(account.id, { webhookUrl: url }))
  const found = await claim(sql, worker, 'image', [])
  assert.ok(found && (await settle(sql, found.lease, succeeded(0), RETENTION_MS)))
  const dead = await aliveWorker(sql)
  await sql`update events set due_at = due_at + interval '1 hour' where due_at is not null`
  await sql`update workers set seen_at = seen_at + interval '1 hour' where id = ${dead}`
  const due = { limit: 9, share: 9, inFlight: new Map(), leaseMs: 60_000 }
  assert.equal((await claimEvents(sql, due)).length, 0)
  await prune(sql)
  const claimed = await claimEvents(sql, due)
  assert.deepEqual(
    claimed.map(({ id }) => id),
    [found.request.id],
  )
  const [row] = await sql`select seen_at <= now() as past from workers where id = ${dead}`
  assert.equal(row?.['past'], true)
  await prune(sql)
  assert.equal((await claimEvents(sql, due)).length, 0)
})

test('if the database clock is set back an hour, segments are still processed on time', async () => {
  const [holder, other] = [await videoWorker(sql), await videoWorker(sql)]
  await plannedVideo(sql, holder, 2)
  await sql`update video_parts set due_at = due_at + interval '1 hour'`
  assert.equal(await claimNextSegment(sql, other), undefined)
  await prune(sql)
  const part = await claimNextSegment(sql, other)
  assert.ok(part)
  await requeueOrEndSegment(sql, part.lease, 30_000)
  await sql`delete from video_parts where id <> ${part.lease.partId}`
  await prune(sql)
  assert.equal(await claimNextSegment(sql, other), undefined)
})
