import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { PutBucketCorsCommand } from '@aws-sdk/client-s3'
import { readCodeBlocks } from '@mediamill/lab/support/code-blocks'
import { quarters } from '@mediamill/lab/support/images'
import { startS3rver, useCredentials } from '@mediamill/lab/support/s3-server'
import { sharedService } from '@mediamill/lab/support/service'
import { shared } from '@mediamill/lab/support/shared'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { openStore } from '../../src/app/shared-resources.ts'
import { readConfig } from '../../src/config/config.ts'

const server = shared(await startS3rver())
useCredentials(server)
const photo = await quarters(40, 30)
const sources = await sharedSourceServer({ '/photo.png': photo })
const settings = { STORAGE_URL: server.storageUrl }
const service = await sharedService({ allowed: [sources.host], settings })

const body = { source: sources.url('/photo.png'), operations: [{ type: 'grayscale' }], output: { format: 'png' } }

async function filesInBucket(): Promise<number> {
  const config = readConfig({ STORAGE_URL: server.storageUrl })
  const store = await openStore({ ...config, databaseUrl: '', secretKey: '' })
  return (await Array.fromAsync(store.keys(new Date(Date.now() + 3_600_000)))).length
}

test('the service redirects GET and HEAD of a result to the bucket [results.files.1, results.files.2]', async () => {
  const request = await service.finish('/v1/images/process', body)
  assert.equal(request.status, 'succeeded')
  const [file] = request.result.files
  const link = await service.call('GET', file.url, { key: null })
  assert.equal(link.status, 302)
  assert.equal(link.headers.get('cache-control'), 'no-store')
  const location = link.headers.get('location') ?? ''
  assert.ok(location.startsWith(`${server.endpoint}/${server.bucket}/some/where/`), location)
  const download = await fetch(file.url)
  assert.equal(download.headers.get('content-type'), 'image/png')
  assert.equal(download.headers.get('content-disposition'), `inline; filename="${request.id}.png"`)
  assert.equal((await download.arrayBuffer()).byteLength, file.size)
  const head = await fetch(file.url, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(file.size)])
})

test('with the CORS rule of docs/operate/object-storage.md, web pages can read results in a bucket [results.files.4]', async () => {
  const [block] = readCodeBlocks().filter(
    ({ page, language }) => page === 'docs/operate/object-storage.md' && language === 'json',
  )
  assert.ok(block !== undefined)
  const { client, bucket } = server
  await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: JSON.parse(block.code) }))
  const request = await service.finish('/v1/images/process', body)
  const download = await fetch(request.result.files[0].url, { headers: { origin: 'https://app.example.com' } })
  assert.equal(download.headers.get('access-control-allow-origin'), '*')
  await download.arrayBuffer()
})

test('the service stores an upload in the bucket, reads it as a source, and deletes it [uploads.delete.1]', async () => {
  const before = await filesInBucket()
  const send = (bytes: Buffer) =>
    fetch(`${service.url}/v1/uploads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.account.liveKey}` },
      body: new Uint8Array(bytes),
    })
  const { id, source } = (await (await send(photo)).json()) as { id: string; source: string }
  // Larger than the part of an upload that the service keeps in memory.
  const large = (await (await send(Buffer.alloc(12 * 1024 * 1024, 'large'))).json()) as { id: string; size: number }
  assert.equal(large.size, 12 * 1024 * 1024)
  assert.equal(await filesInBucket(), before + 2)
  const request = await service.finish('/v1/images/read', { source })
  assert.deepEqual([request.status, request.result?.data.size], ['succeeded', photo.length])
  for (const one of [id, large.id]) assert.equal((await service.call('DELETE', `/v1/uploads/${one}`)).status, 200)
  assert.equal(await filesInBucket(), before)
})

test('if the bucket is unavailable, a finished job waits for the bucket, and is neither lost nor repeated', async () => {
  let fetched = 0
  const asked = Promise.withResolvers<void>()
  sources.files.set('/waiting.png', (_call, response) => {
    fetched += 1
    void server.stop().then(() => {
      response.end(photo)
      asked.resolve()
    })
  })
  const stored = await filesInBucket()
  const waiting = { ...body, source: sources.url('/waiting.png') }
  const accepted = await service.call('POST', '/v1/images/process', { body: waiting })
  await asked.promise
  // This server closes each connection. It uses the port of the stopped store, so it detects the first upload.
  const rejecting = createServer((socket) => socket.destroy()).listen(
    Number(new URL(server.endpoint).port),
    '127.0.0.1',
  )
  await once(rejecting, 'connection')
  assert.equal((await service.call('GET', `/v1/requests/${accepted.body.id}`)).body.status, 'processing')
  rejecting.close()
  await once(rejecting, 'close')
  await server.start()
  const request = await service.settled(accepted.body.id)
  assert.equal(request.status, 'succeeded')
  assert.equal(fetched, 1)
  assert.equal(await filesInBucket(), stored + 1)
  const [row] = await service.sql`select attempt from requests where id = ${request.id}`
  assert.equal(row?.['attempt'], 1)
})
