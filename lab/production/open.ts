import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { microUsd } from '@mediamill/contract/domain/money'
import type { NewAccount } from '@mediamill/server/accounts/create-account'
import { startEmbedded } from '@mediamill/server/app/postgres/embedded'
import { connect } from '@mediamill/server/db/connection/connect'
import { migrate } from '@mediamill/server/db/migrate'
import type { Fleet } from '../chaos/fleet.ts'
import { startFleet } from '../chaos/fleet.ts'
import type { OldRelease } from '../chaos/release.ts'
import { accountCreator } from '../chaos/release.ts'
import type { ArchivedDatabase } from '../support/archived-database.ts'
import { startArchivedDatabase } from '../support/archived-database.ts'
import type { HaProxy } from '../support/haproxy.ts'
import { startHaProxy } from '../support/haproxy.ts'
import { quarters } from '../support/images.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { findPrograms } from '../support/postgresql-programs.ts'
import { freePort } from '../support/process.ts'
import type { Receiver } from '../support/receiver.ts'
import { startReceiver } from '../support/receiver.ts'
import { startS3rver } from '../support/s3-server.ts'
import { startSourceServer } from '../support/source-server.ts'

export const SECRET_KEY = 'the secret key of the production shape on this machine'

export type Production = AsyncDisposable & {
  url: string
  certificate: string
  proxy: HaProxy
  fleet: Fleet
  /** The environment of every process. A change applies when the process starts again. */
  settings: Record<string, string>
  databaseUrl: string
  /** The system's PostgreSQL. If `undefined`, the system has none, and the embedded PostgreSQL runs instead. */
  archived: ArchivedDatabase | undefined
  account: NewAccount
  receiver: Receiver
  source: string
  /** Another source, whose download ends only after `release`. `called` resolves when a worker requests the source. */
  heldSource: { url: string; called: Promise<void>; release: () => void }
  folder: string
}

export async function openProduction(release: OldRelease | undefined): Promise<Production> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-production-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const archived = findPrograms() === undefined ? undefined : stack.use(await startArchivedDatabase())
  const embedded = archived === undefined ? stack.use(await startEmbedded(folder, { log: () => undefined })) : undefined
  const databaseUrl = (archived ?? embedded)?.url ?? ''
  const bouncer = stack.use(await startPgBouncer(databaseUrl, { servers: 30 }))
  const bucket = stack.use(await startS3rver())
  const receiver = stack.use(await startReceiver(204))
  const photo = await quarters(400, 300)
  const [called, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sources = stack.use(
    await startSourceServer({
      '/photo.png': photo,
      '/held.png'(_call, response) {
        called.resolve()
        void released.promise.then(() => response.end(photo))
      },
    }),
  )
  const account = await openAccount(databaseUrl, release)
  const port = await freePort()
  const settings: Record<string, string> = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    BASE_URL: `https://localhost:${port}`,
    TRUSTED_PROXIES: '127.0.0.1',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: bouncer.url,
    DATABASE_LISTEN_URL: databaseUrl,
    MIGRATE_DATABASE_URL: databaseUrl,
    STORAGE_URL: bucket.storageUrl,
    AWS_ACCESS_KEY_ID: bucket.keyId,
    AWS_SECRET_ACCESS_KEY: bucket.secret,
    SECRET_KEY,
    ISOLATION: 'require-sandbox',
    WORKER_CONCURRENCY: '1',
    ALLOWED_PRIVATE_HOSTS: `${sources.host},${receiver.host}`,
  }
  const fleet = stack.use(
    await startFleet({ apis: 2, workers: 2, settings, logs: join(folder, 'logs'), main: release?.main }),
  )
  await fleet.ready()
  const [one = 0, two = 0] = fleet.members.filter(({ role }) => role === 'api').map((member) => member.port)
  const proxy = stack.use(await startHaProxy([one, two], port))
  const running = stack.move()
  return {
    url: proxy.url,
    certificate: proxy.certificate,
    proxy,
    fleet,
    settings,
    databaseUrl,
    archived,
    account,
    receiver,
    source: sources.url('/photo.png'),
    heldSource: { url: sources.url('/held.png'), called: called.promise, release: released.resolve },
    folder,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function openAccount(databaseUrl: string, release: OldRelease | undefined): Promise<NewAccount> {
  await migrate(databaseUrl, release?.migrations)
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'production' })
  try {
    const create = await accountCreator(release)
    const account = { name: 'Ada', email: 'ada@example.com', credit: microUsd(1_000_000_000) }
    const made = await create(sql, SECRET_KEY, account)
    await sql`update accounts set requests_per_minute = 1000000, concurrent_requests = 1000 where id = ${made.id}`
    return made
  } finally {
    await sql.end({ timeout: 5 })
  }
}
