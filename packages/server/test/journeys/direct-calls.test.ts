import assert from 'node:assert/strict'
import { execFile as execFileCallback } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { until } from '@mediamill/lab/support/process'
import { openAccount } from '@mediamill/lab/support/request-rows'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { sniff } from '@mediamill/media/formats/sniff'
import { createKey } from '../../src/accounts/create-key.ts'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'
import { openDiskStore } from '../../src/store/disk.ts'
import { deleteDueUploads, sweepChunks } from '../../src/uploads/remove.ts'

const sources = await sharedSourceServer()
const service = await sharedService({ allowed: [sources.host] })
const folder = await sharedFolder('mediamill-direct-')
const { sql, account } = service
const photo = await readFile(sampleFile('photo.jpg'))
const logo = await readFile(sampleFile('logo.png'))
const store = await openDiskStore(join(service.dataDir, 'results'))

const RESIZE = [{ type: 'resize', width: 80, height: 80 }]
const AS_BYTES = { accept: 'image/*', prefer: 'wait=55' }
const blob = (bytes: Buffer) => new Blob([new Uint8Array(bytes)])

type Parts = Record<string, string | Blob>

async function send(
  parts: Parts | { body: string | Buffer; type: string },
  {
    headers = {},
    path = 'images/process',
    key = account.liveKey,
  }: { headers?: Record<string, string>; path?: string; key?: string } = {},
) {
  const raw = 'type' in parts && 'body' in parts ? (parts as { body: string; type: string }) : undefined
  const form = new FormData()
  if (raw === undefined) for (const [name, value] of Object.entries(parts as Parts)) form.append(name, value as string)
  const response = await fetch(`${service.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(raw && { 'content-type': raw.type }), ...headers },
    body: raw?.body ?? form,
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    body: (isJson ? JSON.parse(String(bytes)) : {}) as Json,
  }
}

async function assertNoUploads(): Promise<void> {
  assert.deepEqual([...(await sql`select id from uploads where status <> 'deleting'`)], [])
  await until(async () => {
    await sweepChunks(sql, store)
    await deleteDueUploads(sql, store)
    return (await sql`select from uploads`).length + (await sql`select from upload_parts`).length === 0
  })
  assert.deepEqual([...(await sql`select account_id from upload_room where bytes <> 0`)], [])
  const files = await readdir(join(service.dataDir, 'results'), { recursive: true, withFileTypes: true })
  assert.deepEqual(
    files.filter((entry) => entry.isFile() && entry.name.endsWith('.upload')).map(({ name }) => name),
    [],
  )
}

const requestCount = async () => (await sql<{ n: number }[]>`select count(*)::integer as n from requests`)[0]?.n

test('curl sends a file and receives the result in a single call, which counts as one call [direct.files.1]', async () => {
  const small = await openAccount(sql)
  const output = join(folder, 'small.png')
  const run = promisify(execFileCallback)
  const form = ['-F', `source=@${fileURLToPath(sampleFile('photo.jpg'))}`, '-F', `operations=${JSON.stringify(RESIZE)}`]
  const headers = ['-H', `Authorization: Bearer ${small.testKey}`, '-H', 'Accept: image/*', '-H', 'Prefer: wait=55']
  const url = `${service.url}/v1/images/process`
  const { stdout } = await run('curl', [
    '-sS',
    '-D',
    '-',
    '-o',
    output,
    url,
    ...headers,
    ...form,
    '-F',
    'output={"format":"png"}',
  ])
  const bytes = await readFile(output)
  assert.match(stdout, /^HTTP\/1.1 200 /)
  assert.equal(sniff(bytes), 'PNG', String(bytes.subarray(0, 500)))
  assert.match(stdout, /^content-type: image\/png\r$/im)
  assert.match(stdout, /^mediamill-price: 0\.000000\r$/im)
  assert.match(stdout, /^request-id: req_/im)
  assert.match(stdout, /^x-ratelimit-remaining: 9\r$/im)
  await assertNoUploads()
})

const part = (name: string, content: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`
const file = (name: string, content = 'x') => part(name, content, '; filename="a.jpg"')
const OPERATIONS = part('operations', JSON.stringify(RESIZE))

test('an invalid or hostile form returns a clear error, and leaves no file in the store [direct.parts.2]', async () => {
  const before = await requestCount()
  const type = 'multipart/form-data; boundary=b'
  const cases: [string, string, RegExp, string?][] = [
    ['two sources', `${file('source')}${file('source')}${OPERATIONS}--b--`, /two parts named "source"/],
    [
      'an unknown reference',
      `${file('source')}${part('operations', '[{"type":"watermark","image_url":"part:nope","x":1,"y":1}]')}${file('logo')}--b--`,
      /names the file part "nope".*"logo"/,
    ],
    ['an unused file', `${file('file')}${OPERATIONS}--b--`, /nothing uses/],
    ['no source', `${OPERATIONS}--b--`, /source/],
    ['no JSON', `${file('source')}${part('operations', '[{"type":')}--b--`, /^operations: the part is not valid JSON/],
    [
      'a field twice',
      `${file('source')}${part('request', '{"source":"https://example.com/a.jpg"}')}--b--`,
      /source is in the part "request"/,
    ],
    ['no closing boundary', `${OPERATIONS}${file('source', 'x'.repeat(200_000))}`, /closing boundary/],
    [
      '10,000 parts',
      `${Array.from({ length: 10_000 }, (_, index) => part(`p${index}`, 'x')).join('')}--b--`,
      /too many parts/,
    ],
    [
      '10,000 files',
      `${Array.from({ length: 10_000 }, (_, index) => file(`f${index}`)).join('')}--b--`,
      /too many parts/,
    ],
    ['a huge name', `${file('n'.repeat(5_000))}--b--`, /at most 100 characters/],
    [
      'a header of a megabyte',
      `--b\r\nContent-Disposition: form-data; name="source"; filename="${'a'.repeat(1_000_000)}"\r\n\r\nx\r\n--b--`,
      /./,
    ],
    [
      'a part whose name follows 8 KiB of other headers',
      `--b\r\nX-Note: ${'a'.repeat(8_200)}\r\n${file('source').slice('--b\r\n'.length)}${OPERATIONS}--b--`,
      /source/,
    ],
    ['a text of 2 MB', `${part('customer', 'x'.repeat(2_000_000))}--b--`, /must have at most 1 MiB in total/],
    ['an empty file', `${file('source', '')}${OPERATIONS}--b--`, /empty/],
    ['nothing', '', /./],
    ['no boundary', 'x', /boundary/, 'multipart/form-data'],
  ]
  for (const [what, body, message, otherType = type] of cases) {
    const { status, body: response } = await send({ body, type: otherType })
    assert.deepEqual([status, response.error?.code], [422, 'validation_failed'], `${what}: ${JSON.stringify(response)}`)
    assert.match(response.error.message, message, what)
  }
  assert.equal(await requestCount(), before)
  await sweep()
  await assertNoUploads()
})

test('if a form is sent twice with the same idempotency key, neither form leaves an upload [direct.files.2]', async () => {
  const headers = { ...AS_BYTES, 'idempotency-key': 'order-7781' }
  const parts = () => ({ source: blob(photo), operations: JSON.stringify(RESIZE) })
  const first = await send(parts(), { headers })
  const again = await send(parts(), { headers })
  assert.deepEqual([again.headers.get('idempotent-replayed'), again.bytes], ['true', first.bytes])
  await assertNoUploads()
})

async function sweep(): Promise<void> {
  await sql`update uploads set sweep_at = now()`
  await sweepChunks(sql, store)
  await deleteDueUploads(sql, store)
}

test('a form rejects a file above the source size limit of the account, and never uses a file name as a path [direct.parts.3]', async () => {
  const small = await openAccount(sql)
  await sql`update accounts set max_source_bytes = 100000, requests_per_minute = 1000 where id = ${small.id}`
  const operations = JSON.stringify(RESIZE)
  const over = await send({ source: blob(Buffer.alloc(100_001, 'x')), operations }, { key: small.liveKey })
  assert.deepEqual([over.status, over.body.error.code], [422, 'upload_too_large'], over.body.error.message)
  const named = await send({
    type: 'multipart/form-data; boundary=b',
    body: Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="source"; filename="../../etc/passwd"\r\n\r\n'),
      photo,
      Buffer.from(`\r\n${OPERATIONS}--b--\r\n`),
    ]),
  })
  assert.equal(named.status, 202, String(named.bytes))
  await service.settled(named.body.id)
  const names = await sql`select filename from uploads where filename is not null`
  assert.equal(names.length, 0)
  await sweep()
  await assertNoUploads()
})

test('if a call with a form file returns before the request ends, the file is kept until the request ends [direct.files.3]', async () => {
  const { promise: watermark, resolve } = Promise.withResolvers<ServerResponse>()
  sources.files.set('/logo.png', (_call, response) => resolve(response))
  const operations = JSON.stringify([{ type: 'watermark', image_url: sources.url('/logo.png'), x: 5, y: 5 }])
  const { status, body } = await send({ source: blob(photo), operations })
  assert.equal(status, 202)
  const response = await watermark
  await sweep()
  const [row] = await sql<{ soon: boolean; status: string }[]>`
    select expires_at < now() + interval '11 minutes' as soon, status
    from uploads where 'upload:' || id = ${body.source}`
  assert.deepEqual({ ...row }, { soon: true, status: 'complete' })
  response.end(logo)
  assert.equal((await service.settled(body.id)).status, 'succeeded')
  await sweep()
  await assertNoUploads()
})

test('a client that disconnects while it sends a form file leaves no upload and no request [direct.files.3]', async () => {
  const before = await requestCount()
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(
    `POST /v1/images/process HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.liveKey}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 900000\r\n\r\n`,
  )
  socket.write(`${OPERATIONS}${file('source', 'x'.repeat(100_000))}${file('logo', 'y'.repeat(100_000)).slice(0, -10)}`)
  await until(async () => (await sql`select from upload_parts where size is null`).length === 2)
  socket.destroy()
  await until(async () => (await sql`select from uploads`).length === 0)
  assert.equal(await requestCount(), before)
  await assertNoUploads()
})

test('a key that is revoked or expires while a form arrives starts no request, and leaves no file [auth.keys.4]', async () => {
  const before = await requestCount()
  for (const change of [
    sql`revoked_at = now()`,
    sql`restrictions = restrictions || '{"expires_at": "2020-01-01T00:00:00.000Z"}'`,
  ]) {
    const made = await createKey(sql, account.id, {
      name: 'form',
      mode: 'live',
      restrictions: { endpoints: ['images/process'] },
    })
    assert.ok(made !== undefined)
    const headers = { authorization: `Bearer ${made.key}`, 'content-type': 'multipart/form-data; boundary=b' }
    const form = httpRequest(`${service.url}/v1/images/process`, { method: 'POST', agent: false, headers })
    const responded = once(form, 'response') as Promise<[IncomingMessage]>
    form.write(`${OPERATIONS}${file('source', 'x'.repeat(100_000)).slice(0, -10)}`)
    await until(async () => (await sql`select from upload_parts where size is null`).length === 1)
    await sql`update api_keys set ${change} where id = ${made.row.id}`
    form.end(`${'x'.repeat(10)}\r\n--b--\r\n`)
    const [response] = await responded
    assert.equal(JSON.parse(await text(response)).error?.code, 'invalid_api_key')
  }
  assert.equal(await requestCount(), before)
  await assertNoUploads()
})

test('a direct call also returns the bytes of a processed video or document [direct.bytes.1]', async () => {
  const clip = await readFile(sampleFile('clip.mp4'))
  const report = await readFile(sampleFile('report.pdf'))
  const frame = await send({ source: blob(clip), seconds: '0' }, { path: 'videos/screenshot', headers: AS_BYTES })
  assert.deepEqual([frame.status, sniff(frame.bytes)], [200, 'JPEG'], String(frame.bytes.subarray(0, 400)))
  const page = await send({ source: blob(report), page: '1' }, { path: 'documents/snapshot', headers: AS_BYTES })
  assert.deepEqual([page.status, sniff(page.bytes)], [200, 'JPEG'], String(page.bytes.subarray(0, 400)))
  const stamped = await send(
    {
      source: blob(report),
      logo: blob(logo),
      operations: '[{"type":"watermark","image_url":"part:logo","x":1,"y":1}]',
    },
    { path: 'documents/process', headers: { ...AS_BYTES, accept: 'application/pdf' } },
  )
  assert.deepEqual([stamped.status, sniff(stamped.bytes)], [200, 'PDF'], String(stamped.bytes.subarray(0, 400)))
  await assertNoUploads()
})

test('if a direct call accepts only another type than its result, a failure returns the record too [direct.bytes.2]', async () => {
  const failing = (accept: string, format: object = {}) =>
    send(
      {
        source: blob(photo),
        operations: '[{"type":"crop","x":5000,"y":0,"width":9,"height":9}]',
        ...format,
      },
      { headers: { ...AS_BYTES, accept } },
    )
  for (const [accept, format] of [
    ['image/png', {}],
    ['image/jpeg', { output: '{"format":"webp"}' }],
    ['image/jpeg', { outputs: '[{"format":"avif"},{"format":"jpg"}]' }],
  ] as const) {
    const { status, body } = await failing(accept, format)
    assert.deepEqual([status, body.status], [200, 'failed'], accept)
  }
  assert.equal((await failing('image/png, image/jpeg')).status, 422)
  assert.equal((await failing('image/avif', { outputs: '[{"format":"avif"},{"format":"jpg"}]' })).status, 422)
})

test('the error of a failed direct call has the path of the operation or output that failed [direct.bytes.3]', async () => {
  const crop = '{"type":"crop","x":5000,"y":0,"width":9,"height":9}'
  for (const [fields, param] of [
    [{ operations: `[{"type":"grayscale"},${crop}]` }, 'operations.1'],
    [{ operations: `[${crop}]`, outputs: '[{"format":"jpg"}]' }, 'operations.0'],
    [{ outputs: `[{"format":"jpg"},{"operations":[{"type":"grayscale"},${crop}]}]` }, 'outputs.1.operations.1'],
    [{ outputs: '[{"format":"jpg"},{"name":"b","format":"png","max_bytes":1000}]' }, 'outputs.1'],
    [{ operations: '[{"type":"grayscale"}]', source: blob(Buffer.from('{}')) }, undefined],
  ] as const) {
    const { status, body } = await send(
      { source: blob(photo), ...fields },
      { headers: { ...AS_BYTES, accept: 'image/*' } },
    )
    assert.deepEqual([status, body.error.param], [422, param], JSON.stringify(body))
  }
})
