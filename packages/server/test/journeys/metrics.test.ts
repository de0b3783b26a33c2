import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quarters } from '@mediamill/lab/support/images'
import { freePort, until } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import type { Service } from '@mediamill/lab/support/service'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { markSecretKeyRetired, recordSecretKey } from '@mediamill/server/db/secret-keys'
import { fingerprintOf } from '@mediamill/server/lib/key-fingerprint'
import { compareBalances, countStuckEvents, measureStoredResults, oldestSnapshot } from '../../src/db/metrics.ts'

const port = await freePort()
const sources = await sharedSourceServer({ '/photo.png': await quarters(40, 30) })
const service = await sharedService({ allowed: [sources.host], settings: { METRICS_PORT: String(port) } })
const worker = `http://127.0.0.1:${port}`
const body = { source: sources.url('/photo.png'), operations: [{ type: 'grayscale' }] }

async function samplesAt(address: string): Promise<Map<string, number>> {
  const response = await fetch(`${address}/metrics`)
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

async function samplesAfterAccepting(idle: Service): Promise<Map<string, number>> {
  assert.equal((await idle.call('POST', '/v1/images/process', { body })).status, 202)
  return await samplesAt(idle.url)
}

test('metrics count and time calls by route and status, and combine all unknown paths [operator.health.2]', async () => {
  const posted = '{method="POST",endpoint="/v1/images/process",status="202"}'
  const name = 'mediamill_http_requests_total'
  await service.call('POST', '/v1/images/process', { body })
  await service.call('GET', '/v1/requests/1')
  await service.call('GET', '/v1/requests/2')
  for (const path of ['/made/up', '/made/up/too']) await service.call('GET', path)
  const samples = await samplesAt(service.url)
  assert.equal(samples.get(`${name}${posted}`), 1)
  assert.equal(samples.get(`${name}{method="any",endpoint="unknown",status="404"}`), 2)
  assert.deepEqual(
    [...samples].filter(([sample]) => sample.startsWith(`${name}{method="GET",endpoint="/v1/requests`)),
    [
      [`${name}{method="GET",endpoint="/v1/requests/:id",status="200"}`, 1],
      [`${name}{method="GET",endpoint="/v1/requests/:id",status="404"}`, 1],
    ],
  )
  const timed = 'mediamill_http_request_duration_seconds_count{method="POST",endpoint="/v1/images/process"}'
  assert.equal(samples.get(timed), 1)
})

test('a worker exports its counters of retries and lost engines as 0 at first, so that Prometheus counts the first increase', async () => {
  const samples = await samplesAt(worker)
  assert.equal(samples.get('mediamill_attempts_total{endpoint="images/process",attempt="2"}'), 0)
  assert.equal(samples.get('mediamill_engine_recycles_total{engine="image",reason="lost"}'), 0)
})

test('the metrics of a worker include queue times, processing times, deliveries, and the ledger check', async () => {
  const before = await samplesAt(worker)
  await service.finish('/v1/images/process', body)
  const samples = await samplesAt(worker)
  const grown = (name: string) => (samples.get(name) ?? 0) - (before.get(name) ?? 0)
  assert.equal(grown('mediamill_pickup_seconds_count{lane="image"}'), 1)
  assert.equal(grown('mediamill_attempts_total{endpoint="images/process",attempt="1"}'), 1)
  assert.equal(samples.get('mediamill_delivery_attempts_total{outcome="delivered"}'), 0)
  assert.equal(samples.get('mediamill_ledger_drift_accounts'), 0)
  assert.equal(samples.get('mediamill_workers_alive'), 1)
  assert.equal(samples.get('mediamill_database_up'), 1)
  assert.equal(samples.get('mediamill_upload_stored_bytes'), 0)
  assert.ok([...samples.keys()].some((name) => name.startsWith('mediamill_database_connections{pool="worker"')))
})

test('every process exports the number of uploaded bytes of all accounts', async () => {
  const upload = await fetch(`${service.url}/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.account.liveKey}`, 'content-type': 'image/png' },
    body: new Uint8Array(5000),
  })
  assert.equal(upload.status, 201)
  // All scrapes within two seconds share one database query, so wait for a new query.
  await until(async () => (await samplesAt(worker)).get('mediamill_upload_stored_bytes') === 5000)
})

test('a worker counts finished requests by status, and failures by the code that clients see', async () => {
  const counted = async (labels: string) =>
    (await samplesAt(worker)).get(`mediamill_requests_ended_total{endpoint="images/process",${labels}}`) ?? 0
  const [succeeded, failed] = ['status="succeeded",code=""', 'status="failed",code="source_unreachable"']
  const before = await counted(succeeded)
  await service.finish('/v1/images/process', body)
  await service.finish('/v1/images/process', { ...body, source: sources.url('/missing.png') })
  // The metric counts a finished request shortly after the database has its final status.
  await until(async () => (await counted(failed)) === 1 && (await counted(succeeded)) > before)
})

test('on the metrics port, a worker serves only its health and its metrics', async () => {
  assert.equal((await fetch(`${worker}/livez`)).status, 200)
  assert.equal((await fetch(`${worker}/readyz`)).status, 200)
  assert.equal((await fetch(`${worker}/v1/account`)).status, 404)
})

test('the depth and age of a queue in the metrics match the requests that wait in its lane', async () => {
  await using idle = await startService({ allowed: [sources.host], workers: false })
  const samples = await samplesAfterAccepting(idle)
  assert.equal(samples.get('mediamill_queue_depth{lane="image"}'), 1)
  assert.equal(samples.get('mediamill_queue_depth{lane="video"}'), 0)
  await idle.sql`update jobs set created_at = now() - interval '90 seconds'`
  const other = await samplesAt(await idle.another())
  assert.ok((other.get('mediamill_queue_age_seconds{lane="image"}') ?? 0) >= 90)
  assert.ok((other.get('mediamill_queue_age_by_account_seconds{lane="image",quantile="0.95"}') ?? 0) >= 90)
  assert.equal(other.get('mediamill_queue_age_by_account_seconds{lane="video",quantile="0.95"}'), 0)
})

test('the balance check of a worker finds an account whose balance differs from its ledger, for batches of any size', async () => {
  await using idle = await startService({ workers: false })
  assert.deepEqual(await compareBalances(idle.sql, 0, 100), { last: idle.account.id, wrong: [] })
  await idle.sql`update accounts set balance = balance + 1 where id = ${idle.account.id}`
  assert.deepEqual((await compareBalances(idle.sql, 0, 1)).wrong, [idle.account.id])
  assert.deepEqual(await compareBalances(idle.sql, idle.account.id, 1), { last: undefined, wrong: [] })
})

test('the metrics include slots, engines, the store, the disk, the version, and rejected calls', async () => {
  await service.finish('/v1/images/process', body)
  await service.call('GET', '/made/up')
  const work = await samplesAt(worker)
  const slots = work.get('mediamill_slots{lane="image"}') ?? 0
  assert.ok(slots >= 1)
  assert.ok((work.get('mediamill_slots_in_use{lane="image"}') ?? -1) <= slots)
  const [cpuSeconds = 0, memory = 0, peak = 0] = ['cpu_seconds_total', 'memory_bytes', 'memory_peak_bytes'].map(
    (name) => work.get(`mediamill_engine_${name}{lane="image"}`),
  )
  assert.ok(cpuSeconds > 0 && cpuSeconds < 600, String(cpuSeconds))
  assert.ok(memory > 1e7 && peak > 1e7 && peak < 2 ** 31, `${memory}, ${peak}`)
  assert.ok((work.get('mediamill_store_seconds_count{operation="put"}') ?? 0) >= 1)
  assert.equal(work.get('mediamill_store_errors_total{operation="put"}'), 0)
  const calls = await samplesAt(service.url)
  assert.ok((calls.get('mediamill_http_rejections_total{code="not_found"}') ?? 0) >= 1)
  for (const samples of [work, calls]) {
    const [free, size] = ['free', 'size'].map((what) => samples.get(`mediamill_disk_${what}_bytes`) ?? 0)
    assert.ok((free ?? 0) > 0 && (free ?? 0) <= (size ?? 0))
    assert.ok([...samples.keys()].some((name) => name.startsWith('mediamill_build_info{version="')))
    assert.ok((samples.get('mediamill_database_dead_rows{table="requests"}') ?? -1) >= 0)
    // The migration that creates the table sets a threshold of 1,000 rows.
    assert.ok((samples.get('mediamill_database_autovacuum_rows{table="requests"}') ?? 0) >= 1_000)
  }
})

test('the metrics include the number of active SECRET_KEY values, the age of a key rotation, and the values encrypted per key', async () => {
  const { sql } = service
  // A service records the use of its key only a minute after its start, so record it here.
  const own = fingerprintOf(SECRET_KEY)
  await recordSecretKey(sql, own)
  await recordSecretKey(sql, 'bbbbbbbb')
  await sql`update secret_keys set first_used_at = now() - interval '1 hour' where fingerprint = 'bbbbbbbb'`
  await sql`update secret_keys set first_used_at = now() - interval '2 hours' where fingerprint = ${own}`
  await until(async () => (await samplesAt(worker)).get('mediamill_secret_keys') === 2)
  const rotating = (await samplesAt(worker)).get('mediamill_secret_key_rotation_seconds') ?? 0
  assert.ok(rotating >= 3600 && rotating < 7200, String(rotating))
  await markSecretKeyRetired(sql, 'bbbbbbbb')
  await sql`update webhook_secrets set sealed_by = null`
  await until(async () => (await samplesAt(worker)).get('mediamill_secret_keys') === 1)
  const samples = await samplesAt(worker)
  assert.equal(samples.get('mediamill_secret_key_rotation_seconds'), 0)
  const [secrets] = await sql<{ count: number }[]>`select count(*)::integer from webhook_secrets`
  assert.equal(samples.get('mediamill_sealed_values{key="unknown"}'), secrets?.count)
})

test('the metrics include claimed deliveries without a result, the age of an open transaction, and the bytes of stored results', async () => {
  const { sql } = service
  const { id } = await service.finish('/v1/images/process', body)
  const stuck = sql`
    update events set url = 'https://example.com/', status = 'pending', due_at = now() + interval '1 hour', lease = 3
    where request_id = ${id}`
  await stuck
  assert.equal(await countStuckEvents(sql), 1)
  await sql`update events set lease = 2 where request_id = ${id}`
  assert.equal(await countStuckEvents(sql), 0)
  await sql.begin(async (tx) => {
    await tx`update accounts set name = name`
    assert.ok((await oldestSnapshot(sql)) > 0)
  })
  const samples = await samplesAt(worker)
  await sql`update stored_results set measured_at = '-infinity'`
  await measureStoredResults(sql)
  await until(async () => ((await samplesAt(worker)).get('mediamill_result_stored_bytes') ?? 0) > 0)
  for (const holder of ['slot', 'standby'])
    assert.equal(samples.get(`mediamill_database_oldest_xmin_transactions{holder="${holder}"}`), 0)
})
