import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '@mediamill/contract/domain/ids'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import { countRowsRead } from '@mediamill/lab/support/rows-read'
import type { RequestScope } from '../accounts/restrictions.ts'
import { listRequests } from '../db/requests.ts'
import { accept } from './accept.ts'
import { findInScope, listRequestPage } from './find.ts'

const { sql } = await sharedDatabase()

test('a request can be read only by its own account, in the mode and with the key of the scope [auth.scope.2]', async () => {
  const [owner, stranger] = [await openAccount(sql), await openAccount(sql)]
  const { id } = await accept(sql, acceptable(owner.id))
  const read = async (account: { id: AccountId }, scope: Partial<RequestScope> = {}) =>
    (await findInScope(sql, { account, onlyLivemode: null, onlyKeyId: null, ...scope }, `${id}`))?.id
  assert.deepEqual([await read(owner), await read(stranger)], [id, undefined])
  assert.deepEqual(
    [await read(owner, { onlyLivemode: true }), await read(owner, { onlyLivemode: false })],
    [id, undefined],
  )
  assert.equal(await read(owner, { onlyKeyId: 1 }), undefined)
})

test('a page deep in a long list of requests is read without reading the rows of newer requests', async () => {
  const account = await openAccount(sql)
  const first = await accept(sql, acceptable(account.id))
  await sql`
    insert into requests (account_id, livemode, endpoint, lane, status, source, input, turn, completed_at)
    select account_id, livemode, endpoint, lane, 'aborted', source, input, turn, now()
    from requests, generate_series(1, 5000) where id = ${first.id}`
  await sql`vacuum analyze requests`
  const before = first.id + 21
  const page = await listRequestPage(sql, account.id, { before, limit: 20 })
  assert.deepEqual(
    page.requests.map(({ id }) => id),
    Array.from({ length: 20 }, (_, index) => before - 1 - index),
  )
  assert.equal(page.hasMore, true)
  const read = await countRowsRead(sql, (tx) => listRequests(tx, account.id, { before, limit: 21 }))
  assert.equal(read, 21)
})
