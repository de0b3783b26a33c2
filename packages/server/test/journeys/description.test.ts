import assert from 'node:assert/strict'
import { test } from 'node:test'
import { microUsd } from '@mediamill/contract/domain/money'
import { endpointNamed } from '@mediamill/contract/endpoints/index'
import { aliveWorker, failed, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import type { CallResponse, Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import sharp from 'sharp'
import { z } from 'zod'
import { createKey } from '../../src/accounts/create-key.ts'
import { makeKey } from '../../src/accounts/key.ts'
import { updateAccount } from '../../src/db/accounts/accounts.ts'
import { claim } from '../../src/requests/claim.ts'
import { expire } from '../../src/requests/cleanup/expire.ts'
import { settle } from '../../src/requests/settle.ts'

const service = await sharedService({ workers: false })
const { call, sql } = service
const description: Json = (await call('GET', '/v1/openapi.json', { key: null })).body
const described = JSON.parse(JSON.stringify(description).replaceAll('#/components/schemas/', '#/$defs/'))

const seen = new Map<string, Set<string>>()

/** Matches general HTTP headers, which the OpenAPI description omits. */
const PLAIN_HEADERS =
  /^(access-control-expose-headers$|content-|cache-control$|connection$|date$|keep-alive$|transfer-encoding$|vary$|x-content-type-options$)/

/** Asserts that the description lists all headers of a response. Returns the described response. */
function describesHeaders(operation: string, { status, headers }: Pick<CallResponse, 'status' | 'headers'>): Json {
  const [method = '', path = ''] = operation.split(' ')
  const listed = described.paths[path][method.toLowerCase()].responses[status]
  assert.ok(listed !== undefined, `${operation} answers ${status}`)
  const response = listed.$ref === undefined ? listed : described.components.responses[listed.$ref.split('/').at(-1)]
  for (const [name, { $ref }] of Object.entries<Json>(response.headers)) {
    const { required } = described.components.headers[$ref.split('/').at(-1)]
    if (required || status === 429) assert.ok(headers.has(name), `${operation} ${status} has no ${name}`)
  }
  for (const name of headers.keys()) {
    const known = Object.keys(response.headers).some((described) => described.toLowerCase() === name)
    assert.ok(known || PLAIN_HEADERS.test(name), `${operation} ${status} does not describe ${name}`)
  }
  return response
}

function conforms(operation: string, called: CallResponse): void {
  const response = describesHeaders(operation, called)
  const { status, body } = called
  const code = status < 400 ? undefined : body.error.code
  if (code !== undefined) assert.ok(code in response.content['application/json'].examples, `${operation}: ${code}`)
  assertPlain(body)
  if (response.content !== undefined) assertValid(response.content['application/json'].schema, body, operation)
  if (code !== undefined) assertExample(code, response, body.error.message)
  seen.set(operation, (seen.get(operation) ?? new Set()).add(code ?? String(status)))
}

const OF_THE_CALL = new Set(['validation_failed', 'url_invalid'])

/** Asserts that a message equals the example of its error code. Only the numbers may differ. */
function assertExample(code: string, response: Json, message: string): void {
  const { value } = response.content['application/json'].examples[code]
  // On loopback, the message also names the setting that would allow the URL.
  const output = (text: string) =>
    text
      .replace(/ If this service is yours, .*$/, '')
      .replace('been aborted', 'succeeded')
      .replace(/The host \S+ has/, 'The host HOST has')
  const shape = (text: string) => output(text).replaceAll(/\d+(\.\d+)?/g, '0')
  if (!OF_THE_CALL.has(code)) assert.equal(shape(value.error.message), shape(message), code)
}

/** Asserts that names are snake_case, and times are in UTC with milliseconds. Ignores names that clients choose. */
function assertPlain(value: Json): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries<Json>(value)) {
    if (!Array.isArray(value)) assert.match(name, /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
    if (name.endsWith('_at')) assert.match(String(item), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    if (name !== 'metadata') assertPlain(item)
  }
}

function assertValid(schema: Json, value: Json, what: string): void {
  const parsed = z.fromJSONSchema({ ...schema, $defs: described.components.schemas }).safeParse(value)
  assert.ok(parsed.success, `${what}: ${JSON.stringify(parsed.error?.issues)} in ${JSON.stringify(value)}`)
}

const MANAGEMENT = [
  'GET /v1/requests',
  'GET /v1/requests/{id}',
  'POST /v1/requests/{id}/abort',
  'DELETE /v1/requests/{id}/files',
  'GET /v1/account',
  'GET /v1/usage',
  'GET /v1/operations',
]
const PROCESSING = Object.keys(description.paths)
  .filter(
    (path) =>
      'requestBody' in (description.paths[path].post ?? {}) && !/\/(estimate|uploads|stamps|templates)$/.test(path),
  )
  .map((path) => `POST ${path}`)

function bodyOf(operation: string): Json {
  const { example } = description.paths[operation.split(' ')[1] ?? ''].post.requestBody.content['application/json']
  return JSON.parse(JSON.stringify(example).replaceAll(/https?:\/\/[a-z0-9.:]+\//g, 'https://1.1.1.1/'))
}

async function send(
  operation: string,
  key: string | null,
  body?: unknown,
  idempotencyKey?: string,
): Promise<CallResponse> {
  const [method = '', path = ''] = operation.split(' ')
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
  const response = await call(method, path.replace('{id}', '1'), {
    key,
    headers,
    ...(body === undefined ? {} : { body }),
  })
  conforms(operation, response)
  return response
}

test('the OpenAPI description covers every error response for a missing, unknown, expired, suspended, or rate-limited key [api.versions.2]', async () => {
  const [suspended, hurried] = [await openAccount(sql), await openAccount(sql)]
  await updateAccount(sql, suspended.id, { suspended: true })
  await sql`update accounts set requests_per_minute = 1 where id = ${hurried.id}`
  await call('GET', '/v1/account', { key: hurried.liveKey })
  const restrictions = { expires_at: '2026-01-01T00:00:00.000Z' }
  const expired = await createKey(sql, service.account.id, { name: 'expired', mode: 'live', restrictions })
  for (const operation of [...MANAGEMENT, ...PROCESSING]) {
    for (const key of [null, makeKey('live'), suspended.liveKey, hurried.liveKey, expired?.key ?? '']) {
      await send(operation, key)
    }
  }
})

test('the OpenAPI description covers every response to a call that can start a request [api.versions.2]', async () => {
  const [poor, busy, tried] = [
    await openAccount(sql, microUsd(1)),
    await openAccount(sql, microUsd(9_000_000)),
    await openAccount(sql, microUsd(1)),
  ]
  const free = await openAccount(sql)
  await sql`update accounts set requests_per_minute = 1000`
  await sql`update accounts set held = balance, requests_per_minute = 1000 where id = ${poor.id}`
  await sql`update accounts set open_live = 1000 where id = ${busy.id}`
  await sql`update accounts set test_accepted = 100, test_day = (now() at time zone 'utc')::date where id = ${tried.id}`
  for (const operation of PROCESSING) {
    const body = bodyOf(operation)
    const { liveKey } = service.account
    await send(operation, liveKey, body, operation)
    await send(operation, liveKey, body, operation)
    await send(operation, liveKey, { ...body, customer: 'other' }, operation)
    await send(operation, liveKey, { ...body, shine: 1 })
    await send(operation, liveKey, [])
    if (!operation.endsWith('/read')) await send(operation, liveKey, { source: body['source'], template: 'product@3' })
    for (const source of ['ftp://a', 'http://10.0.0.1/', 'https://name.invalid/', `upload:upl_${'0'.repeat(32)}`]) {
      await send(operation, liveKey, { ...body, source })
    }
    for (const key of [poor.liveKey, busy.liveKey, tried.testKey]) await send(operation, key, body)
    if (operation.includes('/videos/')) await send(operation, free.liveKey, body)
    const codes = seen.get(operation) ?? new Set()
    const listed = [200, 202, 401, 402, 403, 409, 422, 429].flatMap((status) => {
      const { $ref } = description.paths[operation.split(' ')[1] ?? ''].post.responses[status]
      if ($ref === undefined) return [String(status)]
      return Object.keys(description.components.responses[$ref.split('/').at(-1)].content['application/json'].examples)
    })
    const elsewhere = ['idempotency_key_in_use', 'upload_incomplete', 'upload_too_large']
    const expected = listed.filter((code) => !elsewhere.includes(code))
    assert.deepEqual([...codes].toSorted(), expected.toSorted(), operation)
  }
})

test('the OpenAPI description covers a request in every state, in reads, lists, aborts, and events, in snake_case [requests.object.1, api.json.1]', async () => {
  const { id, liveKey: key } = await openAccount(sql, microUsd(1_000_000))
  await sql`update accounts set requests_per_minute = 1000 where id = ${id}`
  const endpoint = endpointNamed('images/process')
  const start = async () =>
    (await call('POST', `/v1/${endpoint.name}`, { key, body: bodyOf(`POST /v1/${endpoint.name}`) })).body.id
  const take = async (request: number) => {
    for (;;) {
      const taken = await claim(sql, await aliveWorker(sql), 'image', [])
      assert.ok(taken)
      if (taken.request.id === request) return taken
    }
  }
  const states = { queued: await start(), processing: 0, succeeded: 0, failed: 0, aborted: 0 }
  states.aborted = await start()
  const aborted = await call('POST', `/v1/requests/${states.aborted}/abort`, { key })
  conforms('POST /v1/requests/{id}/abort', aborted)
  conforms('POST /v1/requests/{id}/abort', await call('POST', `/v1/requests/${states.aborted}/abort`, { key }))
  conforms('POST /v1/requests/{id}/abort', await call('POST', '/v1/requests/999999/abort', { key }))
  for (const status of ['processing', 'succeeded', 'failed'] as const) {
    states[status] = await start()
    const { lease } = await take(states[status])
    if (status === 'succeeded') await settle(sql, lease, succeeded(2_000, endpoint.name), RETENTION_MS)
    if (status === 'failed') await settle(sql, lease, failed(), RETENTION_MS)
  }
  states.queued = await start()
  for (const [status, request] of Object.entries(states)) {
    const read = await call('GET', `/v1/requests/${request}`, { key })
    assert.equal(read.body.status, status)
    conforms('GET /v1/requests/{id}', read)
    const final = !['queued', 'processing'].includes(status)
    assert.equal('price' in read.body && 'completed_at' in read.body, final)
    assert.equal('result' in read.body, status === 'succeeded')
    assert.equal('error' in read.body, status === 'failed')
    if (final) {
      const event = { id: 'evt_1', object: 'event', type: `request.${status}`, created: 1, data: read.body }
      assertValid({ $ref: '#/$defs/WebhookEvent' }, event, status)
    }
  }
  conforms('GET /v1/requests/{id}', await call('GET', '/v1/requests/none', { key }))
  conforms('GET /v1/requests', await call('GET', '/v1/requests', { key }))
  for (const request of [states.failed, states.queued, 999_999]) {
    const response = await call('DELETE', `/v1/requests/${request}/files`, { key })
    conforms('DELETE /v1/requests/{id}/files', response)
  }
  conforms('GET /v1/requests', await call('GET', '/v1/requests?limit=0', { key }))

  const link = (await call('GET', `/v1/requests/${states.succeeded}`, { key })).body.result.files[0].url
  conforms('GET /v1/results/{id}', await call('GET', link, { key: null }))
  conforms('GET /v1/results/{id}', await call('GET', `${link}0`, { key: null }))
  await sql`update requests set deleted_at = now() where id = ${states.succeeded}`
  await expire(sql, async () => undefined)
  conforms('GET /v1/results/{id}', await call('GET', link, { key: null }))
})

test('the OpenAPI description covers the account, its usage in every grouping, and the catalog [api.versions.2, usage.rows.1]', async () => {
  conforms('GET /v1/account', await call('GET', '/v1/account'))
  conforms('GET /v1/operations', await call('GET', '/v1/operations'))
  for (const group of ['day', 'endpoint', 'customer', 'status']) {
    const usage = await call('GET', `/v1/usage?group_by=${group}`)
    assert.ok(usage.body.data.length > 0)
    conforms('GET /v1/usage', usage)
  }
  conforms('GET /v1/usage', await call('GET', '/v1/usage?from=x'))
})

test('the OpenAPI description lists the headers of a failed request, of upload calls, and of result files [api.versions.2]', async () => {
  const worker = await sharedService()
  const image = Buffer.from(
    await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
  )
  const direct = async (source: Buffer<ArrayBuffer>, accept: string) => {
    const form = new FormData()
    form.set('source', new Blob([source]))
    form.set('operations', '[{"type":"grayscale"}]')
    const headers = { authorization: `Bearer ${worker.account.liveKey}`, accept, prefer: 'wait=30' }
    return await fetch(`${worker.url}/v1/images/process`, { method: 'POST', body: form, headers })
  }
  const failed = await direct(Buffer.from('{}'), 'image/*')
  assert.equal(failed.status, 422)
  describesHeaders('POST /v1/images/process', failed)

  const { url } = ((await (await direct(image, 'application/json')).json()) as Json).result.files[0]
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  for (const [status, headers] of [
    [200, {}],
    [206, { range: 'bytes=0-3' }],
    [304, { 'if-none-match': etag }],
    [416, { range: 'bytes=999999-' }],
  ] as const) {
    const response = await fetch(url, { headers })
    assert.equal(response.status, status)
    describesHeaders('GET /v1/results/{id}', response)
  }
  const { upload_url: uploadUrl } = (await call('POST', '/v1/uploads', { body: { size: 3 } })).body
  const chunk = { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  for (const [status, method, headers] of [
    [412, 'PATCH', { ...chunk, 'tus-resumable': '9' }],
    [409, 'PATCH', { ...chunk, 'upload-offset': '2' }],
    [415, 'PATCH', { ...chunk, 'content-type': 'text/plain' }],
    [460, 'PATCH', { ...chunk, 'upload-checksum': `sha1 ${Buffer.alloc(20).toString('base64')}` }],
    [200, 'PUT', {}],
  ] as const) {
    const response = await fetch(uploadUrl, { method, body: 'abc', headers })
    assert.equal(response.status, status, await response.text())
    describesHeaders(`${method} /v1/uploads/{id}/content`, response)
  }
})
