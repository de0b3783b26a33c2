import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { quarters } from '@mediamill/lab/support/images'
import { freePort, until } from '@mediamill/lab/support/process'
import { startS3rver, useCredentials } from '@mediamill/lab/support/s3-server'
import { startService } from '@mediamill/lab/support/service'
import { startSourceServer } from '@mediamill/lab/support/source-server'

const photo = await quarters(40, 30)
const operations = [{ type: 'grayscale' }]

async function readinessOf(url: string): Promise<[status: number, checks: Record<string, boolean>]> {
  const response = await fetch(`${url}/readyz`)
  return [response.status, ((await response.json()) as { checks: Record<string, boolean> }).checks]
}

const ALL = { database: true, store: true, disk: true }

test('while the store is unavailable, /readyz returns 503 and names the store, and calls are accepted; then /readyz recovers [operator.health.1]', async () => {
  await using server = await startS3rver()
  useCredentials(server)
  await using service = await startService({ settings: { STORAGE_URL: server.storageUrl }, workers: false })
  assert.deepEqual(await readinessOf(service.url), [200, ALL])
  await server.stop()
  assert.deepEqual(await readinessOf(service.url), [503, { ...ALL, store: false }])
  assert.equal((await service.call('GET', '/livez', { key: null })).status, 200)
  const body = { source: 'https://1.1.1.1/a.jpg', operations }
  assert.equal((await service.call('POST', '/v1/images/process', { body })).status, 202)
  await server.start()
  await until(async () => (await readinessOf(service.url))[0] === 200)
})

test('while the bucket is read-only, /readyz returns 503 and names the store, and calls are accepted; then /readyz recovers [operator.health.1]', {
  timeout: 120_000,
}, async () => {
  await using server = await startS3rver()
  await using bucket = await startReadOnlyProxy(server.endpoint)
  useCredentials(server)
  const storageUrl = server.storageUrl.replace(encodeURIComponent(server.endpoint), encodeURIComponent(bucket.url))
  await using service = await startService({ settings: { STORAGE_URL: storageUrl }, workers: false })
  const upload = async () => {
    const headers = { authorization: `Bearer ${service.account.liveKey}`, 'content-type': 'image/png' }
    return (await fetch(`${service.url}/v1/uploads`, { method: 'POST', headers, body: new Uint8Array(photo) })).status
  }
  assert.equal(await upload(), 201)
  bucket.isReadOnly = true
  assert.equal(await upload(), 500)
  assert.deepEqual(await readinessOf(service.url), [200, ALL], 'after one failed write')
  await until(async () => (await readinessOf(service.url))[0] === 503)
  assert.deepEqual(await readinessOf(service.url), [503, { ...ALL, store: false }])
  const body = { source: 'https://1.1.1.1/a.jpg', operations }
  assert.equal((await service.call('POST', '/v1/images/process', { body })).status, 202)
  bucket.isReadOnly = false
  await until(async () => (await readinessOf(service.url))[0] === 200)
  assert.equal(await upload(), 201)
})

/** Starts a proxy to a bucket. It rejects `PUT` while `isReadOnly`, as a bucket with a read-only policy does. */
async function startReadOnlyProxy(endpoint: string) {
  const { hostname, port } = new URL(endpoint)
  const proxy = await startHttpServer((call, reply) => {
    if (bucket.isReadOnly && call.method === 'PUT') {
      call.resume()
      reply.writeHead(403, { 'content-type': 'application/xml' })
      return void reply.end('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>')
    }
    const { method, url: path, headers } = call
    const onward = request({ hostname, port, method, path, headers }, (response) => {
      reply.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(reply)
    })
    onward.on('error', () => reply.destroy())
    call.pipe(onward)
  })
  const bucket = { ...proxy, isReadOnly: false }
  return bucket
}

test('while the disk is full, /readyz returns 503 and work pauses without failing a request', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-full-'))
  t.after(() => {
    spawnSync('umount', ['--lazy', folder])
    return rm(folder, { recursive: true, force: true })
  })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=100m', 'tmpfs', folder])
  if (mounted.status !== 0) return t.skip('this account may not mount a disk of its own')
  const filler = join(folder, 'filler')
  const { bavail, bsize } = await statfs(folder)
  await writeFile(filler, Buffer.alloc(bavail * bsize - 1024 * 1024))

  await using sources = await startSourceServer({ '/photo.png': photo })
  const port = await freePort()
  const settings = { DATA_DIR: folder, METRICS_PORT: String(port) }
  await using service = await startService({ allowed: [sources.host], settings })
  const worker = `http://127.0.0.1:${port}`
  assert.deepEqual(await readinessOf(worker), [503, { ...ALL, disk: false }])
  const body = { source: sources.url('/photo.png'), operations }
  const accepted = await service.call('POST', '/v1/images/process', { body })
  assert.equal(accepted.status, 202)
  for (let looks = 0; looks < 20; looks += 1) await readinessOf(worker)
  assert.equal((await service.call('GET', `/v1/requests/${accepted.body.id}`)).body.status, 'queued')
  await rm(filler)
  const request = await service.settled(accepted.body.id)
  assert.equal(request.status, 'succeeded')
  const [row] = await service.sql`select attempt from requests where id = ${accepted.body.id}`
  assert.equal(row?.['attempt'], 1)
  assert.deepEqual(await readinessOf(worker), [200, ALL])
})
