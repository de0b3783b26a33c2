import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { deliveriesTo, ended, eventOf, finishOne, LINKS, makeDue, story } from '@mediamill/lab/support/deliveries'
import { until } from '@mediamill/lab/support/process'
import { startReceiver } from '@mediamill/lab/support/receiver'
import { acceptable, failed, openAccount, succeeded } from '@mediamill/lab/support/request-rows'
import { Webhook } from 'standardwebhooks'
import { updateAccount } from '../db/accounts/accounts.ts'
import { claimEvents } from '../db/events/events.ts'
import { abort } from '../requests/abort.ts'
import { accept } from '../requests/accept.ts'
import { find } from '../requests/find.ts'
import { present } from '../requests/present.ts'
import { createLog } from '../telemetry/log.ts'
import { DEADLINE_MS } from './deliver.ts'
import { eventBody } from './event.ts'

const { sql } = await sharedDatabase()

const QUICK = [20, 20, 20] as const
const claiming = { limit: 10, share: 10, inFlight: new Map<number, number>(), leaseMs: 30_000 }

test('a delivery loop posts each outcome once, with type, id, time, the whole request, and a signature of the posted bytes [events.emission.1, webhooks.signature.1]', async () => {
  await using receiver = await startReceiver(204)
  const account = await openAccount(sql)
  const ids = [
    await finishOne(sql, account.id, receiver.url('/hook?a=1'), succeeded()),
    await finishOne(sql, account.id, receiver.url('/hook?a=1'), failed()),
  ]
  const aborted = await accept(sql, acceptable(account.id, { webhookUrl: receiver.url('/hook?a=1') }))
  await abort(sql, account.id, aborted.id)
  ids.push(await eventOf(sql, aborted.id))
  await using _deliveries = await deliveriesTo(sql, [receiver.host])
  for (const id of ids) assert.equal((await ended(sql, id)).event.status, 'delivered')
  assert.equal(receiver.received.length, 3)
  for (const [index, type] of ['request.succeeded', 'request.failed', 'request.aborted'].entries()) {
    const id = ids[index] ?? ''
    const { event } = await story(sql, id)
    const one = receiver.received.find(({ headers }) => headers['service-event-id'] === id)
    assert.ok(one)
    const body = JSON.parse(one.raw.toString())
    const request = await find(sql, account.id, body.data.id)
    assert.deepEqual(body, {
      id,
      object: 'event',
      type,
      created: Math.floor(event.createdAt.getTime() / 1000),
      data: JSON.parse(JSON.stringify(present(request, LINKS))),
    })
    assert.equal(one.path, '/hook?a=1')
    const { headers } = one
    assert.deepEqual(
      [
        one.method,
        headers['content-type'],
        headers['user-agent'],
        headers['service-event-type'],
        headers['service-delivery-attempt'],
        headers['webhook-id'],
      ],
      ['POST', 'application/json; charset=utf-8', 'Mediamill-Webhooks/1.0', type, '1', id],
    )
    assert.match(String(headers['service-signature']), /^t=\d{10},v1=[0-9a-f]{64}$/)
    assert.deepEqual(
      new Webhook(account.webhookSecret).verify(one.raw.toString(), headers as Record<string, string>),
      body,
    )
    assert.throws(() =>
      new Webhook(account.webhookSecret).verify(`${one.raw.toString()} `, headers as Record<string, string>),
    )
  }
})

test("the request's webhook_url overrides the account's webhook URL; without both, no event is posted [events.emission.2]", async () => {
  await using receiver = await startReceiver(200)
  const account = await openAccount(sql)
  const nowhere = await finishOne(sql, account.id, null)
  await updateAccount(sql, account.id, { webhookUrl: receiver.url('/of-the-account') })
  const ids = [
    await finishOne(sql, account.id, null),
    await finishOne(sql, account.id, receiver.url('/of-the-request')),
  ]
  await using _deliveries = await deliveriesTo(sql, [receiver.host])
  for (const id of ids) await ended(sql, id)
  const paths = ids.map((id) => receiver.received.find(({ headers }) => headers['webhook-id'] === id)?.path)
  assert.deepEqual(paths, ['/of-the-account', '/of-the-request'])
  assert.equal(receiver.received.length, 2)
  const { event, attempts } = await story(sql, nowhere)
  assert.deepEqual([event.status, event.dueAt, attempts.length], ['unaddressed', null, 0])
})

test('only a 2xx response counts as delivered, and redirects are not followed [webhooks.deliveries.2]', async () => {
  await using receiver = await startReceiver((one, response) => {
    const status = Number(one.path.slice(1))
    response.writeHead(status, status < 400 && status >= 300 ? { location: '/200' } : {}).end()
  })
  const account = await openAccount(sql)
  const statuses = [200, 201, 204, 299, 300, 301, 307, 308, 304, 400, 404, 410, 429, 500, 503]
  const ids: string[] = []
  for (const status of statuses) ids.push(await finishOne(sql, account.id, receiver.url(`/${status}`)))
  await using _deliveries = await deliveriesTo(sql, [receiver.host], { gapsMs: [] })
  for (const [index, status] of statuses.entries()) {
    const { event, attempts } = await ended(sql, ids[index] ?? '')
    assert.equal(event.status, status < 300 ? 'delivered' : 'undelivered', String(status))
    assert.deepEqual(
      attempts.map((attempt) => attempt.status),
      [status],
    )
  }
  assert.equal(receiver.received.length, statuses.length)
})

test('four attempts to deliver an event post the same id and bytes with different times and signatures; after the fourth attempt, the event is undelivered [events.object.1, webhooks.deliveries.4, webhooks.signature.3]', async () => {
  await using receiver = await startReceiver(500)
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, receiver.url())
  // The first pause is longer than a second, so that the second attempt has another timestamp `t` in its signature.
  await using deliveries = await deliveriesTo(sql, [receiver.host], { gapsMs: [1200, 20, 20] })
  const { event, attempts } = await ended(sql, id)
  assert.deepEqual([event.status, event.attempts, event.dueAt], ['undelivered', 4, null])
  assert.deepEqual(
    attempts.map(({ number }) => number),
    [1, 2, 3, 4],
  )
  const { received } = receiver
  assert.deepEqual(
    received.map(({ headers }) => headers['service-delivery-attempt']),
    ['1', '2', '3', '4'],
  )
  assert.deepEqual(new Set(received.map(({ headers }) => headers['service-event-id'])), new Set([id]))
  assert.ok(received.every(({ raw }) => raw.equals(received[0]?.raw ?? Buffer.alloc(0))))
  for (const { raw, headers, at } of received) {
    new Webhook(account.webhookSecret).verify(raw.toString(), headers as Record<string, string>)
    assert.ok(Math.abs(Number(headers['webhook-timestamp']) - at / 1000) < 1.1)
  }
  assert.ok(Number(received[1]?.headers['webhook-timestamp']) > Number(received[0]?.headers['webhook-timestamp']))
  assert.deepEqual([deliveries.counts.retried, deliveries.counts.undelivered, deliveries.counts.inFlight], [3, 1, 0])
})

test('a webhook attempt has a timeout of 10 s, and the next attempt is due 4, 5, and 7 s after its end, ±10 % [webhooks.deliveries.2, webhooks.deliveries.3]', async () => {
  assert.equal(DEADLINE_MS, 10_000)
  await using receiver = await startReceiver(500)
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, receiver.url())
  await using deliveries = await deliveriesTo(sql, [receiver.host])
  for (const [index, gap] of [4, 5, 7].entries()) {
    await until(async () => (await story(sql, id)).attempts.length === index + 1)
    const { event, attempts } = await story(sql, id)
    const last = attempts.at(-1)
    const waits = (event.dueAt?.getTime() ?? 0) - (last?.startedAt.getTime() ?? 0) - (last?.durationMs ?? 0)
    assert.ok(waits >= gap * 900 && waits <= gap * 1100 + 250, `attempt ${index + 2} is due after ${waits} ms`)
    assert.equal(receiver.received.length, index + 1)
    await makeDue(sql, id)
    deliveries.wake()
  }
  assert.equal((await ended(sql, id)).event.status, 'undelivered')
})

test('after a receiver recovers, the next attempt delivers the event, and no further attempt follows [webhooks.deliveries.3]', async () => {
  let calls = 0
  await using receiver = await startReceiver((_one, response) => {
    calls += 1
    response.writeHead(calls < 3 ? 503 : 204).end()
  })
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, receiver.url())
  await using _deliveries = await deliveriesTo(sql, [receiver.host], { gapsMs: QUICK })
  const { event, attempts } = await ended(sql, id)
  assert.deepEqual([event.status, attempts.length, receiver.received.length], ['delivered', 3, 3])
})

test('each attempt stores its time, status, duration, and the first 1 kB of the response, or the reason for a missing response [webhooks.deliveries.5]', async () => {
  await using receiver = await startReceiver((_one, response) =>
    response.writeHead(418).end(`née\n${'x'.repeat(5000)}`),
  )
  await using silent = await startReceiver(() => undefined)
  const account = await openAccount(sql)
  const began = Date.now()
  const attemptOf = async (url: string, options: { deadlineMs?: number } = {}) => {
    const id = await finishOne(sql, account.id, url)
    await using _deliveries = await deliveriesTo(sql, [new URL(url).host], { gapsMs: [], ...options })
    return (await ended(sql, id)).attempts[0]
  }
  const first = await attemptOf(receiver.url())
  assert.equal(first?.status, 418)
  assert.equal(first.answer?.length, 1024)
  assert.ok(first.answer?.toString().startsWith('née\nxxx'))
  assert.equal(first.url, receiver.url())
  assert.ok(first.startedAt.getTime() >= began - 5 && first.startedAt.getTime() <= Date.now() && first.durationMs >= 0)
  const second = await attemptOf(silent.url(), { deadlineMs: 300 })
  assert.deepEqual([second?.status, second?.answer], [null, null])
  assert.match(second?.reason ?? '', /did not respond in time/)
  assert.ok((second?.durationMs ?? 0) >= 299)
  const third = await attemptOf('http://127.0.0.1:9/')
  assert.match(third?.reason ?? '', /did not accept a connection/)
})

test("a delivery loop checks the receiver's address before each attempt, and never connects to an address that has become private [webhooks.deliveries.1]", async () => {
  await using receiver = await startReceiver(500)
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, receiver.url())
  {
    await using _deliveries = await deliveriesTo(sql, [receiver.host])
    await until(async () => (await story(sql, id)).attempts.length === 1)
  }
  assert.equal(receiver.received.length, 1)
  await makeDue(sql, id)
  await using _strict = await deliveriesTo(sql, [], { gapsMs: QUICK })
  const { event, attempts } = await ended(sql, id)
  assert.deepEqual([event.status, attempts.length, receiver.received.length], ['undelivered', 4, 1])
  for (const { status, reason } of attempts.slice(1)) {
    assert.equal(status, null)
    assert.match(reason ?? '', /default port|public internet/)
  }
})

test('quotes, backslashes, and control characters in an event are stored and posted unchanged', async () => {
  await using receiver = await startReceiver(204)
  const account = await openAccount(sql)
  const odd = { order: 'a"b\\c{d},\n\u0001é😀' }
  const request = await accept(sql, acceptable(account.id, { webhookUrl: receiver.url(), metadata: odd }))
  await abort(sql, account.id, request.id)
  const id = await eventOf(sql, request.id)
  const [row] = await claimEvents(sql, claiming)
  await makeDue(sql, id)
  await using _deliveries = await deliveriesTo(sql, [receiver.host])
  const { event } = await ended(sql, id)
  const [one] = receiver.received
  assert.deepEqual(JSON.parse(one?.raw.toString() ?? '').data.metadata, odd)
  assert.ok(event.body?.equals(one?.raw ?? Buffer.alloc(0)))
  assert.ok(row !== undefined && eventBody(row, LINKS).equals(one?.raw ?? Buffer.alloc(0)))
})

test('if the body of an event cannot be built, the error is logged, no attempt is counted, and other events are not delayed', async () => {
  await using receiver = await startReceiver(204)
  const account = await openAccount(sql)
  const odd = await finishOne(sql, account.id, receiver.url('/odd'))
  await sql`update requests set status = 'queued' where id = (select request_id from events where id = ${odd})`
  const fine = await finishOne(sql, account.id, receiver.url('/fine'))
  await makeDue(sql, fine)
  const lines: string[] = []
  const log = createLog('info', 'test', { write: (line: string) => void lines.push(line) })
  await using _deliveries = await deliveriesTo(sql, [receiver.host], { log })
  assert.equal((await ended(sql, fine)).event.status, 'delivered')
  await until(() => lines.some((line) => line.includes('body of an event not built') && line.includes(odd)))
  assert.deepEqual([(await story(sql, odd)).event.attempts, receiver.received.length], [0, 1])
  await sql`update requests set status = 'succeeded' where id = (select request_id from events where id = ${odd})`
  await makeDue(sql, odd)
  assert.deepEqual([(await ended(sql, odd)).event.attempts, receiver.received.length], [1, 2])
})
