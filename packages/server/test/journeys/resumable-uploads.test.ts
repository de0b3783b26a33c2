import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createRandom } from '@mediamill/lab/support/random'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { startCuttingProxy } from '@mediamill/lab/support/tcp-proxy'
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
