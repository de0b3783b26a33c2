import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import type { ClientRequest } from 'node:http'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { MIN_STORED_BYTES, SHORT_CHUNKS, SIGNED_CALLS_PER_MINUTE } from '@mediamill/contract/domain/uploads'
import { naming } from '@mediamill/lab/support/message'
import { until } from '@mediamill/lab/support/process'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { startS3rver, useCredentials } from '@mediamill/lab/support/s3-server'
import type { Json, Service } from '@mediamill/lab/support/service'
import { startService } from '@mediamill/lab/support/service'
import { isMarker, isStoredFile } from '@mediamill/lab/support/stored-files'

const MIB = 1024 * 1024
const TUS = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' }

/** Sends the first `sent` bytes of an upload. `answered` resolves to the status and error code of the response. */
function sendPart(uploadUrl: string, size: number, sent: number) {
  const { promise: answered, resolve } = Promise.withResolvers<string>()
  const headers = { ...TUS, 'upload-offset': 0, 'content-length': size }
  const call: ClientRequest = httpRequest(uploadUrl, { method: 'PATCH', agent: false, headers })
  call.on('error', () => resolve('closed'))
  call.on('response', (response) => {
    void text(response).then((output) =>
      resolve(`${response.statusCode} ${output === '' ? '' : (JSON.parse(output) as Json).error.code}`),
    )
  })
  call.write(Buffer.alloc(sent, 'x'))
  return { call, answered }
}

const begin = async ({ call }: Service, size: number): Promise<Json> =>
  (await call('POST', '/v1/uploads', { body: { size } })).body

async function rowsOf({ sql, url }: Service) {
  const [row] = await sql<{ uploads: number; parts: number; bytes: number }[]>`
    select (select count(*)::integer from uploads) as uploads, (select count(*)::integer from upload_parts) as parts,
      (select coalesce(sum(bytes), 0) from upload_room) as bytes`
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return { ...row, bytes: Number(row?.bytes), slots: Number(/^mediamill_uploads_receiving (\d+)/m.exec(metrics)?.[1]) }
}

const NOTHING = { uploads: 0, parts: 0, bytes: 0, slots: 0 }
const settled = (service: Service) =>
  until(async () => JSON.stringify(await rowsOf(service)) === JSON.stringify(NOTHING))

const filesOf = async ({ dataDir }: Service) =>
  (await readdir(join(dataDir, 'results'), { recursive: true, withFileTypes: true })).filter(isStoredFile)

function logOf() {
  const stream = new PassThrough()
  const lines: string[] = []
  stream.on('data', (chunk: Buffer) => lines.push(chunk.toString()))
  return { stream, lines }
}

test('30 uploads that are deleted during a transfer end with 410, and leave no slots, bytes, rows, or error lines [uploads.delete.3]', async () => {
  const log = logOf()
  await using service = await startService({ workers: false, settings: { LOG_LEVEL: 'warn' }, logTo: log.stream })
  for (let round = 0; round < 30; round += 1) {
    const { id, upload_url: url } = await begin(service, 25_000_000)
    const { call, answered } = sendPart(url, 25_000_000, 700_000)
    await until(async () => (await rowsOf(service)).parts === 1)
    const deleted =
      round % 2 === 0
        ? (await service.call('DELETE', `/v1/uploads/${id}`)).status
        : (await fetch(url, { method: 'DELETE' })).status
    assert.equal(deleted, round % 2 === 0 ? 200 : 204)
    assert.equal(await answered, '410 upload_expired')
    call.destroy()
    await settled(service)
  }
  assert.deepEqual(await filesOf(service), [])
  assert.deepEqual(log.lines, [])
  const other = await openAccount(service.sql)
  const sent = await fetch(`${service.url}/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${other.liveKey}` },
    body: new Uint8Array(1_000),
  })
  assert.equal(sent.status, 201)
})

test('if an upload is deleted through one process, its transfer through another process ends with 410 [uploads.delete.3]', async () => {
  await using service = await startService({ workers: false })
  const other = await service.another()
  const { id, upload_url: url } = await begin(service, 25_000_000)
  const { call, answered } = sendPart(url, 25_000_000, 700_000)
  await until(async () => (await rowsOf(service)).parts === 1)
  const deleted = await service.call('DELETE', `${other}/v1/uploads/${id}`)
  assert.equal(deleted.status, 200)
  assert.equal(await answered, '410 upload_expired')
  call.destroy()
  await settled(service)
  assert.deepEqual(await filesOf(service), [])
})

test('an upload that is deleted during its transfer leaves no object and no unfinished multipart upload in a bucket [uploads.delete.3]', async () => {
  await using server = await startS3rver()
  useCredentials(server)
  await using service = await startService({ workers: false, settings: { STORAGE_URL: server.storageUrl } })
  const { id, upload_url: url } = await begin(service, 20 * MIB)
  const { call, answered } = sendPart(url, 20 * MIB, 7 * MIB)
  const open = async () =>
    (await server.client.send(new ListMultipartUploadsCommand({ Bucket: server.bucket })).catch(() => undefined))
      ?.Uploads ?? []
  await until(async () => (await rowsOf(service)).parts === 1)
  assert.equal((await service.call('DELETE', `/v1/uploads/${id}`)).status, 200)
  assert.equal(await answered, '410 upload_expired')
  call.destroy()
  await settled(service)
  const objects = await server.client.send(new ListObjectsV2Command({ Bucket: server.bucket }))
  const kept = (objects.Contents ?? []).filter(({ Key }) => !isMarker(Key))
  assert.deepEqual([kept, await open()], [[], []])
})

test('an upload accepts at most 100 short chunks before its last chunk, and each short chunk uses a whole disk block of the quota [uploads.tus.7, uploads.size.5]', async () => {
  await using service = await startService({ workers: false })
  const { upload_url: url } = await begin(service, 5_000)
  const patch = async (offset: number, bytes: number) => {
    const headers = { ...TUS, 'upload-offset': String(offset) }
    const response = await fetch(url, { method: 'PATCH', headers, body: new Uint8Array(bytes) })
    return response.status === 204 ? '204' : ((await response.json()) as Json).error.message
  }
  for (let offset = 0; offset < SHORT_CHUNKS.chunks; offset += 1) assert.equal(await patch(offset, 1), '204')
  assert.match(await patch(SHORT_CHUNKS.chunks, 1), /already has 100 chunks below 65536 bytes/)
  const { parts, bytes } = await rowsOf(service)
  assert.deepEqual([parts, bytes], [100, 5_000 + 100 * (MIN_STORED_BYTES - 1)])
  assert.equal(await patch(SHORT_CHUNKS.chunks, 4_900), '204', 'the last chunk may be short')
})

test('uploads in short chunks cannot store more than the upload quota of the account [uploads.size.2]', async () => {
  await using service = await startService({ workers: false })
  await service.sql`update accounts set max_source_bytes = 5000`
  const uploads = []
  for (let count = 0; count < 10; count += 1) uploads.push(await begin(service, 5_000))
  const response = await fetch(uploads[0].upload_url, {
    method: 'PATCH',
    headers: { ...TUS, 'upload-offset': '0' },
    body: 'x',
  })
  assert.deepEqual([response.status, ((await response.json()) as Json).error.code], [422, 'upload_too_large'])
  const { parts, bytes } = await rowsOf(service)
  assert.deepEqual([parts, bytes], [0, 50_000])
})

test('calls to all signed upload URLs of an account share one limit per minute [uploads.url.3]', async () => {
  await using service = await startService({ workers: false })
  const { upload_url: url } = await begin(service, 5_000)
  const statuses = new Map<number, number>()
  const head = async () => {
    const { status } = await fetch(url, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  for (let sent = 0; sent < SIGNED_CALLS_PER_MINUTE + 10; sent += 10)
    await Promise.all(Array.from({ length: 10 }, head))
  assert.deepEqual(
    statuses,
    new Map([
      [200, SIGNED_CALLS_PER_MINUTE],
      [429, 10],
    ]),
  )
})

test("an upload's file name with control characters, bidi controls, or path separators is rejected [uploads.create.3]", async () => {
  await using service = await startService({ workers: false })
  const messageFor = async (filename: string) => {
    const { status, body } = await service.call('POST', '/v1/uploads', { body: { size: 5, filename } })
    return status === 201 ? undefined : `${status} ${body.error.errors[0].code}: ${body.error.errors[0].message}`
  }
  const bidi = [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069]
  const separators = ['../a.png', 'a\\b.png', 'a\r\nb.png', 'a\u0085.png', 'a\u2028.png', '/etc/passwd']
  for (const filename of [...separators, ...bidi.map((sign) => `a${String.fromCodePoint(sign)}gnp.exe`)])
    assert.match(
      (await messageFor(filename)) ?? '',
      naming('422 invalid_value: filename', 'control characters', 'path separators (/ and \\)'),
      JSON.stringify(filename),
    )
  for (const filename of ['.', '..'])
    assert.match((await messageFor(filename)) ?? '', naming('422 invalid_value: filename', '"."', '".."'), filename)
  for (const filename of ['Ärger & Söhne (2).png', '写真.jpg', 'صورة.jpg', 'תמונה.png', '...', '.a', 'a:b.png'])
    assert.equal(await messageFor(filename), undefined, filename)
})
