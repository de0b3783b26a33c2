import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startCuttingProxy } from '@mediamill/lab/support/cutting-proxy'
import { createRandom } from '@mediamill/lab/support/random'
import { openAccount } from '@mediamill/lab/support/request-rows'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { Upload } from 'tus-js-client'

const ORIGIN = 'https://app.example.com'
const MIB = 1024 * 1024

const service = await sharedService()
const { call, sql, account } = service
await sql`update accounts set tier = 'paid' where id = ${account.id}`
const other = await service.another()

async function begin(size: number, fields: object = {}, key = account.liveKey): Promise<Json> {
  const { status, body } = await call('POST', '/v1/uploads', { key, body: { size, origin: ORIGIN, ...fields } })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

const bytesOf = (size: number) =>
  Buffer.from(Array.from({ length: size }, (_, index) => (index * 7 + (index >> 8)) & 0xff))
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const asBody = (bytes: Buffer) => new Uint8Array(bytes)

const TUS = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' }
const patch = (url: string, offset: number, bytes: Buffer, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'PATCH', headers: { ...TUS, 'upload-offset': String(offset), ...headers }, body: asBody(bytes) })
const codeOf = async (response: Response) => `${response.status} ${((await response.json()) as Json).error.code}`

test('a signed upload URL accepts a whole file by PUT, only from its one allowed origin [uploads.put.1, uploads.url.2]', async () => {
  const bytes = bytesOf(100_000)
  const waiting = await begin(bytes.length, { filename: 'a.bin' })
  assert.deepEqual([waiting.status, waiting.filename, waiting.received], ['waiting', 'a.bin', 0])
  const unready = await call('POST', '/v1/images/read', { body: { source: waiting.source } })
  assert.deepEqual([unready.status, unready.body.error.code], [422, 'upload_incomplete'])
  const asked = await fetch(waiting.upload_url, {
    method: 'OPTIONS',
    headers: { origin: ORIGIN, 'access-control-request-method': 'PUT' },
  })
  assert.deepEqual([asked.status, asked.headers.get('access-control-allow-origin')], [204, ORIGIN])
  assert.match(asked.headers.get('access-control-allow-methods') ?? '', /PUT, PATCH, HEAD, DELETE/)
  for (const origin of ['https://evil.example', 'null', `${ORIGIN}.evil.example`]) {
    const foreign = await fetch(waiting.upload_url, { method: 'OPTIONS', headers: { origin } })
    assert.equal(foreign.headers.get('access-control-allow-origin'), null)
  }
  for (const wrong of [bytes.subarray(1), Buffer.concat([bytes, bytes])]) {
    assert.match(
      await codeOf(await fetch(waiting.upload_url, { method: 'PUT', body: asBody(wrong) })),
      /^422 (validation_failed|upload_too_large)$/,
    )
  }
  const put = await fetch(waiting.upload_url, {
    method: 'PUT',
    body: asBody(bytes),
    headers: { origin: ORIGIN, 'content-type': 'application/json' },
  })
  assert.deepEqual([put.status, put.headers.get('access-control-allow-origin')], [200, ORIGIN])
  const { body } = await call('GET', `/v1/uploads/${waiting.id}`)
  assert.deepEqual([body.status, body.size, body.sha256], ['complete', bytes.length, sha256(bytes)])
  assert.equal(
    await codeOf(await fetch(waiting.upload_url, { method: 'PUT', body: asBody(bytes) })),
    '409 upload_offset_mismatch',
  )
})

test('a call that creates a signed upload URL rejects invalid fields, and reserves the upload quota before any byte is sent [uploads.create.2, uploads.size.2]', async () => {
  const rejected = async (body: object) => {
    const response = await call('POST', '/v1/uploads', { body })
    return [response.status, ...response.body.error.errors.map(({ param, code }: Json) => `${param} ${code}`)]
  }
  assert.deepEqual(await rejected({}), [422, 'size required'])
  assert.deepEqual(await rejected({ size: 0 }), [422, 'size out_of_range'])
  for (const text of ['null', '5', '"size"', '[{"size":5}]']) {
    const { status, body } = await call('POST', '/v1/uploads', { body: text })
    const { message, errors } = body.error
    assert.deepEqual([status, errors], [422, []], text)
    assert.match(message, /must be a JSON object, or a file/, text)
  }
  assert.deepEqual(await rejected({ size: 'a', origin: 'app.example.com', extra: 1 }), [
    422,
    'size invalid_type',
    'origin invalid_value',
    'extra unknown_parameter',
  ])
  const small = await openAccount(sql)
  await sql`update accounts set max_source_bytes = 5000, requests_per_minute = 1000 where id = ${small.id}`
  const ask = async (size: number) => {
    const { status, body } = await call('POST', '/v1/uploads', { key: small.liveKey, body: { size } })
    return `${status} ${body.error?.code ?? ''}`
  }
  assert.equal(await ask(5001), '422 upload_too_large')
  for (let count = 0; count < 10; count += 1) assert.equal(await ask(5000), '201 ')
  assert.equal(await ask(1), '422 upload_too_large')
})

test('a signed upload URL is rejected if it is changed, is for another upload, or is expired, or if its account is suspended [uploads.url.1]', async () => {
  const { upload_url: url, id } = await begin(10)
  const another = await begin(10)
  const result = url.replace(/\/uploads\/.*\/content/, '/results/1')
  assert.equal((await fetch(result, { redirect: 'manual' })).status, 403)
  const methods = ['OPTIONS', 'PUT', 'PATCH', 'DELETE']
  for (const wrong of [
    url.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')),
    url.replace(/expires=(\d+)/, (_: string, seconds: string) => `expires=${Number(seconds) + 1}`),
    url.replace(id, another.id),
    url.replace(/\?.*/, ''),
  ]) {
    for (const method of methods) assert.equal(await codeOf(await fetch(wrong, { method })), '403 invalid_signature')
    assert.equal((await fetch(wrong, { method: 'HEAD' })).status, 403)
  }
  assert.equal((await fetch(url, { method: 'GET' })).status, 404, 'it is never served back')
  await sql`update accounts set suspended = true where id = ${account.id}`
  assert.equal(await codeOf(await fetch(url, { method: 'PUT', body: '0123456789' })), '403 account_suspended')
  await sql`update accounts set suspended = false where id = ${account.id}`
  await sql`update uploads set expires_at = now() where id = ${id}`
  for (const method of methods) assert.equal(await codeOf(await fetch(url, { method })), '410 upload_expired')
})

test('tus chunks continue at the last offset; wrong offsets, tus versions, and content types are rejected [uploads.tus.1, uploads.tus.4, uploads.tus.6]', async () => {
  const bytes = bytesOf(30_000)
  const { upload_url: url, id } = await begin(bytes.length)
  const head = () => fetch(url, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } })
  const first = await head()
  assert.deepEqual(
    [
      first.status,
      first.headers.get('upload-offset'),
      first.headers.get('upload-length'),
      first.headers.get('cache-control'),
    ],
    [200, '0', '30000', 'no-store'],
  )
  assert.ok(Date.parse(first.headers.get('upload-expires') ?? '') > Date.now())
  // OPTIONS responds to every tus version.
  const asked = await fetch(url, { method: 'OPTIONS', headers: { 'tus-resumable': '0.2.2' } })
  assert.deepEqual(
    ['tus-version', 'tus-extension'].map((name) => asked.headers.get(name)),
    ['1.0.0', 'termination,expiration,checksum'],
  )
  const done = await patch(url, 0, bytes.subarray(0, 10_000))
  assert.deepEqual([done.status, done.headers.get('upload-offset')], [204, '10000'])
  assert.equal(await codeOf(await patch(url, 0, bytes.subarray(0, 10))), '409 upload_offset_mismatch')
  assert.equal(await codeOf(await patch(url, 10_001, bytes.subarray(0, 10))), '409 upload_offset_mismatch')
  const version = await patch(url, 10_000, bytes.subarray(0, 10), { 'tus-resumable': '0.2.2' })
  assert.equal(version.headers.get('tus-version'), '1.0.0')
  assert.equal(await codeOf(version), '412 tus_version_unsupported')
  assert.equal(
    await codeOf(await patch(url, 10_000, bytes.subarray(0, 10), { 'content-type': 'image/png' })),
    '415 content_type_unsupported',
  )
  assert.equal(await codeOf(await patch(url, 10_000, bytes)), '422 upload_too_large')
  const streamed = new Blob([asBody(bytes)]).stream()
  const over = await fetch(url, {
    method: 'PATCH',
    headers: { ...TUS, 'upload-offset': '10000' },
    body: streamed,
    duplex: 'half',
  } as RequestInit)
  assert.equal(await codeOf(over), '422 upload_too_large')
  const piece = bytes.subarray(10_000)
  const digest = (algorithm: string, of: Buffer) => ({
    'upload-checksum': `${algorithm} ${createHash(algorithm).update(of).digest('base64')}`,
  })
  assert.equal(await codeOf(await patch(url, 10_000, piece, digest('sha1', bytes))), '460 upload_checksum_mismatch')
  assert.equal((await head()).headers.get('upload-offset'), '10000')
  assert.equal((await patch(url, 10_000, Buffer.alloc(0))).status, 204)
  assert.equal((await patch(url.replace(service.url, other), 10_000, piece, digest('sha256', piece))).status, 204)
  const { body } = await call('GET', `/v1/uploads/${id}`)
  assert.deepEqual([body.status, body.sha256], ['complete', sha256(bytes)])
})

test('if twelve chunks for the same offset race, the upload accepts and contains only one of the chunks [uploads.tus.4]', async () => {
  const size = 200_000
  const { upload_url: url, id } = await begin(size)
  const chunks = Array.from({ length: 12 }, (_, at) => Buffer.alloc(size, at + 1))
  const responses = await Promise.all(
    chunks.map(async (chunk, at) => await patch(at % 2 === 0 ? url : url.replace(service.url, other), 0, chunk)),
  )
  const accepted = responses.flatMap(({ status }, at) => (status === 204 ? [at] : []))
  assert.equal(accepted.length, 1)
  for (const response of responses)
    if (response.status !== 204) assert.equal(await codeOf(response), '409 upload_offset_mismatch')
  const { body } = await call('GET', `/v1/uploads/${id}`)
  assert.deepEqual([body.status, body.sha256], ['complete', sha256(chunks[accepted[0] ?? 0] ?? Buffer.alloc(0))])
  assert.equal((await sql`select from upload_parts where upload_id = ${id}`).length, 1)
})

test('tus-js-client uploads an identical file over connections that are cut at random bytes [uploads.tus.3]', async () => {
  const bytes = bytesOf(6 * MIB)
  const { upload_url: url, id } = await begin(bytes.length)
  const random = createRandom(Number(process.env['SEED'] ?? Date.now() % 1_000_000))
  let connections = 0
  await using proxy = await startCuttingProxy(service.url, () => {
    connections += 1
    return connections % 2 === 0 || connections > 60 ? undefined : random.integer(0, 400_000)
  })
  await new Promise<void>((resolve, reject) => {
    new Upload(bytes, {
      uploadUrl: url.replace(service.url, proxy.url),
      chunkSize: 256 * 1024,
      retryDelays: Array.from({ length: 1000 }, () => 1),
      headers: { connection: 'close' },
      onSuccess: () => resolve(),
      onError: reject,
    }).start()
  })
  assert.ok(proxy.cuts >= 5, `${proxy.cuts} cuts`)
  const { body } = await call('GET', `/v1/uploads/${id}`)
  assert.deepEqual([body.status, body.size, body.sha256], ['complete', bytes.length, sha256(bytes)])
})

test('tus-js-client can upload to an uploadUrl without an endpoint, with the options that Uppy sets [uploads.tus.1]', async () => {
  const bytes = bytesOf(MIB)
  const { upload_url: uploadUrl, id } = await begin(bytes.length)
  await new Promise<void>((resolve, reject) => {
    const upload = new Upload(bytes, {
      uploadUrl,
      chunkSize: 16 * MIB,
      retryDelays: [0, 1000, 3000, 5000],
      storeFingerprintForResuming: true,
      removeFingerprintOnSuccess: true,
      metadata: { name: 'clip.mp4', type: 'video/mp4', upload: id },
      onSuccess: () => resolve(),
      onError: reject,
    })
    // Like Uppy, first search for an earlier upload of the same file.
    upload.findPreviousUploads().then(() => upload.start(), reject)
  })
  const { body } = await call('GET', `/v1/uploads/${id}`)
  assert.deepEqual([body.status, body.sha256], ['complete', sha256(bytes)])
})

test('a client that cannot send PATCH and DELETE can use POST instead, as tus-js-client supports [uploads.tus.2]', async () => {
  const bytes = bytesOf(MIB)
  const { upload_url: url, id } = await begin(bytes.length)
  await new Promise<void>((resolve, reject) => {
    const options = { uploadUrl: url, chunkSize: 256 * 1024, overridePatchMethod: true }
    new Upload(bytes, { ...options, onSuccess: () => resolve(), onError: reject }).start()
  })
  const { body } = await call('GET', `/v1/uploads/${id}`)
  assert.deepEqual([body.status, body.sha256], ['complete', sha256(bytes)])
  const post = (headers: Record<string, string>) => fetch(url, { method: 'POST', headers })
  assert.equal(await codeOf(await post({})), '404 not_found')
  assert.equal(await codeOf(await post({ 'x-http-method-override': 'PUT' })), '404 not_found')
  assert.equal(await codeOf(await post({ 'x-http-method-override': 'PATCH' })), '412 tus_version_unsupported')
  const both = await patch(url, bytes.length, Buffer.alloc(0), { 'x-http-method-override': 'DELETE' })
  assert.equal(await codeOf(both), '422 validation_failed')
  const ended = await post({ 'x-http-method-override': 'DELETE', 'tus-resumable': '1.0.0' })
  assert.equal(ended.status, 204)
  assert.equal((await call('GET', `/v1/uploads/${id}`)).status, 404)
  assert.equal(
    await codeOf(await fetch(url.replace(/signature=./, 'signature=x'), { method: 'POST' })),
    '404 not_found',
  )
})
