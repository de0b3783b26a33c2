import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { raiseRefunded } from './stripe.ts'

const { sql } = await sharedDatabase()

test('raising the refunded total of a Stripe charge returns only the increase, and 0 for an older, smaller total [console.payments.1]', async () => {
  const { id: accountId } = await openAccount(sql)
  const reported: number[] = []
  for (const refunded of [500, 500, 300, 1_200])
    reported.push(await raiseRefunded(sql, { id: 'ch_1', accountId, refunded }))
  assert.deepEqual(reported, [500, 0, 0, 700])
  assert.equal(await raiseRefunded(sql, { id: 'ch_2', accountId, refunded: 40 }), 40, 'another charge')
})
