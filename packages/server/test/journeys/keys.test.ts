import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { makeKey } from '../../src/accounts/key.ts'
import { updateAccount } from '../../src/db/accounts/accounts.ts'
import { listKeys, revokeKey } from '../../src/db/accounts/keys.ts'

const service = await sharedService({ workers: false })
const { call, sql } = service
const elsewhere = await service.another()

const CALLS = [
  ['POST', '/v1/images/process'],
  ['POST', '/v1/documents/read'],
  ['GET', '/v1/requests'],
  ['GET', '/v1/requests/1'],
  ['POST', '/v1/requests/1/abort'],
  ['GET', '/v1/account'],
  ['GET', '/v1/usage'],
  ['GET', '/v1/operations'],
] as const

test('an unknown key returns invalid_api_key, even if it resembles a real key [auth.keys.5]', async () => {
  const { liveKey } = service.account
  const last = liveKey.endsWith('a') ? 'b' : 'a'
  const wrong = [makeKey('live'), makeKey('test'), `${liveKey.slice(0, -1)}${last}`, liveKey.toLowerCase(), 'x', 'a b']
  for (const key of [...wrong, liveKey.replace('live', 'test'), 'k'.repeat(5000)]) {
    const { status, body } = await call('GET', '/v1/account', { key })
    assert.deepEqual([status, body.error.code], [401, 'invalid_api_key'], key)
  }
  for (const authorization of ['', 'Bearer', 'Basic eDp5', liveKey]) {
    const { body } = await call('GET', '/v1/account', { key: null, headers: { authorization } })
    assert.equal(body.error.code, 'missing_api_key', authorization)
  }
})

test('a revoked key stops working at once on every process, and other keys of its account still work [auth.keys.4]', async () => {
  const { id, liveKey, testKey } = await openAccount(sql)
  for (const url of [service.url, elsewhere]) {
    assert.equal((await call('GET', `${url}/v1/account`, { key: liveKey })).status, 200)
  }
  const [first] = await listKeys(sql, id)
  await revokeKey(sql, first?.id ?? 0)
  for (const url of [service.url, elsewhere]) {
    const { status, body } = await call('GET', `${url}/v1/account`, { key: liveKey })
    assert.deepEqual([status, body.error?.code], [401, 'invalid_api_key'])
    assert.equal((await call('GET', `${url}/v1/account`, { key: testKey })).status, 200)
  }
})

test('calls of a suspended account return 403 and do not count toward the rate limit, and the account can be resumed [auth.keys.6, limits.rate.1]', async () => {
  const { id, liveKey } = await openAccount(sql)
  assert.equal((await call('GET', '/v1/account', { key: liveKey })).headers.get('x-ratelimit-remaining'), '29')
  await updateAccount(sql, id, { suspended: true })
  for (const [method, path] of CALLS) {
    const { status, body, headers } = await call(method, `${elsewhere}${path}`, { key: liveKey })
    assert.deepEqual([status, body.error.type, body.error.code], [403, 'permission', 'account_suspended'], path)
    assert.equal(headers.get('x-ratelimit-remaining'), '29')
  }
  await updateAccount(sql, id, { suspended: false })
  assert.equal((await call('GET', '/v1/account', { key: liveKey })).headers.get('x-ratelimit-remaining'), '28')
})

test('keys are stored as hashes and webhook secrets encrypted, and no table contains them in plain text [auth.keys.3, webhooks.signature.5]', async () => {
  const { liveKey, testKey, webhookSecret } = service.account
  await call('POST', '/v1/images/read', { body: { source: 'https://1.1.1.1/a' }, headers: { 'idempotency-key': 'a' } })
  const traces = [liveKey, testKey, webhookSecret].map((text) => text.slice(9, 30))
  const bytes = [liveKey, testKey, webhookSecret].map((text) => Buffer.from(text))
  const hex = [...bytes, Buffer.from(webhookSecret.slice(6), 'base64')].map((one) => one.toString('hex'))
  const tables = await sql<
    { name: string }[]
  >`select table_name as name from information_schema.tables where table_schema = 'public'`
  const texts: string[] = []
  for (const { name } of tables) {
    const rows = await sql`select to_jsonb(t)::text as row from ${sql(name)} t`
    texts.push(...rows.map(({ row }) => String(row)))
  }
  assert.ok(
    texts.some((row) => row.includes(liveKey.slice(-4))),
    'the last four characters are kept',
  )
  for (const trace of [...traces, ...hex])
    assert.deepEqual(
      texts.filter((row) => row.includes(trace)),
      [],
    )
})
