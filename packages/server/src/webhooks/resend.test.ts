import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { pileUp } from '@mediamill/lab/support/deliveries'
import { until } from '@mediamill/lab/support/process'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { updateAccount } from '../db/accounts/accounts.ts'
import { listEventPage, listUndelivered } from '../db/events/event-log.ts'
import { listPage } from '../http/list-page.ts'
import { sendNotifications, subscribeToQueue } from '../queue/notifications.ts'
import { findOwnEvent, resendAll, resendOwn } from './resend.ts'

const { sql } = await sharedDatabase()

async function createUndelivered(count: number): Promise<{ accountId: number; ids: string[] }> {
  const { id: accountId } = await openAccount(sql)
  await pileUp(sql, accountId, count, 'https://example.com/')
  await sql`update events set status = 'undelivered', due_at = null where account_id = ${accountId}`
  const rows = await sql<{ id: string }[]>`
    select id from events where account_id = ${accountId} order by request_id desc`
  return { accountId, ids: rows.map(({ id }) => id) }
}

test('the list of undelivered events has the requested number of events, newest first, and reports whether more exist [operator.commands.10]', async () => {
  const { accountId, ids } = await createUndelivered(3)
  const page = async (limit: number, after: string | null = null) => {
    const filter = { accountId, status: null, requestId: null, livemode: null, after }
    const read = (count: number) => listEventPage(sql, { ...filter, limit: count })
    const { data, has_more: hasMore } = await listPage(limit, read, ({ id }) => id)
    return [data, hasMore]
  }
  assert.deepEqual(await page(2), [ids.slice(0, 2), true])
  assert.deepEqual(await page(3), [ids, false])
  assert.deepEqual(await page(2, ids[0]), [ids.slice(1), false])
})

test('the list of undelivered events covers one account or all accounts, with the same limit [operator.commands.10]', async () => {
  const [one, other] = [await createUndelivered(2), await createUndelivered(1)]
  const page = async (accountId: number | null, limit: number) => {
    const read = (count: number) => listUndelivered(sql, { accountId, limit: count })
    const { data, has_more: hasMore } = await listPage(limit, read, ({ id }) => id)
    return { ids: data.toSorted(), hasMore }
  }
  assert.deepEqual(await page(one.accountId, 2), { ids: one.ids.toSorted(), hasMore: false })
  assert.deepEqual((await page(one.accountId, 1)).hasMore, true)
  const all = await page(null, 100)
  assert.ok([...one.ids, ...other.ids].every((id) => all.ids.includes(id)))
})

test('an event is visible only to its own account', async () => {
  const { accountId, ids } = await createUndelivered(1)
  const [id = ''] = ids
  const stranger = await openAccount(sql)
  assert.equal(await findOwnEvent(sql, { accountId: stranger.id, livemode: null }, id), undefined)
  assert.equal(await findOwnEvent(sql, { accountId, livemode: null }, 'evt_none'), undefined)
  assert.equal((await findOwnEvent(sql, { accountId, livemode: null }, id))?.id, id)
})

test('resending events notifies the delivery loops, and a second resend finds no event and notifies no delivery loop', async () => {
  const { accountId, ids } = await createUndelivered(1)
  await updateAccount(sql, accountId, { webhookUrl: 'https://example.com/' })
  let received = 0
  const listening = await subscribeToQueue(sql, 'deliveries', () => void (received += 1))
  // Subscribing calls the listener too, so that it does not miss an earlier notification.
  const before = received
  assert.deepEqual(await resendAll(sql, accountId), { resent: 1, left: false })
  await until(() => received === before + 1)
  const rows = await sql`select id from events where account_id = ${accountId} and due_at is not null`
  assert.deepEqual(
    rows.map((row) => row['id']),
    ids,
  )
  assert.deepEqual(await resendAll(sql, accountId), { resent: 0, left: false })
  // Notifications arrive in their order, so only this notification may have followed the first.
  await sendNotifications(sql, ['queue:deliveries'])
  await until(() => received > before + 1)
  assert.equal(received, before + 2)
  await sql`update events set status = 'undelivered', due_at = null where account_id = ${accountId}`
  const [id = ''] = ids
  assert.equal((await resendOwn(sql, { accountId, livemode: null }, id)).id, id)
  await until(() => received === before + 3)
  await listening.stop()
})
