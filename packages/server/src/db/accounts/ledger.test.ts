import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { accept } from '../../requests/accept.ts'
import { claim } from '../../requests/claim.ts'
import { settle } from '../../requests/settle.ts'
import { findPurchase, listMischarged } from './ledger.ts'

const { sql } = await sharedDatabase()

/** The number of requests that one statement of `listMischarged` reads. */
const AT_ONCE = 50_000

async function charge(number: number): Promise<void> {
  await sql`select setval(pg_get_serial_sequence('requests', 'id'), ${number}, false)`
  const { id: accountId } = await openAccount(sql)
  const { id } = await accept(sql, acceptable(accountId))
  assert.equal(id, number)
  const found = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(found)
  await settle(sql, found.lease, succeeded(), RETENTION_MS)
}

test('the ledger check lists each request with a missing or wrong charge, even at the limits of the id ranges that it checks [operator.commands.7]', async () => {
  const numbers = [1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE, 2 * AT_ONCE + 1]
  for (const number of numbers) await charge(number)
  assert.deepEqual(await listMischarged(sql), [], 'each is charged what it costs')
  await sql`delete from ledger where request_id in (1, ${AT_ONCE}, ${AT_ONCE + 1})`
  await sql`update ledger set amount = -1 where request_id in (${2 * AT_ONCE}, ${2 * AT_ONCE + 1})`
  // An adjustment does not count as the charge of a request.
  await sql`
    insert into ledger (account_id, kind, amount, request_id)
    select account_id, 'adjustment', -2000, id from requests where id = 1`
  const missing = (requestId: number) => ({ requestId, price: 2_000, charged: 0 })
  const other = (requestId: number) => ({ requestId, price: 2_000, charged: 1 })
  const expected = [missing(1), missing(AT_ONCE), missing(AT_ONCE + 1), other(2 * AT_ONCE), other(2 * AT_ONCE + 1)]
  assert.deepEqual([...(await listMischarged(sql))], expected)
})

test('the ledger check lists at most the first thousand requests with a wrong charge', async () => {
  const [row] = await sql<{ accountId: number }[]>`select account_id as "accountId" from requests limit 1`
  // The rows are in two id ranges.
  await sql`
    insert into requests (id, account_id, livemode, endpoint, lane, source, input, status, turn, price, completed_at, started_at)
    overriding system value
    select ${3 * AT_ONCE} - 600 + n, ${row?.accountId ?? 0}, true, 'images/read', 'image', 'https://example.com/a', '{}', 'succeeded', now(), 5,
      now(), now()
    from generate_series(1, 1100) n`
  const found = await listMischarged(sql)
  assert.deepEqual([found.length, found[0]?.requestId, found[5]?.requestId], [1000, 1, 3 * AT_ONCE - 599])
})

test('a purchase is found by its reference only in its own account; ledger entries of other kinds are never found [operator.commands.4]', async () => {
  const [one, other, none] = [await openAccount(sql), await openAccount(sql), await openAccount(sql)]
  const book = async ({ id }: { id: number }, kind: string, amount: number) => {
    await sql`insert into ledger (account_id, kind, amount, reference) values (${id}, ${kind}, ${amount}, 'order 7')`
  }
  await book(one, 'purchase', 11)
  await book(other, 'purchase', 22)
  await book(none, 'adjustment', 33)
  assert.equal((await findPurchase(sql, one.id, 'order 7'))?.amount, 11)
  assert.equal((await findPurchase(sql, other.id, 'order 7'))?.amount, 22)
  assert.equal(await findPurchase(sql, none.id, 'order 7'), undefined)
  assert.equal(await findPurchase(sql, one.id, 'order 8'), undefined)
})
