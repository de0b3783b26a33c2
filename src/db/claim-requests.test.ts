import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '../../test/support/database.ts'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '../../test/support/line.ts'
import { endpointNamed } from '../endpoints/index.ts'
import { accept } from '../requests/accept.ts'
import { claim } from '../requests/claim.ts'
import { settle } from '../requests/settle.ts'
import { isWorkWaiting } from './claim-requests.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

test('work waits while a request is queued in one of the lanes, and no longer once a worker holds it', async () => {
  const account = await openAccount(sql)
  assert.equal(await isWorkWaiting(sql, ['image', 'document', 'video']), false)
  await accept(sql, acceptable(account.id, { endpoint: endpointNamed('documents/read') }))
  assert.equal(await isWorkWaiting(sql, ['image', 'video']), false)
  assert.equal(await isWorkWaiting(sql, ['image', 'document']), true)
  const taken = await claim(sql, await aliveWorker(sql), 'document', [])
  assert.ok(taken)
  assert.equal(await isWorkWaiting(sql, ['image', 'document', 'video']), false, 'it is in hand')
  await settle(sql, taken.held, succeeded(0, 'documents/read'), RETENTION_MS)
  assert.equal(await isWorkWaiting(sql, ['image', 'document', 'video']), false, 'it has ended')
})
