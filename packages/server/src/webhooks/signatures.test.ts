import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { deliveriesTo, ended, finishOne, makeDue, story } from '@mediamill/lab/support/deliveries'
import { until } from '@mediamill/lab/support/process'
import { startReceiver } from '@mediamill/lab/support/receiver'
import { openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { Webhook } from 'standardwebhooks'
import { rollWebhookSecret } from '../accounts/webhook-secret.ts'

const { sql } = await sharedDatabase()

test('for 24 h after a roll of the webhook secret, the service sends two signatures, newest first; a second roll invalidates the oldest secret [webhooks.signature.4]', async () => {
  await using receiver = await startReceiver(204)
  const account = await openAccount(sql)
  const day = 24 * 3_600_000
  const posted = async () => {
    const id = await finishOne(sql, account.id, receiver.url())
    await using _deliveries = await deliveriesTo(sql, [receiver.host])
    await ended(sql, id)
    const one = receiver.received.find(({ headers }) => headers['webhook-id'] === id)
    assert.ok(one)
    const header = String(one.headers['service-signature'])
    assert.match(header, /^t=\d+(,v1=[0-9a-f]{64})+$/)
    const isSignedWith = (secret: string) => {
      const headers = { ...one.headers } as Record<string, string>
      try {
        return new Webhook(secret).verify(one.raw.toString(), headers) !== undefined
      } catch {
        return false
      }
    }
    const [time = '', newest = ''] = header.split(',')
    const isFirst = (secret: string) =>
      newest ===
      `v1=${createHmac('sha256', secret)
        .update(`${time.slice(2)}.`)
        .update(one.raw)
        .digest('hex')}`
    return { values: header.split(',').length - 1, isSignedWith, isFirst }
  }
  const [first, second] = [account.webhookSecret, await rollWebhookSecret(sql, SECRET_KEY, account.id, day)]
  const during = await posted()
  assert.deepEqual([during.values, during.isSignedWith(first), during.isSignedWith(second ?? '')], [2, true, true])
  assert.deepEqual([during.isFirst(first), during.isFirst(second ?? '')], [false, true])
  const third = await rollWebhookSecret(sql, SECRET_KEY, account.id, day)
  const again = await posted()
  assert.deepEqual(
    [again.values, again.isSignedWith(first), again.isSignedWith(second ?? ''), again.isSignedWith(third ?? '')],
    [2, false, true, true],
  )
  assert.equal(again.isFirst(third ?? ''), true)
  await sql`update webhook_secrets set expires_at = now() where account_id = ${account.id} and expires_at is not null`
  const later = await posted()
  assert.deepEqual([later.values, later.isSignedWith(second ?? ''), later.isSignedWith(third ?? '')], [1, false, true])
})

test('concurrent secret rolls leave at most two valid secrets, and one of them has no expiry', async () => {
  const account = await openAccount(sql)
  await Promise.all(Array.from({ length: 8 }, () => rollWebhookSecret(sql, SECRET_KEY, account.id, 60_000)))
  const rows = await sql`
    select expires_at is null as forever from webhook_secrets
    where account_id = ${account.id} and (expires_at is null or expires_at > now()) order by id desc`
  assert.deepEqual(
    rows.map((row) => row['forever']),
    [true, false],
  )
})

test('if SECRET_KEY cannot decrypt the stored webhook secret, no event is posted and no attempt counts', async () => {
  await using receiver = await startReceiver(204)
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, receiver.url())
  {
    await using deliveries = await deliveriesTo(sql, [receiver.host], {
      secretKey: 'not the key that sealed these secrets',
    })
    await until(() => deliveries.counts.repeated > 0)
    assert.deepEqual([deliveries.counts.repeated, deliveries.counts.inFlight], [1, 0])
  }
  assert.deepEqual([(await story(sql, id)).event.attempts, receiver.received.length], [0, 0])
  await makeDue(sql, id)
  await using _deliveries = await deliveriesTo(sql, [receiver.host])
  assert.equal((await ended(sql, id)).event.status, 'delivered')
})

test('without a webhook secret, no event is posted, and the events are kept', async () => {
  await using receiver = await startReceiver(204)
  const account = await openAccount(sql)
  const id = await finishOne(sql, account.id, receiver.url())
  await sql`update webhook_secrets set expires_at = now() where account_id = ${account.id}`
  {
    await using deliveries = await deliveriesTo(sql, [receiver.host])
    await until(() => deliveries.counts.repeated === 1)
  }
  assert.deepEqual([(await story(sql, id)).event.attempts, receiver.received.length], [0, 0])
})
