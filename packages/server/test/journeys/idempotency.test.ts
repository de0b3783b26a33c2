import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'

const service = await sharedService({ workers: false })
const { call, sql } = service
const elsewhere = await service.another()

const body = { source: 'https://1.1.1.1/a.jpg', metadata: { a: '1', b: '2' } }
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })

test('a client that repeats its upload and its call after a crash, with the same idempotency key, is charged once', async () => {
  const upload = async (bytes: string) => {
    const { body } = await call('POST', '/v1/uploads', {
      body: Buffer.from(bytes),
      headers: { 'content-type': 'image/png' },
    })
    return body.source as string
  }
  const [first, again, other] = [await upload('a photo'), await upload('a photo'), await upload('another photo')]
  assert.notEqual(first, again)
  const read = (source: string) => call('POST', '/v1/images/read', { body: { source }, ...withKey('upload') })
  const made = await read(first)
  assert.equal(made.status, 202)
  const repeated = await read(again)
  assert.deepEqual([repeated.status, repeated.body.id], [200, made.body.id])
  assert.equal((await read(other)).body.error.code, 'idempotency_key_reused')
  await call('POST', `/v1/requests/${made.body.id}/abort`)
  assert.equal((await call('DELETE', `/v1/uploads/${first.replace('upload:', '')}`)).status, 200)
  const late = await read(first)
  assert.deepEqual([late.status, late.body.id], [200, made.body.id])
})

test('if 200 calls with one idempotency key race on two processes, one returns 202 and exactly one request exists [idempotency.conflicts.2, idempotency.binding.2]', async () => {
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      call('POST', `${index % 2 === 0 ? service.url : elsewhere}/v1/images/read`, { body, ...withKey('race') }),
    ),
  )
  const of = (status: number) => responses.filter((response) => response.status === status)
  assert.equal(of(202).length, 1)
  assert.equal(of(202).length + of(200).length + of(409).length, 200)
  for (const replay of of(200)) assert.equal(replay.body.id, of(202)[0]?.body.id)
  for (const { body, headers } of of(409)) {
    assert.deepEqual([body.error.code, headers.get('retry-after')], ['idempotency_key_in_use', '1'])
  }
})

test('an idempotent replay succeeds even without credit and at the concurrency limit, and counts toward the rate limit [idempotency.replays.2, limits.rate.1]', async () => {
  const poor = await openAccount(sql)
  const options = { key: poor.liveKey, body }
  const first = await call('POST', '/v1/images/read', { ...options, ...withKey('mine') })
  await call('POST', '/v1/images/read', options)
  await sql`update accounts set held = 1000000 where id = ${poor.id}`
  assert.equal((await call('POST', '/v1/images/read', options)).body.error.code, 'insufficient_credits')
  const replay = await call('POST', '/v1/images/read', { ...options, ...withKey('mine') })
  assert.deepEqual([replay.status, replay.body.id], [200, first.body.id])
  assert.equal(replay.headers.get('x-ratelimit-remaining'), '26')
})
