import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linuxOnly, startCrashingDatabase } from '@mediamill/lab/support/crashing-database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { shared } from '@mediamill/lab/support/shared'
import { isAway } from '../db/connection/errors.ts'
import { abort } from './abort.ts'
import { accept } from './accept.ts'
import { claim } from './claim.ts'
import { find } from './find.ts'
import { createFlush } from './flush.ts'
import { settle } from './settle.ts'

const database = shared(await startCrashingDatabase())
const { sql, ordinary, andCrash } = database
const flush = createFlush(ordinary)

test('a request is reported as durable only if it survives a database crash', linuxOnly, async () => {
  const account = await openAccount(sql)
  const kept = await accept(sql, acceptable(account.id))
  await flush(kept)
  const lost = await andCrash(() => accept(sql, acceptable(account.id)))
  await assert.rejects(flush(lost), (error) => isAway(error) && /lost/.test(error.message))
  await flush(kept)
  await assert.rejects(find(sql, account.id, lost.id), { code: 'request_not_found' })
})

test('an abort that a database crash could still undo is not reported as durable', linuxOnly, async () => {
  const account = await openAccount(sql)
  const request = await accept(sql, acceptable(account.id))
  await flush(request)
  const aborted = await andCrash(() => abort(sql, account.id, request.id))
  await assert.rejects(flush(aborted), /lost/)
  assert.equal((await find(sql, account.id, request.id)).status, 'queued')
})

test(
  'a worker whose claim was lost in a database crash cannot complete the request, which is claimed again [requests.states.4]',
  linuxOnly,
  async () => {
    await ordinary`update requests set completed_at = now(), status = 'aborted' where completed_at is null`
    const account = await openAccount(sql)
    const request = await accept(sql, acceptable(account.id))
    await flush(request)
    const [first, second] = [await aliveWorker(ordinary), await aliveWorker(ordinary)]
    // A claim is not flushed to disk, even on a connection that flushes by default.
    const lost = await andCrash(() => claim(ordinary, first, 'image', []))
    assert.equal(lost?.request.id, request.id)
    assert.equal((await find(sql, account.id, request.id)).status, 'queued')
    const again = await claim(ordinary, second, 'image', [])
    assert.deepEqual([again?.request.id, again?.lease.attempt], [request.id, 1])
    assert.equal(await settle(ordinary, lost.lease, succeeded(), RETENTION_MS), undefined)
    assert.ok(again && (await settle(ordinary, again.lease, succeeded(), RETENTION_MS)))
  },
)

test('concurrent calls share one flush of their commits to disk, and each call gets the result of its own request', async () => {
  const account = await openAccount(sql)
  const requests = await Promise.all(Array.from({ length: 5 }, () => accept(sql, acceptable(account.id))))
  const nobodys = { ...requests[0], id: 999_999 } as (typeof requests)[number]
  const outcomes = await Promise.allSettled([...requests, nobodys].map((request) => flush(request)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    [...requests.map(() => 'fulfilled'), 'rejected'],
  )
})
