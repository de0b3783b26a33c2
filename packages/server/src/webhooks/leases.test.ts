import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { deliveriesTo, ended, finishOne, LINKS, makeDue, pileUp, story } from '@mediamill/lab/support/deliveries'
import { until } from '@mediamill/lab/support/process'
import { startReceiver } from '@mediamill/lab/support/receiver'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { claimEvents, recordAttempts, releaseEvents } from '../db/events/events.ts'

const { sql } = await sharedDatabase()

const claiming = { limit: 10, share: 10, inFlight: new Map<number, number>(), leaseMs: 30_000 }

test('retries after a restart of the service post the bytes of the first attempt', async () => {
  await using receiver = await startReceiver(500)
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, receiver.url())
  {
    await using deliveries = await deliveriesTo(sql, [receiver.host])
    await until(async () => (await story(sql, id)).attempts.length === 1)
    await makeDue(sql, id)
    deliveries.wake()
    await until(async () => (await story(sql, id)).attempts.length === 2)
  }
  receiver.respond(204)
  await makeDue(sql, id)
  await using _again = await deliveriesTo(sql, [receiver.host], {
    links: { ...LINKS, baseUrl: 'https://moved.example' },
  })
  const { event, attempts } = await ended(sql, id)
  assert.deepEqual([event.status, attempts.length], ['delivered', 3])
  const last = receiver.received.at(-1)
  assert.equal(last?.headers['service-delivery-attempt'], '3')
  assert.ok(last?.raw.equals(receiver.received[0]?.raw ?? Buffer.alloc(0)))
  assert.doesNotMatch(last?.raw.toString() ?? '', /moved/)
})

test('after the lease of a dead process expires, another process repeats its attempt with the same attempt number', async () => {
  await using receiver = await startReceiver(204)
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, receiver.url())
  const [held] = await claimEvents(sql, claiming)
  assert.equal(held?.eventId, id)
  await using deliveries = await deliveriesTo(sql, [receiver.host])
  const other = await finishOne(sql, account.id, receiver.url())
  deliveries.wake()
  await ended(sql, other)
  assert.equal((await story(sql, id)).event.status, 'pending')
  await makeDue(sql, id)
  deliveries.wake()
  const { attempts } = await ended(sql, id)
  assert.deepEqual([attempts.length, receiver.received.length], [1, 2])
  assert.equal(receiver.received[1]?.headers['service-delivery-attempt'], '1')
})

test('a process whose lease has expired does not overwrite the attempt that another process stored', async () => {
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, 'https://example.com/')
  const [first] = await claimEvents(sql, claiming)
  await makeDue(sql, id)
  const [second] = await claimEvents(sql, claiming)
  assert.deepEqual([first?.eventId, second?.eventId], [id, id])
  const attempt = {
    eventId: id,
    url: 'https://example.com/',
    startedAt: new Date(),
    durationMs: 1,
    response: { status: 200, beginning: Buffer.alloc(0) },
    next: { status: 'delivered' },
  } as const
  assert.equal((await recordAttempts(sql, [{ ...attempt, lease: first?.lease ?? 0 }])).size, 0)
  await releaseEvents(sql, [{ id, lease: first?.lease ?? 0 }])
  assert.equal((await claimEvents(sql, claiming)).length, 0)
  assert.equal((await recordAttempts(sql, [{ ...attempt, lease: second?.lease ?? 0 }])).size, 1)
  assert.equal((await story(sql, id)).attempts.length, 1)
})

test('a stopping process interrupts a hanging delivery attempt without counting it, and the next process repeats the attempt at once', async () => {
  await using receiver = await startReceiver(() => undefined)
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, receiver.url())
  const deliveries = await deliveriesTo(sql, [receiver.host])
  await receiver.arrived(1)
  await deliveries.stop(0)
  receiver.respond(204)
  await using _next = await deliveriesTo(sql, [receiver.host])
  const { attempts } = await ended(sql, id)
  assert.deepEqual([attempts.length, receiver.received.length], [1, 2])
})

test('a stopping process waits for delivery attempts that finish in time, and claims no further events', async () => {
  const held = Promise.withResolvers<() => void>()
  await using receiver = await startReceiver((_one, response) => held.resolve(() => response.writeHead(204).end()))
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, receiver.url())
  const deliveries = await deliveriesTo(sql, [receiver.host])
  const response = await held.promise
  const stopped = deliveries.stop(60_000)
  const late = await finishOne(sql, account.id, receiver.url())
  deliveries.wake()
  response()
  await stopped
  assert.equal((await story(sql, id)).event.status, 'delivered')
  assert.equal((await story(sql, late)).event.status, 'pending')
  assert.equal(receiver.received.length, 1)
  await sql`update events set status = 'undelivered', due_at = null where id = ${late}`
})

test('while 1,000 receivers of one account hang, other accounts still get the first attempts of their events [webhooks.deliveries.6]', async () => {
  await using hanging = await startReceiver(() => undefined)
  await using receiver = await startReceiver(204)
  const busy = await openAccount(sql)
  const others = await Promise.all(Array.from({ length: 40 }, () => openAccount(sql)))
  await pileUp(sql, busy.id, 1000, hanging.url())
  await using deliveries = await deliveriesTo(sql, [hanging.host, receiver.host])
  await hanging.arrived(30)
  for (const { id } of others) await pileUp(sql, id, 3, receiver.url())
  deliveries.wake()
  await receiver.arrived(120)
  assert.equal(deliveries.counts.retried, 0)
  assert.ok(hanging.received.length < 100, `${hanging.received.length} in flight`)
  await until(() => deliveries.counts.delivered === 120)
  await sql`update events set status = 'undelivered', due_at = null where account_id = ${busy.id}`
})

test('if two processes claim events at the same time, they never get the same event before its lease expires', async () => {
  const accounts = await Promise.all(Array.from({ length: 5 }, () => openAccount(sql)))
  for (const { id } of accounts) await pileUp(sql, id, 60, 'https://example.com/')
  const claimed: string[] = []
  const claimAll = async () => {
    for (let left = true; left; ) {
      const some = await claimEvents(sql, { ...claiming, limit: 7, share: 7, leaseMs: 3_600_000 })
      claimed.push(...some.map(({ eventId }) => eventId))
      left = some.length > 0
    }
  }
  // A claim can return nothing while other claims have locked all rows that it reads, so repeat the claims.
  while (claimed.length < 300) await Promise.all(Array.from({ length: 8 }, claimAll))
  assert.deepEqual([claimed.length, new Set(claimed).size], [300, 300])
  await sql`update events set status = 'undelivered', due_at = null where due_at is not null`
})

test('two processes with one database post every event only once, unless an attempt times out', async () => {
  await using receiver = await startReceiver(204)
  const accounts = await Promise.all(Array.from({ length: 5 }, () => openAccount(sql)))
  for (const { id } of accounts) await pileUp(sql, id, 60, receiver.url())
  await using first = await deliveriesTo(sql, [receiver.host])
  await using second = await deliveriesTo(sql, [receiver.host])
  await until(() => first.counts.delivered + second.counts.delivered === 300)
  const posts = receiver.received.map(({ headers }) => headers)
  assert.equal(new Set(posts.map((headers) => headers['webhook-id'])).size, 300)
  // If the test machine freezes for 10 s, an attempt times out, and the event is posted again. Allow this.
  const late = await sql<{ id: string; number: number }[]>`
    select event_id as id, number from delivery_attempts
    where event_id = any(${posts.map((headers) => String(headers['webhook-id']))}::text[])
      and status is null and reason like '%did not respond in time%'`
  const allowed = new Map(late.map(({ id, number }) => [id, number + 1]))
  for (const headers of posts) {
    const id = String(headers['webhook-id'])
    assert.ok(Number(headers['service-delivery-attempt']) <= (allowed.get(id) ?? 1), `${id} was posted once more`)
  }
  const attempts = posts.map((headers) => `${headers['webhook-id']} ${headers['service-delivery-attempt']}`)
  assert.deepEqual([attempts.length, new Set(attempts).size], [300 + late.length, 300 + late.length])
  assert.deepEqual([first.counts.repeated, second.counts.repeated], [0, 0])
  assert.deepEqual([...(await sql`select id from events where due_at is not null`)], [])
})

test('if the database is unavailable, a webhook attempt is stored later and is not repeated', async () => {
  await using receiver = await startReceiver(204)
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, receiver.url())
  await sql`alter table delivery_attempts rename to elsewhere`
  await using deliveries = await deliveriesTo(sql, [receiver.host])
  await receiver.arrived(1)
  deliveries.wake()
  await sql`alter table elsewhere rename to delivery_attempts`
  const { event, attempts } = await ended(sql, id)
  assert.deepEqual([event.status, attempts.length, receiver.received.length], ['delivered', 1, 1])
})

test('a process with one slot delivers events one after another, and its count of running deliveries is one', async () => {
  const open: (() => void)[] = []
  await using receiver = await startReceiver((_one, response) => open.push(() => response.writeHead(204).end()))
  const { id } = await openAccount(sql)
  await pileUp(sql, id, 3, receiver.url())
  await using deliveries = await deliveriesTo(sql, [receiver.host], { slots: 1 })
  for (let nth = 1; nth <= 3; nth += 1) {
    await receiver.arrived(nth)
    assert.deepEqual([receiver.received.length, deliveries.counts.inFlight], [nth, 1])
    open.shift()?.()
    await until(() => deliveries.counts.delivered === nth)
  }
  await until(() => deliveries.counts.inFlight === 0)
})
