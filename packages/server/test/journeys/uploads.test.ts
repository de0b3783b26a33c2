import assert from 'node:assert/strict'
import { execFile as execFileCallback } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '@mediamill/lab/support/process'
import { openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { startRole } from '@mediamill/lab/support/role-process'
import type { CallResponse, Json } from '@mediamill/lab/support/service'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { markUpload } from '../../src/db/uploads/delete.ts'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'
import { deriveLinkKeys } from '../../src/store/link.ts'
import { findStoredSource } from '../../src/uploads/stored-source.ts'

const service = await sharedService()
const { call, finish, sql, account } = service
const photo = await readFile(sampleFile('photo.jpg'))
const logo = await readFile(sampleFile('logo.png'))
const clip = await readFile(sampleFile('clip.mp4'))

const MIB = 1024 * 1024

async function upload(
  bytes: Buffer | ReadableStream,
  {
    key = account.liveKey,
    type = 'application/octet-stream' as string | null,
    url = service.url,
    method = 'POST',
  } = {},
): Promise<CallResponse> {
  const response = await fetch(`${url}/v1/uploads`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(type !== null && { 'content-type': type }) },
    body: bytes as NonNullable<RequestInit['body']>,
    duplex: 'half',
  } as RequestInit)
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json }
}

const filesKept = async () =>
  (await readdir(join(service.dataDir, 'results'), { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile() && entry.name.endsWith('.upload'),
  ).length

async function untilReceiving(): Promise<void> {
  await until(async () => (await sql`select from upload_parts where size is null limit 1`).length > 0)
}

const roomTaken = async () => {
  const rows = await sql<{ bytes: number; sum: number }[]>`
    select r.bytes, (select coalesce(sum(size + room_extra), 0)::bigint from uploads u where u.account_id = r.account_id and u.livemode = r.livemode) as sum
    from upload_room r`
  for (const { bytes, sum } of rows) assert.equal(bytes, sum)
  return rows.reduce((all, { bytes }) => all + bytes, 0)
}

test('a raw upload gets its file name from the query, which has the same rules as a file name in a body [uploads.create.3]', async () => {
  const send = (query: string, body: Buffer | string = photo, type = 'image/jpeg') =>
    fetch(`${service.url}/v1/uploads${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.liveKey}`, 'content-type': type },
      body: body as NonNullable<RequestInit['body']>,
    })
  const named = (await (await send('?filename=my%20photo.jpg')).json()) as Json
  assert.equal(named.filename, 'my photo.jpg')
  assert.equal((await call('GET', `/v1/uploads/${named.id}`)).body.filename, 'my photo.jpg')
  const before = await filesKept()
  for (const bad of ['%0d%0a', '..', 'a%2Fb', '%E2%80%AEgnp.exe', 'x'.repeat(256)]) {
    const rejected = await send(`?filename=${bad}`)
    const { error } = (await rejected.json()) as Json
    assert.deepEqual([rejected.status, error.code, error.param], [422, 'validation_failed', 'filename'], bad)
  }
  assert.equal(await filesKept(), before)
  const json = (body: object) => send('?filename=query.jpg', JSON.stringify(body), 'application/json')
  assert.equal(((await (await json({ size: 9 })).json()) as Json).filename, 'query.jpg')
  assert.equal(((await (await json({ size: 9, filename: 'body.jpg' })).json()) as Json).filename, 'body.jpg')
})

test('an upload accepts any content type and an unknown length, but rejects JSON, forms, and empty bodies [uploads.create.1]', async () => {
  for (const type of [null, 'image/jpeg', 'text/plain', 'application/octet-stream', 'x/y; z=1']) {
    const { status, body } = await upload(photo, { type })
    assert.deepEqual([status, body.format], [201, 'JPEG'], String(type))
  }
  const { status, body } = await upload(new Blob([new Uint8Array(photo)]).stream())
  assert.deepEqual([status, body.size], [201, photo.length])
  const unknown = await upload(Buffer.from('not a picture'))
  assert.deepEqual([unknown.status, unknown.body.format], [201, null])
  const form = await upload(photo, { type: 'multipart/form-data; boundary=x' })
  assert.deepEqual([form.status, form.body.error.code], [422, 'validation_failed'])
  for (const method of ['POST', 'PUT']) {
    const encoded = await upload(photo, { type: 'application/x-www-form-urlencoded', method })
    assert.deepEqual([encoded.status, encoded.body.error.code], [422, 'validation_failed'])
    assert.match(encoded.body.error.message, /curl -T photo\.jpg.*--data-binary @photo\.jpg/)
  }
  for (const bytes of [Buffer.alloc(0), new Blob([]).stream()]) {
    const empty = await upload(bytes)
    assert.deepEqual([empty.status, empty.body.error.code], [422, 'validation_failed'])
  }
  await roomTaken()
})

test('an upload is accepted by PUT, which curl -T sends, exactly as by POST [uploads.create.1]', async () => {
  for (const type of [null, 'image/jpeg']) {
    const { status, body } = await upload(photo, { type, method: 'PUT' })
    const { id, created_at, expires_at, ...metadata } = body
    assert.equal(status, 201)
    const { id: _id, created_at: _created, expires_at: _expires, ...posted } = (await upload(photo)).body
    assert.deepEqual({ ...metadata, source: null }, { ...posted, source: null })
    assert.deepEqual((await call('GET', `/v1/uploads/${id}`)).body, body)
  }
  const execFile = promisify(execFileCallback)
  const { stdout } = await execFile('curl', [
    '-sS',
    '-T',
    sampleFile('photo.jpg').pathname,
    `${service.url}/v1/uploads`,
    '-H',
    `Authorization: Bearer ${account.liveKey}`,
  ])
  assert.equal((JSON.parse(stdout) as Json).sha256, createHash('sha256').update(photo).digest('hex'))
})

test('an upload over the source size limit is rejected by its announced size, or at the first byte over the limit [uploads.size.1]', async () => {
  const small = await openAccount(sql)
  await sql`update accounts set max_source_bytes = ${MIB}, requests_per_minute = 1000 where id = ${small.id}`
  const key = small.liveKey
  assert.equal((await upload(Buffer.alloc(MIB, 'x'), { key })).status, 201)
  const kept = await filesKept()
  const over = await upload(Buffer.alloc(MIB + 1, 'x'), { key })
  assert.deepEqual([over.status, over.body.error.code], [422, 'upload_too_large'])
  const streamed = await upload(new Blob([new Uint8Array(MIB + 1)]).stream(), { key })
  assert.deepEqual([streamed.status, streamed.body.error.code], [422, 'upload_too_large'])
  const answered = await new Promise<number | undefined>((resolve, reject) => {
    const sending = httpRequest(`${service.url}/v1/uploads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-length': 50 * MIB },
    })
    sending.on('response', (response) => {
      resolve(response.statusCode)
      sending.destroy()
    })
    sending.on('error', reject)
    sending.flushHeaders()
  })
  assert.equal(answered, 422)
  assert.equal(await filesKept(), kept)
})

test('the upload quota is exactly ten times the source size limit, even with concurrent uploads to two processes [uploads.size.2]', async () => {
  const small = await openAccount(sql)
  await sql`update accounts set max_source_bytes = 5000, requests_per_minute = 1000 where id = ${small.id}`
  const other = await service.another()
  const sent = Array.from({ length: 14 }, (_, index) =>
    upload(Buffer.alloc(5000, 'x'), { key: small.liveKey, url: index % 2 === 0 ? service.url : other }),
  )
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  assert.deepEqual(
    statuses.toSorted((one, two) => one - two),
    [...Array(10).fill(201), ...Array(4).fill(422)],
  )
  const full = await upload(Buffer.from('x'), { key: small.liveKey })
  assert.deepEqual([full.status, full.body.error.code], [422, 'upload_too_large'])
  assert.equal((await upload(Buffer.from('x'), { key: small.testKey })).status, 201)
  const [first] = (await Promise.all(sent)).filter(({ status }) => status === 201)
  assert.equal((await call('DELETE', `/v1/uploads/${first?.body.id}`, { key: small.liveKey })).status, 200)
  assert.equal((await upload(Buffer.alloc(5000, 'x'), { key: small.liveKey })).status, 201)
  await roomTaken()
})

test('an uploaded video or document is a valid source, and a video is read by ranges [uploads.object.5]', async () => {
  await sql`update accounts set tier = 'paid' where id = ${account.id}`
  const { source } = (await upload(clip)).body
  const read = await finish('/v1/videos/read', { source })
  assert.deepEqual([read.status, read.result?.data.size], ['succeeded', clip.length])
  const still = await finish('/v1/videos/screenshot', { source, seconds: 1 })
  assert.equal(still.status, 'succeeded', JSON.stringify(still.error))
  const report = (await upload(await readFile(sampleFile('report.pdf')))).body
  const document = await finish('/v1/documents/read', { source: report.source })
  assert.equal(document.status, 'succeeded', JSON.stringify(document.error))
})

test('an interrupted upload leaves no file in the store and does not use the quota [uploads.delete.4]', async () => {
  const [kept, taken] = [await filesKept(), await roomTaken()]
  await new Promise<void>((resolve) => {
    const sending = httpRequest(`${service.url}/v1/uploads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.liveKey}`, 'content-length': 4 * MIB },
    })
    sending.on('error', () => resolve())
    sending.on('close', () => resolve())
    sending.write(randomBytes(2 * MIB))
    void untilReceiving().then(() => sending.destroy())
  })
  // Ignore signed uploads that wait for their file, because another test creates them.
  await until(
    async () =>
      (await sql`select from uploads where status in ('waiting', 'deleting') and not signed limit 1`).length === 0,
  )
  assert.deepEqual([await filesKept(), await roomTaken()], [kept, taken])
})

test('a call whose source is an upload that is being deleted waits until the deletion ends, and is then rejected [uploads.delete.2]', async () => {
  const { id, source } = (await upload(logo)).body
  const owner = { accountId: account.id, livemode: true }
  const beginning = await sql.begin(async (tx) => {
    assert.equal(await markUpload(tx, owner, id, 60_000), 'deleting')
    const answered = call('POST', '/v1/images/read', { body: { source } })
    let hasResponse = false
    void answered.then(() => void (hasResponse = true))
    await until(async () => {
      const [waits] = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`
      return hasResponse || waits !== undefined
    })
    return { answered }
  })
  const { status, body } = await beginning.answered
  assert.deepEqual([status, body.error?.code, body.error?.param], [422, 'upload_not_found', 'source'])
})

test('the worker checks again that an upload belongs to the account and mode, and that its size is allowed [uploads.object.2, sources.size.1]', async () => {
  const { source } = (await upload(logo)).body
  const links = { keys: deriveLinkKeys([SECRET_KEY]), baseUrl: service.url }
  const other = await openAccount(sql)
  const partsFor = async (accountId: number, livemode: boolean) =>
    (await findStoredSource(sql, links, { accountId, livemode }, source))?.length
  assert.deepEqual(
    [await partsFor(account.id, true), await partsFor(account.id, false), await partsFor(other.id, true)],
    [1, 0, 0],
  )
  await using idle = await startService({ workers: false })
  const small = (await upload(logo, { key: idle.account.liveKey, url: idle.url })).body
  const accepted = await idle.call('POST', '/v1/images/read', { body: { source: small.source } })
  await idle.sql`update accounts set max_source_bytes = 100 where id = ${idle.account.id}`
  await using _worker = await startRole('worker', {
    DATABASE_URL: idle.databaseUrl,
    SECRET_KEY,
    DATA_DIR: idle.dataDir,
    BASE_URL: idle.url,
  })
  const request = await idle.settled(accepted.body.id)
  assert.deepEqual([request.status, request.error?.code], ['failed', 'source_too_large'])
})

test('a PUT of an unknown length that ends before the size of its upload is rejected, and the file can be sent again [uploads.create.1]', async () => {
  const { body: waiting } = await call('POST', '/v1/uploads', { body: { size: 5 } })
  const short = new Blob(['1234']).stream()
  const rejected = await fetch(waiting.upload_url, { method: 'PUT', body: short, duplex: 'half' })
  assert.equal(rejected.status, 422)
  assert.equal((await call('GET', `/v1/uploads/${waiting.id}`)).body.received, 0)
  assert.equal((await fetch(waiting.upload_url, { method: 'PUT', body: '12345' })).status, 200)
})

test('an upload with a Content-Encoding is rejected, because files are processed as stored [uploads.create.1]', async () => {
  const response = await fetch(`${service.url}/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.liveKey}`, 'content-encoding': 'gzip' },
    body: new Uint8Array(photo),
  })
  assert.equal(response.status, 422)
  const { body: waiting } = await call('POST', '/v1/uploads', { body: { size: 5 } })
  for (const [method, headers] of [
    ['PUT', {}],
    ['PATCH', { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }],
  ] as const) {
    const sent = { method, headers: { ...headers, 'content-encoding': 'gzip' }, body: '12345' }
    assert.equal((await fetch(waiting.upload_url, sent)).status, 422, method)
  }
  assert.equal((await call('GET', `/v1/uploads/${waiting.id}`)).body.received, 0)
})
