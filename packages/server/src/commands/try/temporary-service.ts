import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { microUsd } from '@mediamill/contract/domain/money'
import type { NewAccount } from '../../accounts/create-account.ts'
import type { HomeConfig } from '../../app/home.ts'
import { environment, SECRET_VARIABLES } from '../../config/config.ts'
import { insertPurchase } from '../../db/accounts/accounts.ts'
import { connect } from '../../db/connection/connect.ts'
import { freePort } from './loopback-files.ts'

/** A whole service that removes all its files when it stops. */
export type TemporaryService = AsyncDisposable & {
  /** The address of the API. */
  address: string
  /** A live key of a paid account. */
  key: string
}

/** More than any file within the limits can cost: four hours of video are $4.80, and 20,000 pages are $80. */
const CREDIT = microUsd(1_000_000_000)

/** Starts a service in a temporary folder, with `allowedHost` exempt. Disposing removes the folder. */
export async function startTemporaryService(allowedHost: string): Promise<TemporaryService> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  // Under root, the database runs as another user, who must be able to pass.
  await chmod(folder, 0o711)
  const { startService } = await import('../serve/service.ts')
  const made = Promise.withResolvers<{ account: NewAccount; config: HomeConfig }>()
  const service = await startService(
    { ...environment(), ...(await settingsFor(folder, allowedHost)) },
    { onFirstStart: async (account, config) => made.resolve({ account, config }) },
  )
  stack.defer(service.stop)
  const { account, config } = await made.promise
  const sql = connect(config.databaseUrl, { connections: 1, applicationName: 'mediamill command' })
  try {
    await insertPurchase(sql, account.id, CREDIT, 'a temporary service')
  } finally {
    await sql.end({ timeout: 5 })
  }
  const running = stack.move()
  return {
    address: service.address,
    key: account.liveKey,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Ignores the operator's own settings, except limits, isolation, and the log level. */
async function settingsFor(folder: string, allowedHost: string): Promise<Record<string, string>> {
  return {
    ...Object.fromEntries(SECRET_VARIABLES.map((name) => [name, ''])),
    DATABASE_CA: '',
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    METRICS_PORT: '',
    BASE_URL: '',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: '',
    DATABASE_LISTEN_URL: '',
    MIGRATE_DATABASE_URL: '',
    STORAGE_URL: '',
    SECRET_KEY: '',
    ALLOWED_PRIVATE_HOSTS: allowedHost,
    LOG_LEVEL: environment().LOG_LEVEL ?? 'error',
  }
}
