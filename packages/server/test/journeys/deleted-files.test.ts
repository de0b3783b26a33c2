import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { quarters } from '@mediamill/lab/support/images'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { isStoredFile } from '@mediamill/lab/support/stored-files'

const sources = await sharedSourceServer({ '/photo.png': await quarters(40, 30) })
const service = await sharedService({ allowed: [sources.host] })
const { call, finish, sql } = service
const body = { source: sources.url('/photo.png'), operations: [{ type: 'grayscale' }] }

async function storedFiles(): Promise<number> {
  const entries = await readdir(join(service.dataDir, 'results'), { recursive: true, withFileTypes: true })
  return entries.filter(isStoredFile).length
}

test('deleting files makes every link to them return 410 at once, and keeps the request record and the charge [requests.delete_files.2, requests.delete_files.3]', async () => {
  const request = await finish('/v1/images/process', body)
  const link = request.result.files[0].url
  const file = (await call('GET', link)).headers.get('location') ?? ''
  assert.equal((await fetch(file)).status, 200)
  assert.equal(await storedFiles(), 1)

  const deleted = await call('DELETE', `/v1/requests/${request.id}/files`)
  assert.equal(deleted.status, 200)
  assert.equal(await storedFiles(), 0)
  assert.ok(Date.parse(deleted.body.result.deleted_at) <= Date.now())
  const { url, url_expires_at: expires, ...metadata } = deleted.body.result.files[0]
  const { url: _link, url_expires_at: _later, ...metadataBefore } = request.result.files[0]
  assert.deepEqual([metadata, expires], [metadataBefore, deleted.body.result.deleted_at])
  for (const old of [link, url, file]) {
    const { status, body: response } = await call('GET', old)
    assert.deepEqual([status, response.error.code], [410, 'result_expired'])
  }
  assert.deepEqual(deleted.body.price, request.price)
  assert.deepEqual((await call('GET', `/v1/requests/${request.id}`)).body, deleted.body)
  const charges = await sql`select amount from ledger where request_id = ${request.id}`
  assert.deepEqual(
    charges.map(({ amount }) => amount as number),
    [-2_000],
  )
  const again = await call('DELETE', `/v1/requests/${request.id}/files`, { body: 'not even JSON' })
  assert.deepEqual([again.status, again.body], [200, deleted.body])
})

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

test("deleting the files of another account's request returns 404 and keeps the files [auth.scope.2]", async () => {
  const request = await finish('/v1/images/process', body)
  const stranger = await openAccount(sql)
  for (const id of [request.id, 999_999, 'x']) {
    const { status, body: response } = await call('DELETE', `/v1/requests/${id}/files`, { key: stranger.liveKey })
    assert.deepEqual([status, response.error.code], [404, 'request_not_found'])
  }
  assert.equal((await call('GET', request.result.files[0].url)).status, 302)
})
