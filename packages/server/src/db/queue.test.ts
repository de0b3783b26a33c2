import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount } from '@mediamill/lab/support/request-rows'
import { accept } from '../requests/accept.ts'
import { claim } from '../requests/claim.ts'
import { listRunning } from './queue.ts'

const { sql } = await sharedDatabase()

test('the queue page lists requests in progress by the time when their processing started', async () => {
  const account = await openAccount(sql)
  const worker = await aliveWorker(sql)
  const ids: number[] = []
  for (let nth = 0; nth < 3; nth += 1) {
    await accept(sql, acceptable(account.id))
    ids.push((await claim(sql, worker, 'image', []))?.request.id ?? assert.fail())
  }
  const [first, second, third] = ids
  await accept(sql, acceptable(account.id))
  await sql`update requests set started_at = now() - interval '1 minute' where id = ${second ?? 0}`
  await sql`update requests set started_at = now() - interval '30 seconds' where id = ${third ?? 0}`
  const running = async (limit: number) => (await listRunning(sql, limit)).map(({ id }) => id)
  assert.deepEqual(await running(10), [second, third, first])
  assert.deepEqual(await running(2), [second, third])
})
