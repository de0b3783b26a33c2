import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { freePort, until } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { fingerprintsOf } from '../accounts/fingerprints.ts'
import { readConfig } from '../config/config.ts'
import { listApiServers } from '../db/api-servers.ts'
import { schemaVersion } from '../db/migrate.ts'
import { versionText } from '../lib/program-version.ts'
import { createLog } from '../telemetry/log.ts'
import { startApi } from './api.ts'
import { startWorkers } from './worker.ts'

const database = await sharedDatabase()
const folder = await sharedFolder('mediamill-roles-')

async function takenPort(): Promise<AsyncDisposable & { port: string }> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port: String(port),
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}

const settings = (env: Record<string, string>) => {
  const config = readConfig({ DATABASE_URL: database.url, SECRET_KEY, DATA_DIR: folder, HOST: '127.0.0.1', ...env })
  return { ...config, databaseUrl: database.url, secretKey: SECRET_KEY }
}

async function connections(): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*) from pg_stat_activity where datname = current_database() and application_name like 'mediamill %'`
  return row?.count ?? -1
}

test('a worker that fails at the last step of its start closes everything that it opened', async () => {
  await using taken = await takenPort()
  const config = settings({ METRICS_PORT: taken.port, WORKER_CONCURRENCY: '1', ISOLATION: 'process' })
  await assert.rejects(startWorkers(config, createLog('silent', 'test')), /choose another METRICS_PORT/)
  assert.deepEqual(await readdir(join(folder, 'scratch')), [], 'the scratch folder, and engines that work in it')
  assert.equal((await database.sql`select id from workers`).length, 0)
  // PostgreSQL may list a connection for a short time after it was closed.
  await until(async () => (await connections()) === 0)
})

test('an API server that cannot listen on its port closes its database connections', async () => {
  await using taken = await takenPort()
  const config = settings({ PORT: taken.port })
  await assert.rejects(startApi(config, createLog('silent', 'test')), /choose another PORT/)
  await until(async () => (await connections()) === 0)
})

test('an API server registers its address, version, schema, and keys, and deletes its registration when it stops', async () => {
  const role = await startApi(settings({ PORT: String(await freePort()) }), createLog('silent', 'test'))
  const [server] = await listApiServers(database.sql)
  assert.deepEqual(
    [server?.address, server?.pid, server?.version, server?.schema, server?.keys, server?.alive],
    [role.address, process.pid, versionText(), await schemaVersion(), fingerprintsOf(SECRET_KEY), true],
  )
  await until(async () => (await listApiServers(database.sql))[0]?.seenAt.getTime() !== server?.seenAt.getTime())
  await role.stop()
  assert.deepEqual(await listApiServers(database.sql), [])
})

test('a worker whose machine cannot run all its jobs logs the problem and the fix at start [operator.settings.5]', async () => {
  await using taken = await takenPort()
  const config = settings({ METRICS_PORT: taken.port, WORKER_CONCURRENCY: '1024', ISOLATION: 'process' })
  const output: string[] = []
  const log = createLog('warn', 'worker', { write: (line: string) => void output.push(String(JSON.parse(line).msg)) })
  await assert.rejects(startWorkers(config, log))
  const [jobs = ''] = output.filter((line) => line.includes('1024 concurrent jobs'))
  assert.match(jobs, /Set WORKER_CONCURRENCY to \d+: |Give it 2 GB or more: /)
  assert.ok(
    output.some((line) => /^running \d+ concurrent jobs instead of 1024: not enough memory or open files$/.test(line)),
  )
})
