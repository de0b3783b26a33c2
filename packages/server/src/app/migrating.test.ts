import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { startPgBouncer } from '@mediamill/lab/support/pgbouncer'
import { freePort, listens, until } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { spawnRole } from '@mediamill/lab/support/role-process'
import { whyNo } from '@mediamill/lab/support/skip-reason'
import { BUILD_LOCK } from '../db/migrate.ts'

/** A migration that runs outside a transaction. The tests apply it a second time, which is harmless. */
const NAME = '0041_event_order.sql'

/** Returns a database that lacks migration `NAME`. A second connection blocks index builds until `release()`. */
async function createBehind(t: TestContext) {
  const database = await createDatabase()
  t.after(() => database[Symbol.asyncDispose]())
  await database.sql`delete from migrations where name = ${NAME}`
  const other = await database.sql.reserve()
  await other`select pg_advisory_lock(${BUILD_LOCK})`
  const release = async () => {
    await other`select pg_advisory_unlock(${BUILD_LOCK})`
    other.release()
  }
  return { ...database, release }
}

async function settingsFor(t: TestContext, databaseUrl: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'mediamill-migrating-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const port = await freePort()
  return {
    port,
    settings: {
      DATABASE_URL: databaseUrl,
      SECRET_KEY,
      DATA_DIR: dataDir,
      PORT: String(port),
      METRICS_PORT: String(port),
      ISOLATION: 'process',
      LOG_LEVEL: 'info',
    },
  }
}

for (const role of ['api', 'worker'] as const) {
  test(`while a migration runs, a process of mediamill ${role} returns 200 for /livez and 503 for /readyz, and logs the migration`, {
    timeout: 120_000,
  }, async (t) => {
    const database = await createBehind(t)
    const { port, settings } = await settingsFor(t, database.url)
    const child = spawnRole(role, settings, { stdout: 'pipe' })
    t.after(() => child.kill('SIGKILL'))
    let log = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => void (log += text))
    await until(() => listens(port))
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
    assert.equal((await get('/livez')).status, 200)
    const ready = await get('/readyz')
    assert.deepEqual([ready.status, await ready.json()], [503, { status: 'migrating', migration: NAME }])
    const call = await fetch(`http://127.0.0.1:${port}/v1/images/process`, { method: 'POST', body: '{}' })
    assert.deepEqual([call.status, call.headers.get('retry-after')], [503, '5'])
    assert.match(await call.text(), /"code":"server_error"/)
    await database.release()
    await until(async () => (await get('/readyz').catch(() => undefined))?.status === 200)
    const lines = log.split('\n').filter((line) => line.includes(`"migration":"${NAME}"`))
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      ['migration started', 'migration applied'],
    )
  })
}

test('/readyz reports the phase and the percentage of an index build', { timeout: 120_000 }, async (t) => {
  const database = await createBehind(t)
  await database.sql`drop index events_before_order`
  await database.release()
  const { port, settings } = await settingsFor(t, database.url)
  // This transaction has locked the table for writing, so the index build waits for its end.
  await database.sql.begin(async (tx) => {
    await tx`lock table events in row exclusive mode`
    const child = spawnRole('api', settings)
    try {
      let seen: unknown
      await until(async () => {
        const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
        seen = await response?.json()
        return typeof seen === 'object' && seen !== null && 'phase' in seen && seen.phase !== 'initializing'
      })
      const phase = 'waiting for writers before build'
      assert.deepEqual(seen, { status: 'migrating', migration: NAME, phase, percent: 0 })
    } finally {
      child.kill('SIGKILL')
    }
  })
})

test('a service process applies migrations through MIGRATE_DATABASE_URL', { timeout: 120_000 }, async (t) => {
  const complete = await createDatabase()
  t.after(() => complete[Symbol.asyncDispose]())
  // Differs from DATABASE_URL, so that the test can see which URL the migration used.
  const behind = await createBehind(t)
  await behind.release()
  const { settings } = await settingsFor(t, complete.url)
  const child = spawnRole('api', { ...settings, MIGRATE_DATABASE_URL: behind.url })
  t.after(() => child.kill('SIGKILL'))
  await once(child, 'message')
  assert.equal((await behind.sql`select 1 from migrations where name = ${NAME}`).length, 1)
})

test('a service process does not start if MIGRATE_DATABASE_URL leads to a pooler', {
  skip: whyNo('pgbouncer') ?? false,
  timeout: 120_000,
}, async (t) => {
  const database = await createDatabase()
  t.after(() => database[Symbol.asyncDispose]())
  await using bouncer = await startPgBouncer(database.url)
  const { settings } = await settingsFor(t, database.url)
  const child = spawnRole('api', { ...settings, MIGRATE_DATABASE_URL: bouncer.url }, { stdout: 'pipe' })
  const [{ message }] = await once(child, 'message')
  assert.match(message, /^MIGRATE_DATABASE_URL uses a connection pooler/)
})

test('a service process is ready before the build of an index that only speeds up calls, and rebuilds the index if a crash left it invalid', {
  timeout: 120_000,
}, async (t) => {
  const database = await createDatabase()
  t.after(() => database[Symbol.asyncDispose]())
  const { sql, url } = database
  const name = '0053_kinds.sql'
  await sql`delete from migrations where name = ${name}`
  await sql`drop index requests_by_kind`
  const { port, settings } = await settingsFor(t, url)
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
  const isApplied = async () => (await sql`select from migrations where name = ${name}`).length > 0
  const children = [spawnRole('api', settings, { stdout: 'pipe' })]
  t.after(() => children.forEach((child) => child.kill('SIGKILL')))
  let log = ''
  const collect = () =>
    children
      .at(-1)
      ?.stdout?.setEncoding('utf8')
      .on('data', (text: string) => void (log += text))
  collect()
  // This transaction has locked the table for writing, so the index build waits for its end.
  await sql.begin(async (tx) => {
    await tx`lock table requests in row exclusive mode`
    const building = () => sql`
      select from pg_stat_progress_create_index where datname = current_database() and phase like 'waiting%'`
    await until(async () => (await building()).length > 0)
    assert.equal((await get('/readyz'))?.status, 200)
    assert.equal(await isApplied(), false)
    // The process dies during the build, and another process starts.
    children[0]?.kill('SIGKILL')
    await until(async () => (await get('/livez')) === undefined)
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'mediamill index'`
    const [broken] = await sql`select indisvalid from pg_index where indexrelid = 'requests_by_kind'::regclass`
    assert.deepEqual({ ...broken }, { indisvalid: false })
    children.push(spawnRole('api', settings, { stdout: 'pipe' }))
    collect()
    await until(async () => (await get('/readyz'))?.status === 200)
    assert.equal(await isApplied(), false)
  })
  await until(isApplied)
  const [index] = await sql`select indisvalid from pg_index where indexrelid = 'requests_by_kind'::regclass`
  assert.deepEqual({ ...index }, { indisvalid: true })
  await until(() => log.includes('migration applied in the background'))
})
