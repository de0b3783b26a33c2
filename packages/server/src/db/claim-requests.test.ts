import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointNamed } from '@mediamill/contract/endpoints/index'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { accept } from '../requests/accept.ts'
import { claim } from '../requests/claim.ts'
import { settle } from '../requests/settle.ts'
import { isWorkWaiting } from './claim-requests.ts'
import { listExhaustedRequests, requeueUnknown } from './requeue-requests.ts'

const { sql } = await sharedDatabase()

test('the query for waiting work returns true only while an unclaimed request is queued in one of the given lanes', async () => {
  const account = await openAccount(sql)
  assert.equal(await isWorkWaiting(sql, ['image', 'document', 'video']), false)
  await accept(sql, acceptable(account.id, { endpoint: endpointNamed('documents/read') }))
  assert.equal(await isWorkWaiting(sql, ['image', 'video']), false)
  assert.equal(await isWorkWaiting(sql, ['image', 'document']), true)
  const taken = await claim(sql, await aliveWorker(sql), 'document', [])
  assert.ok(taken)
  assert.equal(await isWorkWaiting(sql, ['image', 'document', 'video']), false, 'it is in hand')
  await settle(sql, taken.lease, succeeded(0, 'documents/read'), RETENTION_MS)
  assert.equal(await isWorkWaiting(sql, ['image', 'document', 'video']), false, 'it has ended')
})

test('a request counts as exhausted only if its worker died during the last attempt of the request [requests.states.4]', async () => {
  const account = await openAccount(sql)
  const [lost, alive] = [await aliveWorker(sql), await aliveWorker(sql)]
  const claimedIds: number[] = []
  for (const worker of [lost, lost, alive]) {
    await accept(sql, acceptable(account.id))
    claimedIds.push((await claim(sql, worker, 'image', []))?.lease.id ?? assert.fail())
  }
  const [last, early, kept] = claimedIds as [number, number, number]
  await sql`update requests set attempt = 3 where id in (${last}, ${kept})`
  await sql`update requests set attempt = 2 where id = ${early}`
  await sql`update workers set seen_at = now() - interval '1 minute' where id = ${lost}`
  assert.deepEqual([...(await listExhaustedRequests(sql, 3))], [{ id: last, workerId: lost, attempt: 3 }])
})

test("a worker's heartbeat requeues open requests of this worker that the worker no longer lists [requests.states.4]", async () => {
  const account = await openAccount(sql)
  const [worker, other] = [await aliveWorker(sql), await aliveWorker(sql)]
  const claimedIds: number[] = []
  for (const by of [worker, worker, worker, other]) {
    await accept(sql, acceptable(account.id))
    const taken = (await claim(sql, by, 'image', [])) ?? assert.fail()
    claimedIds.push(taken.request.id)
    if (claimedIds.length === 3) await settle(sql, taken.lease, succeeded(), RETENTION_MS)
  }
  const [known, unknown] = claimedIds as [number, number]
  assert.deepEqual(await requeueUnknown(sql, worker, [known]), [unknown])
  assert.deepEqual(await requeueUnknown(sql, worker, [known]), [])
  const again = await claim(sql, other, 'image', [])
  assert.deepEqual([again?.request.id, again?.lease.attempt], [unknown, 2])
})
