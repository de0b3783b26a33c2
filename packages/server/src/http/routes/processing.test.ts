import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import { aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { openTestServer } from '@mediamill/lab/support/server-without-workers'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { abort } from '../../requests/abort.ts'
import { claim } from '../../requests/claim.ts'
import { settle } from '../../requests/settle.ts'
import { openDiskStore } from '../../store/disk.ts'
import type { ApiContext } from '../api-context.ts'

const { sql } = await sharedDatabase()
const folder = await sharedFolder('mediamill-processing-')
const store = await openDiskStore(folder)

const BODY = { source: 'https://example.com/a.jpg', operations: [{ type: 'grayscale' }] }

async function opened(differing: Partial<ApiContext> = {}) {
  const account = await openAccount(sql)
  await sql`update accounts set concurrent_requests = 1000 where id = ${account.id}`
  const server = openTestServer(sql, store, differing)
  const post = async (key?: string, payload: object = BODY, others: Record<string, string> = {}) => {
    const own = key === undefined ? {} : { 'idempotency-key': key }
    const headers = { authorization: `Bearer ${account.liveKey}`, ...own, ...others }
    const response = await server.inject({ method: 'POST', url: '/v1/images/process', headers, payload })
    const body = response.json()
    return { status: response.statusCode, headers: response.headers, body, code: body.error?.code }
  }
  const call = async (method: 'GET' | 'POST' | 'DELETE', url: string) => {
    const { statusCode } = await server.inject({ method, url, headers: { authorization: `Bearer ${account.liveKey}` } })
    return statusCode
  }
  const made = async () => (await sql`select id from requests where account_id = ${account.id}`).count
  return { account: account.id, post, call, made, [Symbol.asyncDispose]: () => server.close() }
}

/** The queue also contains requests of other tests. */
async function claimOf(worker: string, id: RequestId) {
  let taken = await claim(sql, worker, 'image', [])
  while (taken !== undefined && taken.request.id !== id) taken = await claim(sql, worker, 'image', [])
  assert.ok(taken)
  return taken
}

test('a call and its idempotent replay return only after the request is stored on disk [requests.create.3]', async () => {
  const seen: number[] = []
  let isOnDisk = true
  const durable = async ({ id }: MediaRequest) => {
    seen.push(id)
    if (!isOnDisk) throw new Error('the database lost it')
  }
  await using api = await opened({ durable })
  const first = await api.post('one')
  assert.equal(first.status, 202)
  const again = await api.post('one')
  assert.deepEqual([again.status, again.headers['idempotent-replayed'], again.body.id], [200, 'true', first.body.id])
  assert.deepEqual(seen, [first.body.id, first.body.id])
  isOnDisk = false
  assert.deepEqual((await api.post('one')).status, 500, 'a replay of what is not there any more')
  assert.deepEqual((await api.post()).status, 500)
})

test('a long poll call returns only after its request is stored on disk, whether the request has completed or not [requests.create.3]', async () => {
  const durable: string[] = []
  await using api = await opened({ durable: async ({ status }) => void durable.push(status) })
  const worker = await aliveWorker(sql)
  const endWith = async (end: (id: RequestId) => Promise<unknown>) => {
    const pending = api.post(undefined, BODY, { prefer: 'wait=20' })
    let id: number | undefined
    await until(async () => {
      const [row] = await sql<
        { id: number }[]
      >`select id from requests where completed_at is null and account_id = ${api.account}`
      id = row?.id
      return row !== undefined
    })
    await end(id as RequestId)
    return (await pending).body.status
  }
  const settleIt = async (id: RequestId) => {
    const { lease } = await claimOf(worker, id)
    assert.ok(await settle(sql, lease, succeeded(), RETENTION_MS))
  }
  assert.deepEqual([await endWith(settleIt), durable], ['succeeded', []])
  assert.deepEqual([await endWith((id) => abort(sql, api.account, id)), durable], ['aborted', ['aborted']])
  assert.equal((await api.post(undefined, BODY, { prefer: 'wait=1' })).status, 202)
  assert.deepEqual(durable, ['aborted', 'queued'])
})

test('an abort, its event, and a deletion of files are returned only after they are stored on disk', async () => {
  let isOnDisk = true
  const durable = async () => {
    if (!isOnDisk) throw new Error('the database lost it')
  }
  await using api = await opened({ durable })
  const [finished, open] = [(await api.post()).body.id, (await api.post()).body.id]
  const { lease } = await claimOf(await aliveWorker(sql), finished)
  await settle(sql, lease, succeeded(), RETENTION_MS)
  isOnDisk = false
  assert.equal(await api.call('GET', '/v1/events'), 200, 'a success needs no flush')
  assert.equal(await api.call('DELETE', `/v1/requests/${finished}/files`), 500)
  assert.equal(await api.call('POST', `/v1/requests/${open}/abort`), 500)
  assert.equal(await api.call('GET', '/v1/events'), 500)
  isOnDisk = true
  assert.equal(await api.call('DELETE', `/v1/requests/${finished}/files`), 200)
  assert.equal(await api.call('GET', '/v1/events'), 200)
})

test('only the call that creates a request gets a Location header, and its idempotent replays do not [requests.create.1]', async () => {
  await using api = await opened()
  const first = await api.post('three')
  assert.equal(first.headers['location'], `/v1/requests/${first.body.id}`)
  const again = await api.post('three')
  assert.deepEqual([again.headers['location'], first.headers['idempotent-replayed']], [undefined, undefined])
  assert.equal(await api.made(), 1)
})

test('a rejected call releases its idempotency key, so that the corrected call can use the key [idempotency.binding.1]', async () => {
  await using api = await opened()
  assert.deepEqual((await api.post('four', { ...BODY, operations: [{ type: 'nothing' }] })).status, 422)
  assert.equal((await api.post('four')).status, 202)
  for (const other of [{ ...BODY, customer: 'Zoë' }, {}])
    assert.equal((await api.post('four', other)).code, 'idempotency_key_reused')
  assert.equal(await api.made(), 1)
})

test('an idempotency key has 1 to 255 characters, counted after its bytes are decoded as UTF-8 [idempotency.keys.1]', async () => {
  await using api = await opened()
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  for (const key of ['k', 'k'.repeat(255), bytes('é'.repeat(255))]) assert.equal((await api.post(key)).status, 202, key)
  for (const key of ['', 'k'.repeat(256), bytes('é'.repeat(256))]) {
    // The empty body is not reported, because the idempotency key is checked first.
    const { status, body } = await api.post(key, {})
    const codes = body.error.errors.map(({ param, code }: { param: string; code: string }) => `${param} ${code}`)
    assert.deepEqual([status, codes], [422, [`Idempotency-Key ${key === '' ? 'too_short' : 'too_long'}`]], key)
  }
})
