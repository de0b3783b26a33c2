import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { keyRestrictions } from '@mediamill/contract/console/key-restrictions'
import type { KeyRestrictions } from '@mediamill/contract/domain/key-restrictions'
import { LIVE_LIMITS } from '@mediamill/contract/domain/limits'
import { microUsd } from '@mediamill/contract/domain/money'
import { UPLOAD_QUOTA_FILES } from '@mediamill/contract/domain/uploads'
import { sampleUrl } from '@mediamill/contract/objects/samples'
import { quarters } from '@mediamill/lab/support/images'
import { naming } from '@mediamill/lab/support/message'
import { until } from '@mediamill/lab/support/process'
import { openAccount } from '@mediamill/lab/support/request-rows'
import type { CallResponse, Json } from '@mediamill/lab/support/service'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { createKey } from '../../src/accounts/create-key.ts'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'

const sources = await sharedSourceServer({
  '/a.png': await quarters(64, 48),
  '/report.pdf': await readFile(sampleFile('report.pdf')),
})
const service = await sharedService({ allowed: [sources.host] })
const template = { name: 'avatar', operations: [{ type: 'resize', width: 32, height: 32 }] }
await service.call('POST', '/v1/templates', { body: template })

async function restricted(
  restrictions: KeyRestrictions,
  mode: 'live' | 'test' = 'live',
  accountId = service.account.id,
) {
  const made = await createKey(service.sql, accountId, { name: 'form', mode, restrictions })
  assert.ok(made !== undefined)
  return { key: made.key, id: made.row.id }
}

const flip = () => ({ source: sources.url('/a.png'), operations: [{ type: 'flip', vertical: true }] })
const avatar = (source = sources.url('/a.png')) => ({ source, template: 'avatar' })

function rejected({ status, body }: CallResponse): string {
  assert.deepEqual(
    [status, body['error']?.type, body['error']?.code],
    [403, 'permission', 'key_restricted'],
    JSON.stringify(body),
  )
  return body['error'].message
}

test('a key restricted to endpoints can call only these endpoints, and can read only its own requests [auth.restricted.2, auth.restricted.3]', async () => {
  const { key } = await restricted({ endpoints: ['images/process', 'uploads'] })
  const foreign = await service.finish('/v1/images/process', flip())
  for (const [method, path] of [
    ['GET', '/v1/account'],
    ['GET', '/v1/usage'],
    ['GET', '/v1/requests'],
    ['GET', '/v1/events'],
    ['GET', '/v1/templates'],
    ['GET', '/v1/operations'],
    ['POST', '/v1/images/read'],
    ['POST', '/v1/images/read/estimate'],
    ['POST', '/v1/documents/process'],
    ['POST', '/v1/stamps'],
  ] as const) {
    const name = path.split('/').slice(2).join('/').replace('/estimate', '')
    const message = rejected(await service.call(method, path, { key, ...(method === 'POST' && { body: flip() }) }))
    assert.match(message, naming(`cannot call ${name}`, 'can call images/process and uploads'))
  }
  const own = await service.finish('/v1/images/process', flip(), { key })
  assert.equal(own.status, 'succeeded')
  const shown = await service.call('GET', `/v1/requests/${own.id}`, { key, headers: { prefer: 'wait=1' } })
  assert.equal(shown.body.id, own.id)
  assert.equal((await service.call('POST', '/v1/images/process/estimate', { key, body: flip() })).status, 200)
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/events'],
    ['POST', '/abort'],
    ['DELETE', '/files'],
  ] as const) {
    const of = async (id: number) => await service.call(method, `/v1/requests/${id}${path}`, { key })
    const { status, body } = await of(foreign.id)
    assert.deepEqual([status, body.error.code], [404, 'request_not_found'], `${method} ${path}`)
    if (path === '/abort') assert.equal((await of(own.id)).body.error.code, 'request_finished')
    if (path === '/files') assert.equal((await of(own.id)).status, 200)
  }
  const stream = await fetch(`${service.url}/v1/requests/${own.id}/events`, {
    headers: { authorization: `Bearer ${key}` },
  })
  assert.match(await stream.text(), /request\.updated/)
  const upload = await service.call('POST', '/v1/uploads', { key, body: { size: 3 } })
  assert.equal(upload.status, 201)
  const all = await service.call('GET', `/v1/requests/${own.id}`)
  assert.equal(all.body.id, own.id)
})

test('a key restricted to endpoints does not share idempotency keys with other API keys [auth.restricted.3]', async () => {
  const { key } = await restricted({ endpoints: ['images/process'] })
  const headers = { 'idempotency-key': 'order-1' }
  const first = await service.call('POST', '/v1/images/process', { key, body: flip(), headers })
  const other = await service.call('POST', '/v1/images/process', { body: flip(), headers })
  assert.deepEqual([first.status, other.status], [202, 202])
  assert.notEqual(first.body.id, other.body.id)
  const again = await service.call('POST', '/v1/images/process', { key, body: flip(), headers })
  assert.deepEqual([again.status, again.body.id], [200, first.body.id])
})

test('a key restricted to templates can run no other operations, and cannot change templates [auth.restricted.4]', async () => {
  await service.call('POST', '/v1/templates', { body: { name: 'banner', operations: flip().operations } })
  const any = await restricted({ templates_only: true })
  const one = await restricted({ endpoints: ['images/process', 'images/read'], templates_only: ['avatar'] })
  const pinned = await restricted({ templates_only: ['avatar@1'] })
  const start = async (key: string, body: object, path = 'images/process') =>
    await service.call('POST', `/v1/${path}`, { key, body })
  for (const { key } of [any, one, pinned]) {
    assert.equal((await start(key, avatar())).status, 202)
    rejected(await start(key, flip()))
    rejected(await start(key, flip(), 'images/process/estimate'))
    rejected(await start(key, { source: sources.url('/a.png') }, 'images/read'))
    rejected(
      await service.call('POST', '/v1/templates', { key, body: { name: 'mine', operations: flip().operations } }),
    )
    rejected(await service.call('DELETE', '/v1/templates/banner', { key }))
  }
  assert.equal((await start(any.key, { ...avatar(), template: 'banner' })).status, 202)
  assert.match(
    rejected(await start(one.key, { ...avatar(), template: 'banner' })),
    naming('cannot run', 'banner@1', 'can only run avatar'),
  )
  rejected(await start(pinned.key, { ...avatar(), template: 'banner' }))
  const form = new FormData()
  form.set('source', new Blob([await quarters(8, 8)]), 'a.png')
  form.set('operations', JSON.stringify(flip().operations))
  const response = await fetch(`${service.url}/v1/images/process`, {
    method: 'POST',
    headers: { authorization: `Bearer ${one.key}` },
    body: form,
  })
  assert.equal(response.status, 403)
})

test('a key restricted to origins works only on pages of these origins, and needs no CORS_ORIGINS [auth.restricted.5]', async () => {
  const origin = 'https://shop.example'
  const { key, id } = await restricted({ origins: [origin] })
  const get = async (headers: Record<string, string>) => await service.call('GET', '/v1/account', { key, headers })
  const allowed = await get({ origin })
  assert.equal(allowed.status, 200)
  assert.equal(allowed.headers.get('access-control-allow-origin'), origin)
  assert.equal(allowed.headers.get('vary'), 'Origin')
  assert.match(allowed.headers.get('access-control-expose-headers') ?? '', /Location/)
  for (const headers of [{}, { origin: 'https://evil.example' }, { origin: `${origin}.evil.example` }]) {
    const response = await get(headers)
    rejected(response)
    assert.equal(response.headers.get('access-control-allow-origin'), null)
  }
  const preflight = async (from: string) =>
    await fetch(`${service.url}/v1/images/process`, {
      method: 'OPTIONS',
      headers: { origin: from, 'access-control-request-method': 'POST' },
    })
  // All preflight responses have the same shape, so that strangers cannot find out the allowed origins of keys.
  for (const from of [origin, 'https://evil.example']) {
    const granted = await preflight(from)
    assert.deepEqual([granted.status, granted.headers.get('access-control-allow-origin')], [204, from])
  }
  await service.sql`update api_keys set revoked_at = now() where id = ${id}`
  await until(async () => (await preflight(origin)).status === 404)
})

test('a key restricted to an origin with the default port also works on pages whose origin omits the port [auth.restricted.5]', async () => {
  const given = { origins: ['https://port.example:443', 'http://port.example:80'] }
  const { key } = await restricted(keyRestrictions.parse(given))
  for (const origin of ['https://port.example', 'http://port.example']) {
    const response = await service.call('GET', '/v1/account', { key, headers: { origin } })
    assert.deepEqual([response.status, response.headers.get('access-control-allow-origin')], [200, origin])
  }
})

test('a key restriction cannot contain an origin that browsers never send', () => {
  for (const origin of ['https://port.example:65536', 'https://port.example/', 'ftp://port.example', '*', 'null'])
    assert.equal(keyRestrictions.safeParse({ origins: [origin] }).success, false, origin)
})

test('a key restricted to addresses works only from these addresses, and X-Forwarded-For does not change this [auth.restricted.13]', async () => {
  const inside = await restricted({ addresses: ['192.0.2.7', '127.0.0.0/8'] })
  assert.equal((await service.call('GET', '/v1/account', { key: inside.key })).status, 200)
  const outside = await restricted({ addresses: ['192.0.2.7', '2001:db8::/32'] })
  const headers = {
    'x-forwarded-for': '192.0.2.7',
    forwarded: 'for=192.0.2.7',
    'mediamill-client-address': '192.0.2.7',
  }
  const message = rejected(await service.call('GET', '/v1/account', { key: outside.key, headers }))
  assert.match(message, /does not work from the address 127\.0\.0\.1/)
  assert.doesNotMatch(message, /192\.0\.2\.7|2001/, 'the error does not reveal the allowed addresses')
  const params = { name: 'get_account', arguments: {} }
  const tool = async (key: string) =>
    await service.call('POST', '/mcp', {
      key,
      headers: { ...headers, accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
  assert.equal((await tool(inside.key)).body['result']?.isError ?? false, false)
  assert.match(JSON.stringify((await tool(outside.key)).body), /does not work from the address 127\.0\.0\.1/)
})

test('behind a trusted proxy, the service compares the addresses of a key with X-Forwarded-For [auth.restricted.13]', async () => {
  await using behind = await startService({ workers: false, settings: { TRUSTED_PROXIES: '127.0.0.1' } })
  const key = await createKey(behind.sql, behind.account.id, {
    name: 'server',
    mode: 'live',
    restrictions: { addresses: ['192.0.2.0/24'] },
  })
  const statusFor = async (client: string) => {
    const headers = { 'x-forwarded-for': client }
    return (await behind.call('GET', '/v1/account', { key: key?.key ?? '', headers })).status
  }
  // The proxy appends the address of its client. A client can write the rest of the header.
  assert.equal(await statusFor('203.0.113.9, 192.0.2.7'), 200)
  assert.equal(await statusFor('192.0.2.7, 203.0.113.9'), 403)
})

test('a key restriction cannot have an expiry in a year with more than four digits', () => {
  for (const [time, isValid] of [
    ['9999-12-31T23:00:00-02:00', false],
    ['0000-01-01T01:00:00+02:00', false],
    ['2027-01-31T12:00:00+02:00', true],
  ] as const)
    assert.equal(keyRestrictions.safeParse({ expires_at: time }).success, isValid, time)
})

test('a key restriction cannot contain an invalid address or a block of all addresses', () => {
  for (const address of ['example.com', '203.0.113.0/33', '0.0.0.0/0', '::/0', '203.0.113.7:80', 'fe80::1%eth0'])
    assert.equal(keyRestrictions.safeParse({ addresses: [address] }).success, false, address)
})

test('an expired key is rejected [auth.restricted.7, auth.restricted.10]', async () => {
  const { key } = await restricted({ expires_at: '2026-01-01T00:00:00.000Z' })
  const message = rejected(await service.call('GET', '/v1/account', { key }))
  assert.match(message, naming('expired at 2026-01-01T00:00:00.000Z', 'another key'))
  const later = await restricted({ expires_at: new Date(Date.now() + 60_000).toISOString() })
  assert.equal((await service.call('GET', '/v1/account', { key: later.key })).status, 200)
})

test('a key restricted to its mode can read only requests of this mode [auth.restricted.8]', async () => {
  const { key } = await restricted({ mode_only: true })
  const options = { key: service.account.testKey, body: flip() }
  const { body: test } = await service.call('POST', '/v1/images/process', options)
  const own = await service.finish('/v1/images/process', flip(), { key })
  assert.equal((await service.call('GET', `/v1/requests/${test.id}`, { key })).status, 404)
  assert.equal((await service.call('POST', `/v1/requests/${test.id}/abort`, { key })).status, 404)
  const { body } = await service.call('GET', '/v1/requests?limit=3', { key })
  assert.equal(body.data[0].id, own.id)
  assert.ok(body.data.every(({ livemode }: Json) => livemode))
  rejected(await service.call('GET', '/v1/events', { key }))
})

test('a key restricted to its mode cannot change templates, because requests of both modes run them [auth.restricted.8]', async () => {
  for (const mode of ['live', 'test'] as const) {
    const { key } = await restricted({ mode_only: true }, mode)
    const changed = { ...template, operations: [{ type: 'flip' }] }
    const message = rejected(await service.call('POST', '/v1/templates', { key, body: changed }))
    assert.match(message, naming('one mode', 'templates', 'another key'))
    rejected(await service.call('DELETE', '/v1/templates/avatar', { key }))
    const { status, body } = await service.call('GET', '/v1/templates/avatar', { key })
    assert.deepEqual([status, body.version, body.operations], [200, 1, template.operations])
  }
})

test('a create_only key cannot read, list, or abort requests, including requests that the key created [auth.restricted.11]', async () => {
  const { key } = await restricted({ endpoints: ['images/process', 'usage'], create_only: true })
  const { status, body } = await service.call('POST', '/v1/images/process', {
    key,
    body: flip(),
    headers: { prefer: 'wait=30' },
  })
  assert.deepEqual([status, body.status], [200, 'succeeded'])
  for (const [method, path] of [
    ['GET', `/v1/requests/${body.id}`],
    ['GET', `/v1/requests/${body.id}/events`],
    ['POST', `/v1/requests/${body.id}/abort`],
    ['DELETE', `/v1/requests/${body.id}/files`],
    ['GET', '/v1/requests'],
    ['GET', '/v1/events'],
    ['GET', '/v1/usage?from=2026-01-01&to=2026-01-02'],
  ] as const) {
    assert.match(rejected(await service.call(method, path, { key })), /^This key can only create requests\. /, path)
  }
})

test('a create_only key cannot read the account, and cannot change templates [auth.restricted.11]', async () => {
  await service.call('POST', '/v1/templates', { body: { name: 'shared', operations: flip().operations } })
  const { key } = await restricted({ create_only: true })
  rejected(await service.call('GET', '/v1/account', { key }))
  rejected(
    await service.call('POST', '/v1/templates', { key, body: { name: 'shared', operations: [{ type: 'grayscale' }] } }),
  )
  rejected(await service.call('DELETE', '/v1/templates/shared', { key }))
  const { body } = await service.call('GET', '/v1/templates/shared')
  assert.deepEqual([body.version, body.operations], [1, flip().operations])
})

test('a create_only key gets an error without the balance if the credit is too low [auth.restricted.11]', async () => {
  const account = await openAccount(service.sql)
  await service.sql`update accounts set held = balance where id = ${account.id}`
  const { key } = await restricted({ create_only: true }, 'live', account.id)
  const start = async (key: string) => await service.call('POST', '/v1/images/process', { key, body: flip() })
  const own = await start(account.liveKey)
  assert.deepEqual([own.status, own.body.error.message.includes('of credit is available')], [402, true])
  const { status, body } = await start(key)
  assert.deepEqual([status, body.error.code], [402, 'insufficient_credits'])
  assert.match(body.error.message, /at least \$0\.002[^$]*Buy credit[^$]*$/)
})

test('a create_only key gets an error without amounts if a request exceeds the daily spend limit [auth.restricted.11]', async () => {
  const { key } = await restricted({ create_only: true, daily_spend: '0.003' })
  const start = async () => await service.call('POST', '/v1/images/process', { key, body: flip() })
  assert.equal((await start()).status, 202)
  assert.equal(
    rejected(await start()),
    'This request costs more than the rest of the daily spending limit of this key. The next day begins at midnight UTC.',
  )
  const mark = { type: 'watermark', image_url: sources.url('/a.png'), x: 0, y: 0 }
  const body = { source: sources.url('/report.pdf'), operations: [mark] }
  const document = await restricted({ create_only: true, daily_spend: '0.004' })
  const { body: request } = await service.call('POST', '/v1/documents/process', { key: document.key, body })
  const failed = await service.settled(request.id)
  assert.match(failed.error.message, /^This request costs more than the rest of the daily spending limit/)
})

test('a create_only key cannot read the used quota in the error for an upload or form that exceeds the quota [auth.restricted.11]', async () => {
  const account = await openAccount(service.sql)
  await service.sql`
    insert into upload_room (account_id, livemode, bytes) values (${account.id}, true, ${UPLOAD_QUOTA_FILES * LIVE_LIMITS.free.maxSourceBytes})`
  const { key } = await restricted({ create_only: true }, 'live', account.id)
  const messageOf = async (apiKey: string, path: string, sent: Blob | FormData) => {
    const headers = { authorization: `Bearer ${apiKey}` }
    const response = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: sent })
    const { error } = (await response.json()) as Json
    assert.deepEqual([response.status, error.code], [422, 'upload_too_large'])
    return error.message
  }
  const file = new Blob([new Uint8Array(await quarters(8, 8))], { type: 'image/png' })
  const form = () => {
    const made = new FormData()
    made.set('source', file)
    made.set('operations', JSON.stringify([{ type: 'grayscale' }]))
    return made
  }
  for (const [path, sent] of [
    ['/v1/uploads', () => file],
    ['/v1/uploads', () => new Blob([JSON.stringify({ size: file.size })], { type: 'application/json' })],
    ['/v1/images/process', form],
  ] as const) {
    assert.match(await messageOf(account.liveKey, path, sent()), /the uploads of this account use 250 MB of 250 MB\./)
    assert.match(await messageOf(key, path, sent()), /the uploads of this account would exceed its quota\./)
  }
})

test('a create_only key does not share idempotency keys with other API keys [auth.restricted.11]', async () => {
  const headers = { 'idempotency-key': 'visitor-1' }
  const start = async (key: string) => await service.call('POST', '/v1/images/process', { key, body: flip(), headers })
  const first = await start(service.account.liveKey)
  const { key } = await restricted({ create_only: true })
  const own = await start(key)
  assert.deepEqual([own.status, own.headers.get('idempotent-replayed')], [202, null])
  assert.notEqual(own.body.id, first.body.id)
  const again = await start(key)
  assert.deepEqual([again.status, again.body.id], [200, own.body.id])
})

async function callTool(key: string, params: object): Promise<string> {
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return await response.text()
}

test('an MCP tool that is called with a create_only key reports the progress of a video, and returns the result [auth.restricted.11]', async () => {
  const { key } = await restricted({ create_only: true })
  const text = await callTool(key, {
    name: 'inspect_media',
    arguments: { media: 'video', source: sampleUrl(service.url, 'clip.mp4') },
    _meta: { progressToken: 7 },
  })
  assert.match(text, /notifications\/progress/)
  assert.match(text, /Request \d+ succeeded/)
})

test('a key with a restriction that only a newer version supports is rejected [auth.restricted.12]', async () => {
  const newer = { create_only: true, networks: ['192.0.2.0/24'] } as KeyRestrictions
  const { key } = await restricted(newer)
  for (const [method, path] of [
    ['POST', '/v1/images/process'],
    ['GET', '/v1/account'],
  ] as const) {
    const message = rejected(await service.call(method, path, { key, ...(method === 'POST' && { body: flip() }) }))
    assert.match(message, /^This key has the restriction "networks", which this version does not support\. /)
  }
})

test('20 parallel calls, with or without uploads, cannot exceed the daily spend limit of a key [auth.restricted.6]', async () => {
  const account = await openAccount(service.sql, microUsd(10_000_000))
  await service.sql`update accounts set concurrent_requests = 100, requests_per_minute = 1000 where id = ${account.id}`
  for (const isUpload of [false, true]) {
    const { key, id } = await restricted({ daily_spend: '0.010' }, 'live', account.id)
    const upload = await fetch(`${service.url}/v1/uploads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'image/png' },
      body: new Uint8Array(await quarters(8, 8)),
    })
    const { source } = (await upload.json()) as Json
    const body = isUpload ? { ...flip(), source } : flip()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => service.call('POST', '/v1/images/process', { key, body })),
    )
    assert.equal(responses.filter(({ status }) => status === 202).length, 5)
    const messages = responses.filter(({ status }) => status !== 202).map(rejected)
    assert.match(
      messages[0] ?? '',
      /^This key can spend \$0\.01 a day and has spent or reserved \$0\.01; this request costs at least \$0\.002\. /,
    )
    const [row] = await service.sql<{ spent: number }[]>`
      select sum(case when completed_at is null then hold else price end)::integer as spent from requests where key_id = ${id}`
    assert.equal(row?.spent, 10_000)
    await service.sql`update requests set created_at = created_at - interval '1 day' where key_id = ${id}`
    await service.sql`update api_keys set spent_on = spent_on - 1 where id = ${id}`
    assert.equal((await service.call('POST', '/v1/images/process', { key, body })).status, 202)
  }
})

test('the daily spend of a key equals the sum of the prices of its requests, in any order of completion [auth.restricted.6]', async () => {
  const account = await openAccount(service.sql, microUsd(10_000_000))
  await service.sql`update accounts set concurrent_requests = 100, requests_per_minute = 1000 where id = ${account.id}`
  const keys = await Promise.all([1, 2, 3].map(() => restricted({ daily_spend: '5' }, 'live', account.id)))
  const paths = ['/a.png', '/missing.png', '/a.png']
  await Promise.all(
    keys.flatMap(({ key }) =>
      Array.from({ length: 12 }, async (_, index) => {
        const body = { ...flip(), source: sources.url(paths[index % 3] ?? '') }
        const { body: request } = await service.call('POST', '/v1/images/process', { key, body })
        if (index % 4 === 0) await service.call('POST', `/v1/requests/${request.id}/abort`, { key })
        return await service.settled(request.id, key)
      }),
    ),
  )
  for (const { id } of keys) {
    const [row] = await service.sql<{ spent: number; paid: number }[]>`
      select spent, (select sum(price)::integer from requests where key_id = k.id) as paid from api_keys k where id = ${id}`
    assert.ok(row !== undefined && row.paid > 0)
    assert.equal(row.spent, row.paid)
  }
  // The migration also computes the sums of today's requests.
  const migration = await readFile(join(import.meta.dirname, '../../migrations/0076_key_spend.sql'), 'utf8')
  const [backfill = ''] = /^update [^;]+;/m.exec(migration) ?? []
  await service.sql`update api_keys set spent_on = null, spent = 0`
  await service.sql.unsafe(backfill)
  const different = await service.sql`
    select id from api_keys k where id = any(${keys.map(({ id }) => id)})
    and (spent_on is null or spent <> (select sum(price) from requests where key_id = k.id))`
  assert.deepEqual([...different], [])
})

test('the price of a failed request does not count toward the daily spend, and a test key spends nothing [auth.restricted.6]', async () => {
  const { key } = await restricted({ daily_spend: '0.002' })
  const failed = await service.finish('/v1/images/process', { ...flip(), source: sources.url('/missing.png') }, { key })
  assert.equal(failed.status, 'failed')
  assert.equal((await service.finish('/v1/images/process', flip(), { key })).status, 'succeeded')
  rejected(await service.call('POST', '/v1/images/process', { key, body: flip() }))
  const free = await restricted({ daily_spend: '0' }, 'test')
  assert.equal((await service.call('POST', '/v1/images/process', { key: free.key, body: flip() })).status, 202)
})

test('a document that costs more than the rest of the daily spend limit fails free of charge [auth.restricted.6]', async () => {
  const mark = { type: 'watermark', image_url: sources.url('/a.png'), x: 0, y: 0 }
  const body = { source: sources.url('/report.pdf'), operations: [mark] }
  const full = await service.finish('/v1/documents/process', body)
  const price = full.price.micro_usd
  assert.ok(price > 4_000, 'the document has several pages')
  const { key } = await restricted({ daily_spend: '0.004' })
  const failed = await service.finish('/v1/documents/process', body, { key })
  assert.deepEqual([failed.status, failed.error?.code, failed.price.micro_usd], ['failed', 'processing_failed', 0])
  assert.match(failed.error.message, /This key can spend \$0\.004 a day/)
  const enough = await restricted({ daily_spend: String(price / 1_000_000) })
  assert.equal((await service.finish('/v1/documents/process', body, { key: enough.key })).status, 'succeeded')
})

test('a restricted key cannot open a console session, and MCP tools enforce its restrictions [auth.restricted.9]', async () => {
  const { key } = await restricted({ endpoints: ['images/process'] })
  const signIn = await fetch(`${service.url}/console/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(service.url).origin },
    body: JSON.stringify({ api_key: key }),
  })
  const { error } = (await signIn.json()) as Json
  assert.deepEqual([signIn.status, error.code], [403, 'key_restricted'])
  const tool = await callTool(key, { name: 'get_account', arguments: {} })
  assert.match(tool, /This key cannot call account/)
})
