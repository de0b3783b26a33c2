import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import { abort } from '../requests/abort.ts'
import { accept } from '../requests/accept.ts'
import { listAnyRequests } from './requests.ts'

const { sql } = await sharedDatabase()

test('the list of requests for operators is newest first, for all accounts or one, with all statuses or one [operator.commands.6]', async () => {
  const [one, other] = [await openAccount(sql), await openAccount(sql)]
  const made: RequestId[] = []
  for (const { id } of [one, other, one, other]) made.push((await accept(sql, acceptable(id))).id)
  const [first, second, third, fourth] = made as [RequestId, RequestId, RequestId, RequestId]
  await abort(sql, one.id, third)
  const listed = async (which: Partial<Parameters<typeof listAnyRequests>[1]>) =>
    (await listAnyRequests(sql, { accountId: null, status: null, limit: 10, ...which })).map(({ id }) => id)
  assert.deepEqual(await listed({}), [fourth, third, second, first])
  assert.deepEqual(await listed({ limit: 2 }), [fourth, third])
  assert.deepEqual(await listed({ accountId: one.id }), [third, first])
  assert.deepEqual(await listed({ status: 'queued' }), [fourth, second, first])
  assert.deepEqual(await listed({ accountId: one.id, status: 'aborted' }), [third])
})
