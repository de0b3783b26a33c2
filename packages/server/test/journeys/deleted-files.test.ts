import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quarters } from '@mediamill/lab/support/images'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'

const sources = await sharedSourceServer({ '/photo.png': await quarters(40, 30) })
const service = await sharedService({ allowed: [sources.host] })
const { call, finish, sql } = service
const body = { source: sources.url('/photo.png'), operations: [{ type: 'grayscale' }] }

test('if a restored database assigns the id of a lost request to a new request, the result link of the lost request returns 410 and is rejected as a source [results.links.3, sources.own_results.1]', async () => {
  const request = await finish('/v1/images/process', body)
  const link = request.result.files[0].url
  // After a failover or a restore, the database can assign the same id to another request.
  await sql`update requests set deleted_at = deleted_at + interval '1 hour' where id = ${request.id}`
  const { status, body: response } = await call('GET', link)
  assert.deepEqual([status, response.error.code], [410, 'result_expired'])
  const { body: current } = await call('GET', `/v1/requests/${request.id}`)
  assert.equal((await call('GET', current.result.files[0].url)).status, 302)
  const read = await call('POST', '/v1/images/read', { body: { source: link } })
  assert.notEqual(read.status, 202)
})
