import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { microUsd, times } from '@mediamill/contract/domain/money'
import { endpointNamed } from '@mediamill/contract/endpoints/index'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { naming } from '@mediamill/lab/support/message'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { createKey } from '../accounts/create-key.ts'
import type { RestrictedKey } from '../accounts/restrictions.ts'
import { findAccount } from '../db/accounts/accounts.ts'
import { listDifferences, listMischarged } from '../db/accounts/ledger.ts'
import { accept } from './accept.ts'
import type { Claim } from './claim.ts'
import { claim } from './claim.ts'
import { createIncreaseHold } from './increase-hold.ts'
import { settle } from './settle.ts'

const { sql } = await sharedDatabase()

const PDF = endpointNamed('documents/process')

async function accountWith(credit: number) {
  const { id } = await openAccount(sql)
  await sql`insert into ledger (account_id, kind, amount) values (${id}, 'adjustment', ${credit - 1_000_000})`
  await sql`update accounts set balance = ${credit} where id = ${id}`
  return id
}

async function claimAll(accountId: number, count: number, restricted?: RestrictedKey): Promise<Claim[]> {
  const ids = new Set<number>()
  for (let nth = 0; nth < count; nth += 1) {
    ids.add((await accept(sql, acceptable(accountId, { endpoint: PDF, restricted }))).id)
  }
  const claims: Claim[] = []
  while (claims.length < count) {
    const taken = await claim(sql, await aliveWorker(sql), 'document', [])
    assert.ok(taken)
    if (ids.has(taken.request.id)) claims.push(taken)
  }
  return claims
}

test('if expensive requests of an account end together on several workers, exactly one request overdraws the balance, and the others fail free of charge [billing.holds.2]', async () => {
  const price = times(PDF.price, 14)
  for (let round = 0; round < 10; round += 1) {
    const accountId = await accountWith(24_000)
    const claims = await claimAll(accountId, 6)
    const ends = await Promise.all(
      claims.map(async (taken) => {
        try {
          await createIncreaseHold(sql, taken)(price)
        } catch (error) {
          assert.ok(error instanceof RequestFailure)
          assert.equal(error.code, 'processing_failed')
          assert.match(
            error.message,
            /^The request costs \$0\.056, but only \$0\.0\d+ of credit is left\. Buy credit and send the request again\./,
          )
          const failure = { code: error.code, message: error.message }
          await settle(sql, taken.lease, { status: 'failed', error: failure, sourceBytes: 0 }, RETENTION_MS)
          return 'failed'
        }
        await settle(sql, taken.lease, succeeded(price), RETENTION_MS)
        return 'succeeded'
      }),
    )
    assert.equal(ends.filter((end) => end === 'succeeded').length, 1)
    const row = await findAccount(sql, accountId)
    assert.deepEqual([row?.balance, row?.held], [24_000 - price, 0])
  }
  assert.deepEqual(await listDifferences(sql), [])
  assert.deepEqual(await listMischarged(sql), [])
})

test('all requests that the credit covers succeed, to the last millionth of a dollar [billing.holds.2]', async () => {
  const accountId = await accountWith(48_000)
  const claims = await claimAll(accountId, 3)
  await Promise.all(claims.map((taken) => createIncreaseHold(sql, taken)(microUsd(16_000))))
  assert.equal((await findAccount(sql, accountId))?.held, 48_000)
  for (const taken of claims) await settle(sql, taken.lease, succeeded(16_000), RETENTION_MS)
  assert.equal((await findAccount(sql, accountId))?.balance, 0)
})

test('only the request that has already overdrawn the credit can increase its hold further [billing.holds.2]', async () => {
  const accountId = await accountWith(24_000)
  const [first, second] = await claimAll(accountId, 2)
  assert.ok(first && second)
  const grow = createIncreaseHold(sql, first)
  await grow(microUsd(40_000))
  await grow(microUsd(56_000))
  await assert.rejects(createIncreaseHold(sql, second)(microUsd(8_000)), {
    code: 'processing_failed',
    message: naming('costs $0.008', '$0.00 of credit', 'Buy credit'),
  })
  await settle(sql, first.lease, succeeded(56_000), RETENTION_MS)
  await assert.rejects(createIncreaseHold(sql, second)(microUsd(8_000)), { code: 'processing_failed' })
  assert.deepEqual(await listDifferences(sql), [])
})

test('a worker that has lost its attempt cannot raise the hold of the next attempt', async () => {
  const accountId = await accountWith(24_000)
  const [lost] = await claimAll(accountId, 1)
  assert.ok(lost)
  await sql`update requests set attempt = attempt + 1 where id = ${lost.request.id}`
  await createIncreaseHold(sql, lost)(microUsd(8_000))
  assert.equal((await findAccount(sql, accountId))?.held, PDF.price)
})

test('an error for a create_only key hides the remaining credit, because all visitors of a web page share the key [auth.restricted.11]', async () => {
  const accountId = await accountWith(24_000)
  const restrictions = { create_only: true }
  const made = await createKey(sql, accountId, { name: 'page', mode: 'live', restrictions })
  assert.ok(made)
  const [first, second] = await claimAll(accountId, 2, { id: made.row.id, restrictions })
  assert.ok(first && second)
  await createIncreaseHold(sql, first)(microUsd(40_000))
  await assert.rejects(createIncreaseHold(sql, second)(microUsd(8_000)), {
    code: 'processing_failed',
    message: /costs \$0\.008[^$]*Buy credit[^$]*$/,
  })
})

test('a completed request is charged the price from the time of its acceptance, even if the price changes later [billing.charges.2]', async () => {
  const yesterday = { ...PDF, price: microUsd(4_000) }
  const accountId = await accountWith(1_000_000)
  const { id } = await accept(sql, acceptable(accountId, { endpoint: yesterday }))
  const today = { ...PDF, price: microUsd(9_000) }
  await accept(sql, acceptable(accountId, { endpoint: today }))
  const worker = await aliveWorker(sql)
  const older = await claim(sql, worker, 'document', [])
  const newer = await claim(sql, worker, 'document', [])
  assert.deepEqual([older?.request.id, older?.unitPrice, newer?.unitPrice], [id, 4_000, 9_000])
})
