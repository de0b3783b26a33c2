import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { quarters } from '@mediamill/lab/support/images'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { startRole } from '@mediamill/lab/support/role-process'
import { startS3rver, startSwift, whyNoSwift } from '@mediamill/lab/support/s3-server'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { shared } from '@mediamill/lab/support/shared'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { makeClip } from '@mediamill/lab/support/video-clip'

/** Starts a bucket. Uses Swift if it is installed, because Swift checks signatures. */
const startBucket = whyNoSwift() === undefined ? startSwift : startS3rver

const sources = await sharedSourceServer({ '/a.png': await quarters(8, 8) })
const folder = await mkdtemp(join(tmpdir(), 'mediamill-destinations-'))
await makeClip(join(folder, 'a.mp4'), { container: 'mp4', width: 32, height: 32, frames: 10 })
sources.files.set('/a.mp4', await readFile(join(folder, 'a.mp4')))
await rm(folder, { recursive: true })
const bucket = shared(await startBucket())
const service = await sharedService({ allowed: [sources.host, new URL(bucket.endpoint).host] })

const grayscale = () => ({ source: sources.url('/a.png'), operations: [{ type: 'grayscale' }] })

function receive(path: string, responseTo: (call: IncomingMessage, response: ServerResponse) => void) {
  const taken: Buffer[] = []
  sources.files.set(path, (call, response) => {
    const chunks: Buffer[] = []
    call.on('data', (chunk: Buffer) => chunks.push(chunk))
    call.on('end', () => {
      taken.push(Buffer.concat(chunks))
      responseTo(call, response)
    })
  })
  return { url: sources.url(path), taken }
}

const ours = async (request: Json) => Buffer.from(await (await fetch(request.result.files[0].url)).arrayBuffer())

test('a result is stored in an S3 bucket by a presigned URL, and is also kept by the service [destinations.files.1]', async () => {
  const object = { Bucket: bucket.bucket, Key: 'made/gray.webp' }
  const signed = new PutObjectCommand({ ...object, ContentType: 'image/webp' })
  const url = await getSignedUrl(bucket.client, signed, { expiresIn: 600, signableHeaders: new Set(['content-type']) })
  const destination = { url, headers: { 'Content-Type': 'image/webp' } }
  const request = await service.finish('/v1/images/process', {
    ...grayscale(),
    output: { format: 'webp', destination },
  })
  assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
  assert.equal(request.price.micro_usd, 2_000)
  const stored = await bucket.client.send(new GetObjectCommand(object))
  const bytes = Buffer.from((await stored.Body?.transformToByteArray()) ?? [])
  assert.ok(bytes.equals(await ours(request)))
  assert.equal((await bucket.client.send(new HeadObjectCommand(object))).ContentType, 'image/webp')
  const { body: again } = await service.call('GET', `/v1/requests/${request.id}`)
  assert.deepEqual(again.input.output, {
    format: 'webp',
    destination: { url: url.split('?')[0], headers: { 'Content-Type': 'image/webp' } },
  })
})

test('an Azure destination gets the header that Azure requires, even for screenshots, and no header of the service [destinations.headers.1]', async () => {
  const azure = receive('/container/shot.png?sv=2026&sig=secret', (call, response) => {
    const { headers } = call
    const isRight = headers['x-ms-blob-type'] === 'BlockBlob' && headers.authorization === undefined
    response.writeHead(isRight && headers['transfer-encoding'] === undefined ? 201 : 400).end()
  })
  const request = await service.finish('/v1/videos/screenshot', {
    source: sources.url('/a.mp4'),
    seconds: 0,
    output: { format: 'png', destination: { url: azure.url, headers: { 'x-ms-blob-type': 'BlockBlob' } } },
  })
  assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
  assert.ok(azure.taken[0]?.equals(await ours(request)))
  assert.deepEqual(request.input.output.destination, { url: sources.url('/container/shot.png') })
})

test('a retry whose destination URL has a new signature returns the first request, and no response contains a signature [idempotency.replays.3, destinations.secrets.1]', async () => {
  const { url } = receive('/again?sig=secret', (_call, response) => void response.writeHead(200).end())
  const headers = { 'idempotency-key': 'to-my-bucket' }
  const send = (to: string) =>
    service.call('POST', '/v1/images/process', {
      headers,
      body: { ...grayscale(), output: { destination: { url: to } } },
    })
  const first = await send(url)
  assert.equal(first.status, 202)
  const again = await send(url.replace('secret', 'renewed'))
  assert.deepEqual([again.status, again.body.id], [200, first.body.id])
  assert.doesNotMatch(JSON.stringify([first.body, again.body]), /secret|renewed/)
  assert.equal((await send(url.replace('again', 'elsewhere'))).body.error.code, 'idempotency_key_reused')
  await service.settled(first.body.id)
})

test('an abort stops the upload to a destination, and the stored encrypted URL is removed when the request ends [requests.abort.2, destinations.secrets.1]', async () => {
  const reached = Promise.withResolvers<IncomingMessage>()
  sources.files.set('/slow?sig=secret', (call) => reached.resolve(call))
  const body = { ...grayscale(), output: { destination: { url: sources.url('/slow?sig=secret') } } }
  const { body: request } = await service.call('POST', '/v1/images/process', { body })
  const call = await reached.promise
  const closed = new Promise((resolve) => call.socket.once('close', resolve))
  const sealed = await service.sql`select destination from requests where id = ${request.id}`
  assert.doesNotMatch(String(sealed[0]?.['destination']), /secret|slow/)
  const { body: aborted } = await service.call('POST', `/v1/requests/${request.id}/abort`)
  assert.equal(aborted.status, 'aborted')
  await closed
  const left = await service.sql`select destination from requests where id = ${request.id}`
  assert.equal(left[0]?.['destination'], null)
})

test('if a worker is lost while it sends a file to a destination, the next worker sends the whole file again [destinations.files.1]', {
  timeout: 120_000,
}, async () => {
  await using alone = await startService({ allowed: [sources.host], workers: false })
  const settings = {
    DATABASE_URL: alone.databaseUrl,
    SECRET_KEY,
    DATA_DIR: alone.dataDir,
    ALLOWED_PRIVATE_HOSTS: sources.host,
  }
  const reached = Promise.withResolvers<void>()
  sources.files.set('/lost?sig=secret', () => reached.resolve())
  const body = { ...grayscale(), output: { destination: { url: sources.url('/lost?sig=secret') } } }
  const { body: request } = await alone.call('POST', '/v1/images/process', { body })
  await using first = await startRole('worker', settings)
  await reached.promise
  await first.kill()
  const { taken } = receive('/lost?sig=secret', (_call, response) => void response.writeHead(200).end())
  await alone.sql`update workers set seen_at = now() - interval '1 minute'`
  await using second = await startRole('worker', settings)
  const ended = await alone.settled(request.id)
  assert.equal(ended.status, 'succeeded', JSON.stringify(ended.error))
  assert.deepEqual([taken.length, taken[0]?.length], [1, ended.result.files[0].size])
  assert.ok(taken[0]?.equals(await ours(ended)))
  assert.equal(await second.stop(), 0)
})
