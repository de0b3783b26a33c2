import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { ended, finishOne } from '@mediamill/lab/support/deliveries'
import { freePort, until } from '@mediamill/lab/support/process'
import { startReceiver } from '@mediamill/lab/support/receiver'
import { acceptable, openAccount, SECRET_KEY, succeeded } from '@mediamill/lab/support/request-rows'
import { readConfig } from '../config/config.ts'
import { countWorkers } from '../db/metrics.ts'
import { listWorkers, markDraining } from '../db/workers.ts'
import { accept } from '../requests/accept.ts'
import { createLog } from '../telemetry/log.ts'
import { startWorkers } from './worker.ts'

const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())
const { sql, url } = stack.use(await createDatabase())
const receiver = stack.use(await startReceiver(204))
const folder = await mkdtemp(join(tmpdir(), 'mediamill-maintenance-'))
stack.defer(() => rm(folder, { recursive: true, force: true }))

test('a worker with WORKER_CONCURRENCY=0 delivers events, deletes expired results, requeues lost requests, and runs no job', {
  timeout: 120_000,
}, async () => {
  const account = await openAccount(sql)
  const port = await freePort()
  const config = readConfig({
    DATABASE_URL: url,
    SECRET_KEY,
    DATA_DIR: folder,
    WORKER_CONCURRENCY: '0',
    METRICS_PORT: String(port),
    ALLOWED_PRIVATE_HOSTS: receiver.host,
  })
  const event = await finishOne(sql, account.id, receiver.url('/hook'), succeeded())
  await sql`update requests set deleted_at = now() - interval '1 minute', sweep_at = now() - interval '1 minute'`
  await sql`delete from workers`
  const queued = await accept(sql, acceptable(account.id, { livemode: false }))
  const lost = await accept(sql, acceptable(account.id, { livemode: false }))
  const gone = randomUUID()
  await sql`update requests set status = 'processing', worker_id = ${gone}, attempt = 1 where id = ${lost.id}`
  await sql`update jobs set worker_id = ${gone}, attempt = 1 where record_id = ${lost.id}`
  const role = await startWorkers({ ...config, databaseUrl: url, secretKey: SECRET_KEY }, createLog('silent', 'test'))
  try {
    assert.equal((await ended(sql, event)).event.status, 'delivered')
    await until(async () => (await sql`select from requests where sweep_at is not null`).length === 0)
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200)
    const [job] = await sql<{ status: string }[]>`select status from requests where id = ${queued.id}`
    assert.equal(job?.status, 'queued')
    await until(async () => (await sql`select from jobs where worker_id is null`).length === 2)
    assert.equal(await countWorkers(sql), 0, 'requests do not wait for a maintenance worker')
    const [worker] = await listWorkers(sql)
    assert.deepEqual([worker?.role, worker?.alive], ['maintenance', true])
    assert.equal(await markDraining(sql, worker?.id ?? ''), 'draining')
    await role.drained
  } finally {
    await role.stop()
  }
  assert.equal((await sql`select from workers`).length, 0)
})
