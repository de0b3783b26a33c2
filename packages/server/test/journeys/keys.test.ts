import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { listKeys, revokeKey } from '../../src/db/accounts/keys.ts'

const service = await sharedService({ workers: false })
const { call, sql } = service
const elsewhere = await service.another()

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
