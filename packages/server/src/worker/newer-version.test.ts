import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { workOf } from '@mediamill/contract/endpoints/work'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { accept } from '../requests/accept.ts'
import { find } from '../requests/find.ts'
import { present } from '../requests/present.ts'
import { settle } from '../requests/settle.ts'
import { deriveLinkKeys } from '../store/link.ts'
import { createLog } from '../telemetry/log.ts'
import { startRequestLoop } from './request-loop.ts'

const { sql } = await sharedDatabase()

test('workers of an older version skip a request that only a newer version supports, and do not count an attempt', async () => {
  const account = await openAccount(sql)
  const endpoint = await accept(sql, acceptable(account.id))
  await sql`update requests set endpoint = 'images/upscale' where id = ${endpoint.id}`
  const operation = await accept(sql, acceptable(account.id, { input: { operations: [{ type: 'vectorize' }] } }))
  const field = { operations: [{ type: 'flip', depth: 3 }] }
  const parameter = await accept(sql, acceptable(account.id, { input: field }))
  const ours = await accept(sql, acceptable(account.id))
  const claims: RequestId[] = []
  let settled = Promise.withResolvers<RequestId>()
  const worker = await startRequestLoop({
    sql,
    notices: sql,
    lanes: [{ lane: 'image', slots: 8, hasDiskSpace: () => true }],
    retentionMs: RETENTION_MS,
    async work({ request, lease }) {
      claims.push(request.id)
      workOf(request)
      await settle(sql, lease, succeeded(), RETENTION_MS)
      settled.resolve(request.id)
    },
    log: createLog('silent', 'test'),
    restMs: 1,
  })
  assert.equal(await settled.promise, ours.id)
  // In each round, the worker first tries the requests of the newer version again, and then claims this request.
  for (let round = 0; round < 4; round += 1) {
    settled = Promise.withResolvers()
    const next = await accept(sql, acceptable(account.id))
    assert.equal(await settled.promise, next.id)
  }
  const timesClaimed = (id: RequestId) => claims.filter((claimed) => claimed === id).length
  assert.equal(timesClaimed(endpoint.id), 0)
  // A claim that started before the request was skipped can return the request a second time.
  for (const { id } of [operation, parameter]) assert.ok([1, 2].includes(timesClaimed(id)), String(timesClaimed(id)))
  await worker.stop(1_000)
  const rows = await sql`select attempt, worker_id, completed_at from requests where id < ${ours.id} order by id`
  for (const row of rows) assert.deepEqual({ ...row }, { attempt: 0, worker_id: null, completed_at: null })
  const links = { keys: deriveLinkKeys(['a secret']), baseUrl: 'https://example.com' }
  assert.equal(present(await find(sql, account.id, endpoint.id), links).endpoint, 'images/upscale')
})

test('a worker skips a request for an endpoint that its version lacks, but not a request with a value above a limit of its version', () => {
  const input = { operations: [{ type: 'compress', quality: 1000 }] }
  assert.throws(() => workOf({ endpoint: 'images/process', input }), { name: 'ZodError' })
  assert.throws(() => workOf({ endpoint: 'images/upscale', input: {} }), { name: 'UnsupportedWork' })
})
