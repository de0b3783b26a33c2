import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { quarters } from '@mediamill/lab/support/images'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { startRole } from '@mediamill/lab/support/role-process'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'

const photo = await quarters(40, 30)
const sources = await sharedSourceServer({ '/photo.png': photo })
const service = await sharedService({ allowed: [sources.host], workers: false })

const settings = {
  DATABASE_URL: service.databaseUrl,
  SECRET_KEY,
  DATA_DIR: service.dataDir,
  ALLOWED_PRIVATE_HOSTS: sources.host,
}
const operations = [{ type: 'grayscale' }]

/** Serves a source that never completes, so that a worker keeps downloading. */
function hangingSource(path: string): Promise<ServerResponse> {
  return new Promise((resolve) => {
    sources.files.set(path, (_call, response) => {
      response.writeHead(200, { 'content-length': String(photo.length) })
      response.write(photo.subarray(0, 20))
      resolve(response)
    })
  })
}

test('another worker takes over the request of a killed worker, and the request succeeds and is charged once [requests.states.4, operator.start.1]', async () => {
  const hanging = hangingSource('/hang.png')
  const body = { source: sources.url('/hang.png'), operations }
  const accepted = await service.call('POST', '/v1/images/process', { body })
  await using first = await startRole('worker', settings)
  await hanging
  await first.kill()
  assert.equal((await service.call('GET', `/v1/requests/${accepted.body.id}`)).body.status, 'processing')
  sources.files.set('/hang.png', photo)
  await service.sql`update workers set seen_at = now() - interval '1 minute'`
  await using second = await startRole('worker', settings)
  const request = await service.settled(accepted.body.id)
  assert.equal(request.status, 'succeeded')
  const charges = await service.sql`select amount from ledger where request_id = ${request.id}`
  assert.deepEqual(
    charges.map((charge) => charge['amount']),
    [-2000],
  )
  assert.equal(await second.stop(), 0)
  assert.deepEqual(await readdir(join(service.dataDir, 'scratch')), [], 'no scratch of either worker is left')
})

/** Opens a destination that never responds to its first call, so that a worker stays in this call. */
function hangingDestination(path: string): { reached: Promise<void>; taken: Buffer[] } {
  const taken: Buffer[] = []
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  let calls = 0
  sources.files.set(path, (call, response) => {
    calls += 1
    if (calls === 1) return resolve()
    const chunks: Buffer[] = []
    call.on('data', (chunk: Buffer) => chunks.push(chunk))
    call.on('end', () => {
      taken.push(Buffer.concat(chunks))
      response.writeHead(200).end()
    })
  })
  return { reached, taken }
}

test('if a worker is killed between two outputs of a request, the request makes all files and is charged once [requests.states.4, outputs.failure.1]', async () => {
  const { reached, taken } = hangingDestination('/second?sig=1')
  const destination = { url: sources.url('/second?sig=1') }
  const resize = { type: 'resize', width: 20, height: 20 }
  const outputs = [
    { name: 'large', quality: 'auto' },
    { name: 'small', operations: [resize], format: 'webp', destination },
    { name: 'tiny', format: 'avif', max_bytes: 1000, max_bytes_resize: true },
  ]
  const accepted = await service.call('POST', '/v1/images/process', {
    body: { source: sources.url('/photo.png'), outputs },
    headers: { 'idempotency-key': 'killed-outputs' },
  })
  await using first = await startRole('worker', settings)
  await reached
  await first.kill()
  const open = (await service.call('GET', `/v1/requests/${accepted.body.id}`)).body
  assert.deepEqual([open.status, open.result], ['processing', undefined])
  await service.sql`update workers set seen_at = now() - interval '1 minute'`
  await using second = await startRole('worker', settings)
  const request = await service.settled(accepted.body.id)
  assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
  const charges = await service.sql`select amount from ledger where request_id = ${request.id}`
  assert.deepEqual(
    charges.map((charge) => charge['amount']),
    [-6000],
  )
  const [books] = await service.sql`select held, open_live from accounts where id = ${service.account.id}`
  assert.deepEqual({ ...books }, { held: 0, open_live: 0 })
  const files = await Promise.all(
    (request.result.files as { name: string; url: string; size: number }[]).map(async ({ name, url, size }) => {
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
      assert.equal(bytes.length, size, name)
      return { name, bytes }
    }),
  )
  assert.deepEqual(
    files.map(({ name }) => name),
    ['large', 'small', 'tiny'],
  )
  assert.ok(taken.length === 1 && taken[0]?.equals(files[1]?.bytes ?? Buffer.alloc(0)), 'sent again, as the same file')
  const again = await service.call('POST', '/v1/images/process', {
    body: { source: sources.url('/photo.png'), outputs },
    headers: { 'idempotency-key': 'killed-outputs' },
  })
  assert.equal(again.body.id, request.id)
  assert.equal(await second.stop(), 0)
  assert.deepEqual(await readdir(join(service.dataDir, 'scratch')), [], 'no scratch of either worker is left')
})

test('a request that crashes three workers fails after the third crash, free of charge [requests.states.4]', async () => {
  const body = { source: sources.url('/poison.png'), operations }
  let hanging = hangingSource('/poison.png')
  const accepted = await service.call('POST', '/v1/images/process', { body })
  for (let lost = 0; lost < 3; lost += 1) {
    await using worker = await startRole('worker', settings)
    await hanging
    hanging = hangingSource('/poison.png')
    await worker.kill()
    await service.sql`update workers set seen_at = now() - interval '1 minute'`
  }
  await using fourth = await startRole('worker', settings)
  const request = await service.settled(accepted.body.id)
  assert.equal(request.status, 'failed')
  assert.equal(request.error.code, 'processing_failed')
  assert.match(request.error.message, /stopped unexpectedly 3 times/)
  assert.equal(request.price.micro_usd, 0)
  assert.equal((await service.sql`select from ledger where request_id = ${request.id}`).count, 0)
  assert.equal(await fourth.stop(), 0)
  assert.deepEqual(await readdir(join(service.dataDir, 'scratch')), [], 'no scratch of any of them is left')
})

test('a stopping worker finishes a request that ends within DRAIN_TIMEOUT, and exits with 0 [operator.stop.1]', async () => {
  const hanging = hangingSource('/slow.png')
  const body = { source: sources.url('/slow.png'), operations }
  const accepted = await service.call('POST', '/v1/images/process', { body })
  await using first = await startRole('worker', settings)
  const response = await hanging
  const stopped = first.stop()
  response.end(photo.subarray(20))
  assert.equal(await stopped, 0)
  const request = await service.settled(accepted.body.id)
  assert.equal(request.status, 'succeeded')
})

test('an abort of a running request returns at once, ends its download, and leaves no scratch file [requests.abort.1, requests.abort.2]', async () => {
  const hanging = hangingSource('/abort.png')
  const body = { source: sources.url('/abort.png'), operations }
  const accepted = await service.call('POST', '/v1/images/process', { body })
  await using worker = await startRole('worker', settings)
  const response = await hanging
  const closed = once(response, 'close')
  const aborted = await service.call('POST', `/v1/requests/${accepted.body.id}/abort`)
  assert.equal(aborted.status, 200)
  assert.equal(aborted.body.status, 'aborted')
  assert.deepEqual(aborted.body.price, { amount: '0.000000', currency: 'usd', micro_usd: 0 })
  await closed
  const again = await service.call('POST', `/v1/requests/${accepted.body.id}/abort`)
  assert.equal(again.status, 409)
  assert.equal(again.body.error.code, 'request_finished')
  assert.equal(await worker.stop(), 0)
  assert.deepEqual(await readdir(join(service.dataDir, 'scratch')), [])
})

test('an abort of a queued request frees its hold and its slot [requests.abort.1]', async () => {
  const body = { source: sources.url('/photo.png'), operations }
  const accepted = await service.call('POST', '/v1/images/process', { body })
  await service.call('POST', `/v1/requests/${accepted.body.id}/abort`)
  const [books] = await service.sql`select held, open_live from accounts where id = ${service.account.id}`
  assert.deepEqual({ ...books }, { held: 0, open_live: 0 })
})
