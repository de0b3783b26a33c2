import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { microUsd } from '@mediamill/contract/domain/money'
import type { NewAccount } from '@mediamill/server/accounts/create-account'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { migrate } from '@mediamill/server/db/migrate'
import type { Random } from '../support/random.ts'
import type { Received } from '../support/receiver.ts'
import { startReceiver } from '../support/receiver.ts'
import type { S3Server } from '../support/s3-server.ts'
import { startS3rver, startSwift, useCredentials } from '../support/s3-server.ts'
import { startSourceServer } from '../support/source-server.ts'
import type { Clocks } from './clocks.ts'
import type { ChaosDatabase, DatabaseKind } from './databases.ts'
import { openChaosDatabase } from './databases.ts'
import type { Destinations } from './destinations.ts'
import { openDestinations } from './destinations.ts'
import type { FaultyS3 } from './faulty-s3.ts'
import { openFaultyS3 } from './faulty-s3.ts'
import type { FaultyStore } from './faulty-store.ts'
import { openFaultyStore } from './faulty-store.ts'
import type { History } from './history.ts'
import { openHistory } from './history.ts'
import type { OldRelease } from './release.ts'
import { accountCreator } from './release.ts'
import type { SourceFiles } from './sources.ts'
import { makeFiles, SPLIT_THRESHOLD_SECONDS, serveFiles } from './sources.ts'

const SECRET_KEY = 'a secret key that only this trial of chaos has'

export type EnvironmentOptions = {
  accounts: number
  workerConcurrency: number
  store: 's3rver' | 'swift' | 'files'
  database: DatabaseKind
  /** Chooses the errors that the bucket injects (default: none). */
  misbehaving?: Random | undefined
  clocks?: Clocks | undefined
  /** The release that creates the database and the accounts (default: this version). */
  release?: OldRelease | undefined
  history?: History | undefined
}

export type Environment = AsyncDisposable & {
  folder: string
  dataDir: string
  settings: Record<string, string>
  sql: Sql
  accounts: NewAccount[]
  sources: (kind: string) => string
  fetchesOf: (kind: string) => number
  files: SourceFiles
  destinations: Destinations
  webhookUrl: string
  received: Received[]
  store: FaultyStore | undefined
  s3: FaultyS3 | undefined
  database: ChaosDatabase
  /** Whether a trial may make the primary hang. `false` with PgBouncer, which cannot detect a primary that hangs. */
  canGoSilent: boolean
}

export async function openEnvironment(options: EnvironmentOptions): Promise<Environment> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-chaos-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const { history } = options
  const dataDir = history?.folder ?? join(folder, 'data')
  const database = stack.use(
    await openChaosDatabase(options.database, { dataDir, environment: options.clocks?.database.environment }),
  )
  await migrate(database.ownUrl, options.release?.migrations)
  const sql = connect(database.ownUrl, { connections: 4, applicationName: 'chaos', patient: true })
  stack.defer(() => sql.end({ timeout: 5 }))
  const accounts =
    history === undefined
      ? await createAccounts(sql, options)
      : await openHistory(database.ownUrl, dataDir, history, () => createAccounts(sql, options))
  const files = await makeFiles()
  const sources = stack.use(await startSourceServer(serveFiles(files)))
  const destinations = stack.use(await openDestinations())
  const receiver = stack.use(await startReceiver(204))
  // The receiver rejects the first attempt of every tenth event, and two attempts of every fiftieth event.
  const rejections = new Map<string, number>()
  receiver.respond(({ headers }, response) => {
    const id = String(headers['service-event-id'])
    const left = rejections.get(id) ?? rejectionsOf(id)
    rejections.set(id, left - 1)
    response.writeHead(left > 0 ? 500 : 204).end()
  })
  const bucket = options.store === 'files' ? undefined : stack.use(await startBucket(options.store))
  const s3 = bucket && options.misbehaving && stack.use(await openFaultyS3(bucket.endpoint, options.misbehaving))
  const store = bucket && stack.use(await openFaultyStore(s3?.endpoint ?? bucket.endpoint))
  const settings = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    SECRET_KEY,
    ALLOWED_PRIVATE_HOSTS: `${sources.host},${receiver.host},${destinations.host}`,
    WORKER_CONCURRENCY: String(options.workerConcurrency),
    VIDEO_SPLIT_THRESHOLD: `${SPLIT_THRESHOLD_SECONDS}s`,
    ...(bucket !== undefined && storageSettings(bucket, store?.endpoint ?? '')),
  }
  const running = stack.move()
  return {
    folder,
    dataDir,
    settings,
    sql,
    accounts,
    sources: (kind) => sources.url(`/${kind}`),
    fetchesOf: (kind) => sources.calls.filter(({ path }) => path === `/${kind}`).length,
    files,
    destinations,
    webhookUrl: receiver.url('/hook'),
    received: receiver.received,
    store,
    s3,
    database,
    canGoSilent: options.database === 'pair',
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function createAccounts(sql: Sql, { accounts, release }: EnvironmentOptions): Promise<NewAccount[]> {
  const create = await accountCreator(release)
  const created: NewAccount[] = []
  for (let index = 0; index < accounts; index += 1) {
    const account = { name: `Account ${index}`, email: `${index}@example.com`, credit: microUsd(1e12) }
    const made = await create(sql, SECRET_KEY, account)
    // Use SQL, because this version's function only works with the schema of this version.
    await sql`update accounts set requests_per_minute = 1000000, concurrent_requests = 1000000 where id = ${made.id}`
    created.push(made)
  }
  return created
}

async function startBucket(store: 's3rver' | 'swift'): Promise<S3Server> {
  const server = store === 's3rver' ? await startS3rver() : await startSwift()
  useCredentials(server)
  return server
}

function storageSettings(bucket: S3Server, endpoint: string): Record<string, string> {
  return {
    STORAGE_URL: bucket.storageUrl.replace(/endpoint=.*$/, `endpoint=${encodeURIComponent(endpoint)}`),
    AWS_ACCESS_KEY_ID: bucket.keyId,
    AWS_SECRET_ACCESS_KEY: bucket.secret,
  }
}

/** Returns how many delivery attempts of an event the receiver rejects. The number depends only on the id. */
function rejectionsOf(eventId: string): number {
  const lot = createHash('sha256').update(eventId).digest().readUInt16BE() % 50
  return lot === 0 ? 2 : lot <= 5 ? 1 : 0
}
