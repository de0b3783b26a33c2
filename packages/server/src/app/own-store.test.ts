import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { naming } from '@mediamill/lab/support/message'
import { freePort, until } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { spawnRole } from '@mediamill/lab/support/role-process'
import { startS3rver, useCredentials } from '@mediamill/lab/support/s3-server'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { checkOwner } from '../commands/doctor/store.ts'
import { readConfig } from '../config/config.ts'
import type { Sql } from '../db/connection/connect.ts'
import { readDatabaseId } from '../db/database-id.ts'
import { claimStore, readMarker, refreshMarker } from '../store/marker.ts'
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

function starting(t: TestContext, settings: Record<string, string>) {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) })
  const closing = new AbortController()
  t.after(() => closing.abort())
  const config = readConfig(settings)
  const open = (sql: Sql) => openOwnStore({ config, sql, registry: new Registry(), log, signal: closing.signal })
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

test('several processes of one database can claim a new store at the same time, and a deleted or empty marker file is written again', async (t) => {
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
