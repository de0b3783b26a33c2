import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { naming } from '@mediamill/lab/support/message'
import { freePort, run, until } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { spawnRole } from '@mediamill/lab/support/role-process'
import { startS3rver, useCredentials } from '@mediamill/lab/support/s3-server'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { joinKeyRing } from '../accounts/key-ring.ts'
import { checkOwner } from '../commands/doctor/store.ts'
import { readConfig } from '../config/config.ts'
import type { Sql } from '../db/connection/connect.ts'
import { readDatabaseId, readOwnClaim } from '../db/database-id.ts'
import { claimStore, readClaim, readMarker, refreshMarker } from '../store/marker.ts'
import { MARKER_KEY } from '../store/store.ts'
import { openOwnStore } from './own-store.ts'
import { openStore } from './shared-resources.ts'

/** Creates a database with its own id. Other test databases are copies of a template, and share its id. */
async function createOwnDatabase(t: TestContext) {
  const database = await createDatabase()
  t.after(() => database[Symbol.asyncDispose]())
  await database.sql`update database_id set id = gen_random_uuid()`
  return database
}

async function createFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-own-store-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const RENEW_MS = 500

/** Opens the file store like a process that starts. */
function starting(t: TestContext, settings: Record<string, string>) {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) })
  const closing = new AbortController()
  t.after(() => closing.abort())
  const config = readConfig(settings)
  const open = (sql: Sql, signal = closing.signal, renewMs = RENEW_MS) =>
    openOwnStore({ config, sql, registry: new Registry(), log, signal, renewMs })
  return { config, open, lines }
}

const inOneHour = () => new Date(Date.now() + 3_600_000)

for (const kind of ['folder', 'bucket'] as const) {
  test(`a process does not start if its ${kind} belongs to another database`, {
    timeout: 60_000,
  }, async (t) => {
    const [first, second] = [await createOwnDatabase(t), await createOwnDatabase(t)]
    const settings: Record<string, string> = { DATA_DIR: await createFolder(t) }
    if (kind === 'bucket') {
      const server = await startS3rver()
      t.after(() => server[Symbol.asyncDispose]())
      useCredentials(server)
      settings['STORAGE_URL'] = server.storageUrl
    }
    const { config, open, lines } = starting(t, settings)
    const store = await open(first.sql)
    assert.equal(await readMarker(store), await readDatabaseId(first.sql))
    assert.deepEqual(await Array.fromAsync(store.keys(inOneHour())), [], 'the cleanup does not see the marker')
    const location = kind === 'bucket' ? 'STORAGE_URL: s3://results/some/where' : `DATA_DIR: ${config.dataDir}/results`
    const owner = await readDatabaseId(first.sql)
    await assert.rejects(open(second.sql), {
      name: 'OperatorError',
      message: naming(
        location,
        `(${owner})`,
        'separate directory',
        `delete ${MARKER_KEY} from ${location.replace(/^\w+: /, '')}`,
      ),
    })
    await open(first.sql)
    assert.deepEqual(await checkOwner(first.sql, config), [])
    const [finding] = await checkOwner(second.sql, config)
    assert.deepEqual([finding?.part, finding?.verdict], ['store', 'fault'])
    await store.delete(MARKER_KEY)
    await open(second.sql)
    assert.equal(await readMarker(store), await readDatabaseId(second.sql))
    assert.deepEqual(lines, [])
  })
}

test("if processes claim a new store at the same time, all agree on its database, and each can rewrite the store's marker file", async (t) => {
  const { config } = starting(t, { DATA_DIR: await createFolder(t) })
  const store = await openStore(config)
  const owners = await Promise.all(['a', 'a', 'a', 'a'].map((id) => claimStore(store, id)))
  assert.deepEqual(owners, ['a', 'a', 'a', 'a'])
  assert.equal(await refreshMarker(store, 'b'), 'a')
  assert.equal(await refreshMarker(store, 'a'), 'a')
  await store.delete(MARKER_KEY)
  assert.equal(await refreshMarker(store, 'a'), 'a')
  assert.equal(await readMarker(store), 'a')
  // Another process may be writing the marker in a store that does not write atomically.
  await store.write(MARKER_KEY, Readable.from([]))
  assert.equal(await claimStore(store, 'b'), 'b')
})

test('a process starts while its store is unavailable, and claims the store when it is available', {
  timeout: 60_000,
}, async (t) => {
  const database = await createOwnDatabase(t)
  const server = await startS3rver()
  t.after(() => server[Symbol.asyncDispose]())
  useCredentials(server)
  await server.stop()
  const { config, open, lines } = starting(t, { DATA_DIR: await createFolder(t), STORAGE_URL: server.storageUrl })
  await open(database.sql)
  assert.deepEqual(lines, ['store unavailable', 'store not checked; retrying'])
  await server.start()
  const other = await openStore(config)
  await until(async () => (await readMarker(other)) === (await readDatabaseId(database.sql)))
})

/** Returns a database and a copy of it, which has the same id. */
async function createCopies(t: TestContext) {
  const databases = [await createDatabase(), await createDatabase()] as const
  t.after(() => Promise.all(databases.map((database) => database[Symbol.asyncDispose]())))
  assert.equal(await readDatabaseId(databases[0].sql), await readDatabaseId(databases[1].sql))
  return databases
}

const REFUSAL = /is used by the original of this database, which is a restored copy\. .* restore-check --adopt\.$/

test('a process does not start on a restored copy of a database that uses the same files; after restore-check --adopt it starts, and processes of the original stop [operator.commands.13]', {
  timeout: 60_000,
}, async (t) => {
  const kill = t.mock.method(process, 'kill', () => true)
  const [original, copy] = await createCopies(t)
  const { config, open, lines } = starting(t, { DATA_DIR: await createFolder(t) })
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const store = await open(original.sql, stopping.signal)
  // The numbers agree at first, as after a restore to the latest state. The original renews its claim.
  // The process on the copy waits longer, so that it sees the renewal also on a busy machine.
  await assert.rejects(open(copy.sql, undefined, 20 * RENEW_MS), REFUSAL)
  const id = await readDatabaseId(original.sql)
  await until(async () => ((await readClaim(store, id))?.claims ?? 0) > 1)
  await assert.rejects(open(copy.sql), REFUSAL)

  await joinKeyRing(copy.sql, SECRET_KEY)
  const settings = { DATABASE_URL: copy.url, SECRET_KEY, DATA_DIR: config.dataDir }
  const adopted = run(['restore-check', '--adopt'], settings)
  // The exit code is 1, because the copy has no results.
  await adopted.ended
  assert.match(adopted.out(), /^✓ owner +this database owns the files now/m)
  await open(copy.sql)
  await until(() => kill.mock.callCount() > 0)
  assert.deepEqual(kill.mock.calls[0]?.arguments, [process.pid, 'SIGTERM'])
  assert.deepEqual(lines, ['the store belongs to another database; stopping'])
  stopping.abort()
  await assert.rejects(open(original.sql), REFUSAL)
  await open(copy.sql)
})

test('a process starts on a database that moved to another server and lost nothing, after the former server has stopped renewing its claim', {
  timeout: 60_000,
}, async (t) => {
  const [database, moved] = await createCopies(t)
  const { open, lines } = starting(t, { DATA_DIR: await createFolder(t) })
  const stopping = new AbortController()
  const store = await open(database.sql, stopping.signal)
  stopping.abort()
  await moved.sql`update database_id set claims = ${(await readOwnClaim(database.sql)).claims}`
  await open(moved.sql)
  assert.deepEqual(lines, ['the database moved to another server'])
  assert.equal(
    (await readClaim(store, await readDatabaseId(moved.sql)))?.instance,
    (await readOwnClaim(moved.sql)).instance,
  )
  assert.match((await readOwnClaim(moved.sql)).instance, /^\d+\/\d+\/[0-9A-F]{8}$/)
  await open(moved.sql)
  assert.equal(lines.length, 1)
})

test("/readyz returns 503 for a missing bucket, even if the bucket's secret is read from a file", {
  timeout: 60_000,
}, async (t) => {
  const database = await createOwnDatabase(t)
  const server = await startS3rver()
  t.after(() => server[Symbol.asyncDispose]())
  const port = await freePort()
  const secretFile = join(await createFolder(t), 'secret')
  await writeFile(secretFile, `${server.secret}\n`)
  const settings = {
    DATABASE_URL: database.url,
    SECRET_KEY,
    DATA_DIR: await createFolder(t),
    PORT: String(port),
    STORAGE_URL: server.storageUrl.replace('results', 'resluts'),
    LOG_LEVEL: 'info',
    AWS_ACCESS_KEY_ID: server.keyId,
    AWS_SECRET_ACCESS_KEY_FILE: secretFile,
  }
  const child = spawnRole('api', settings, { stdout: 'pipe' })
  t.after(() => child.kill('SIGKILL'))
  let log = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => void (log += text))
  const ready = () => fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
  await until(async () => (await ready()) !== undefined)
  const response = await ready()
  const body = (await response?.json()) as { checks: object }
  assert.deepEqual([response?.status, body.checks], [503, { database: true, store: false, disk: true }])
  assert.match(log, /NoSuchBucket/)
})
