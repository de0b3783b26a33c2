import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { finishOne, LINKS } from '@mediamill/lab/support/deliveries'
import type { Receiver } from '@mediamill/lab/support/receiver'
import { startReceiver } from '@mediamill/lab/support/receiver'
import {
  acceptable,
  aliveWorker,
  failed,
  openAccount,
  RETENTION_MS,
  SECRET_KEY,
} from '@mediamill/lab/support/request-rows'
import { Webhook } from 'standardwebhooks'
import { parseAllowedHosts } from '../outbound/guard/allowed-hosts.ts'
import { accept } from '../requests/accept.ts'
import { claim } from '../requests/claim.ts'
import { settle } from '../requests/settle.ts'
import type { Follower, Forwarded } from './follow.ts'
import { startFollowing } from './follow.ts'

const { sql } = await sharedDatabase()

const follow = (accountId: number, receiver: Receiver) =>
  startFollowing({
    sql,
    secretKey: SECRET_KEY,
    links: LINKS,
    accountId,
    url: receiver.url('/local'),
    network: { allowedHosts: parseAllowedHosts(receiver.host) },
  })

const look = async (follower: Follower): Promise<Forwarded[]> =>
  await Array.fromAsync(follower.poll(new AbortController().signal))

const idsOf = (posted: readonly Forwarded[]) => posted.map(({ eventId }) => eventId)

test('the listen command posts each new event of one account once, in order and signed, in addition to normal deliveries', async () => {
  await using receiver = await startReceiver(204)
  const [account, other] = [await openAccount(sql), await openAccount(sql)]
  await finishOne(sql, account.id, null)
  const follower = await follow(account.id, receiver)
  assert.deepEqual(await look(follower), [])
  const ids = [
    await finishOne(sql, account.id, null),
    await finishOne(sql, account.id, 'https://example.com/elsewhere', failed()),
  ]
  await finishOne(sql, other.id, null)
  const posted = await look(follower)
  assert.deepEqual(idsOf(posted), ids)
  assert.deepEqual(
    posted.map(({ type }) => type),
    ['request.succeeded', 'request.failed'],
  )
  assert.deepEqual(await look(follower), [], 'none of them twice')
  const third = await finishOne(sql, account.id, null)
  assert.deepEqual(idsOf(await look(follower)), [third])
  assert.deepEqual(await look(follower), [])
  assert.equal(receiver.received.length, 3)
  for (const { raw, headers, path } of receiver.received) {
    assert.deepEqual([path, headers['service-delivery-attempt']], ['/local', '1'])
    new Webhook(account.webhookSecret).verify(raw.toString(), headers as Record<string, string>)
  }
})

test('the listen command posts an event even if it was committed after a newer event was posted', async () => {
  await using receiver = await startReceiver(204)
  const account = await openAccount(sql)
  const slow = await accept(sql, acceptable(account.id))
  const claimed = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(claimed?.request.id === slow.id)
  const follower = await follow(account.id, receiver)
  await sql.begin(async (tx) => {
    // The timestamp of an event is the start of its transaction. This statement makes the transaction start now.
    await tx`select now()`
    const young = await finishOne(sql, account.id, null)
    assert.deepEqual(idsOf(await look(follower)), [young])
    await settle(tx as never, claimed.lease, failed(), RETENTION_MS)
  })
  const late = await look(follower)
  assert.deepEqual(
    late.map(({ requestId }) => requestId),
    [slow.id],
  )
  assert.deepEqual(await look(follower), [])
})

test('the listen command posts an event once even if its transaction began long before the command started', async () => {
  await using receiver = await startReceiver(204)
  const account = await openAccount(sql)
  const follower = await follow(account.id, receiver)
  const ids = [await finishOne(sql, account.id, null), await finishOne(sql, account.id, null)]
  await sql`update events set created_at = created_at - interval '1 minute' where id = ${ids[1] ?? ''}`
  assert.deepEqual(idsOf(await look(follower)), ids)
  assert.deepEqual(await look(follower), [])
})

test('the listen command reports a response other than 2xx, and does not post the event again', async () => {
  await using receiver = await startReceiver(500)
  const account = await openAccount(sql)
  const follower = await follow(account.id, receiver)
  await finishOne(sql, account.id, null)
  const [rejected] = await look(follower)
  assert.ok(rejected?.outcome.ok === true && rejected.outcome.status === 500, JSON.stringify(rejected))
  assert.deepEqual(await look(follower), [])
  const [row] = await sql`select status from events where id = ${rejected.eventId}`
  assert.equal(row?.['status'], 'unaddressed', 'nothing is changed in the database')
})
