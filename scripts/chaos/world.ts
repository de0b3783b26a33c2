import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { NewAccount } from '../../src/accounts/create-account.ts'
import { createAccount } from '../../src/accounts/create-account.ts'
import { startEmbedded } from '../../src/app/postgres/embedded.ts'
import { updateLimits } from '../../src/db/accounts/accounts.ts'
import type { Sql } from '../../src/db/connection/connect.ts'
import { connect } from '../../src/db/connection/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { microUsd } from '../../src/domain/money.ts'
import type { Received } from '../../test/support/receiver.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import type { S3Server } from '../../test/support/s3-server.ts'
import { startS3rver, startSwift, useCredentials } from '../../test/support/s3-server.ts'
import { startSourceServer } from '../../test/support/source-server.ts'
import type { Destinations } from './destinations.ts'
import { openDestinations } from './destinations.ts'
import type { FaultyStore } from './faulty-store.ts'
import { openFaultyStore } from './faulty-store.ts'
import type { SourceFiles } from './sources.ts'
import { makeFiles, SPLIT_THRESHOLD_SECONDS, serveFiles } from './sources.ts'

const SECRET_KEY = 'a secret key that only this trial of chaos has'

export type WorldOptions = {
  accounts: number
  workerConcurrency: number
  /** Where results go: an S3 server in this process, OpenStack Swift, or files. */
  store: 's3rver' | 'swift' | 'files'
}

/** Everything around the service: its database, its store, the sources it fetches and the receiver it posts to. */
export type World = AsyncDisposable & {
  folder: string
  dataDir: string
  /** What every process of the service is told. */
  settings: Record<string, string>
  sql: Sql
  accounts: NewAccount[]
  sources: (kind: string) => string
  files: SourceFiles
  destinations: Destinations
  webhookUrl: string
  received: Received[]
  store: FaultyStore | undefined
  /** Ends the database's server: by `SIGKILL` as a crash, by `SIGQUIT` as an immediate stop; its keeper starts it again. */
  endDatabase: (signal: 'SIGKILL' | 'SIGQUIT') => Promise<void>
}

/** Opens the world in a folder of its own; disposing of it removes the folder. */
export async function openWorld(options: WorldOptions): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-chaos-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const dataDir = join(folder, 'data')
  const embedded = stack.use(await startEmbedded(dataDir, { log: () => undefined }))
  await migrate(embedded.url)
  const sql = connect(embedded.url, { connections: 4, applicationName: 'chaos' })
  stack.defer(() => sql.end({ timeout: 5 }))
  const accounts: NewAccount[] = []
  for (let index = 0; index < options.accounts; index += 1) {
    const account = { name: `Account ${index}`, email: `${index}@example.com`, credit: microUsd(1_000_000_000) }
    const made = await createAccount(sql, SECRET_KEY, account)
    await updateLimits(sql, made.id, { requestsPerMinute: 1_000_000, concurrentRequests: 1_000_000 })
    accounts.push(made)
  }
  const files = await makeFiles()
  const sources = stack.use(await startSourceServer(serveFiles(files)))
  const destinations = stack.use(await openDestinations())
  const receiver = stack.use(await startReceiver(204))
  // The same for each attempt at an event with the same number: every tenth is refused once, every fiftieth twice.
  const refusals = new Map<string, number>()
  receiver.answering(({ headers }, answer) => {
    const id = String(headers['service-event-id'])
    const left = refusals.get(id) ?? refusalsOf(id)
    refusals.set(id, left - 1)
    answer.writeHead(left > 0 ? 500 : 204).end()
  })
  const bucket = options.store === 'files' ? undefined : stack.use(await startBucket(options.store))
  const store = bucket && stack.use(await openFaultyStore(bucket.endpoint))
  const settings = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    DATA_DIR: dataDir,
    DATABASE_URL: embedded.url,
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
    files,
    destinations,
    webhookUrl: receiver.url('/hook'),
    received: receiver.received,
    store,
    async endDatabase(signal) {
      const pid = await serverOf(dataDir)
      process.kill(pid, signal)
      while ((await serverOf(dataDir).catch(() => pid)) === pid) await delay(20)
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
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

async function serverOf(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
  return Number(text.split('\n')[0])
}

/** How often the receiver refuses an event before it takes it. */
function refusalsOf(eventId: string): number {
  const lot = createHash('sha256').update(eventId).digest().readUInt16BE() % 50
  return lot === 0 ? 2 : lot <= 5 ? 1 : 0
}
