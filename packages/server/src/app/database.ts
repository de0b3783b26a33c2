import { OperatorError } from '@mediamill/contract/domain/errors'
import { joinKeyRing } from '../accounts/key-ring.ts'
import type { Waiting } from '../db/connection/await-database.ts'
import { awaitDatabase, retryUntilAvailable } from '../db/connection/await-database.ts'
import type { Sql } from '../db/connection/connect.ts'
import { connect } from '../db/connection/connect.ts'
import { isDatabaseError } from '../db/connection/errors.ts'
import { isPooled } from '../db/connection/pooler.ts'
import { readDatabaseId } from '../db/database-id.ts'
import type { IndexProgress } from '../db/index-progress.ts'
import type { MigrationOptions } from '../db/migrate.ts'
import { migrate } from '../db/migrate.ts'
import { buildStartingServer } from '../http/starting-server.ts'
import { every } from '../lib/time/every.ts'
import { retry } from '../lib/time/retry.ts'
import type { Logger } from '../telemetry/log.ts'
import type { ServiceConfig } from './installation.ts'
import { listenAt } from './listen.ts'

const PROGRESS_MS = 60_000
const RETRY_MS = 60_000

const BUILD_POLL_MS = 5_000

/** Waits for the database and migrates it. `databaseUrl` gets the parameter `pgbouncer` if it leads to a pooler. */
export async function prepareDatabase(
  config: ServiceConfig,
  waiting: Waiting & MigrationOptions = {},
): Promise<ServiceConfig> {
  const databaseUrl = await awaitDatabase(config.databaseUrl, waiting)
  await migrate(await migrationUrl(config, databaseUrl, waiting), undefined, waiting)
  return { ...config, databaseUrl }
}

/** Records the first key of SECRET_KEY. Throws `OperatorError` if SECRET_KEY does not match the database. */
export async function checkSecretKey({ databaseUrl, secretKey }: ServiceConfig, waiting: Waiting = {}): Promise<void> {
  await using sql = connect(databaseUrl, { connections: 1, applicationName: 'mediamill keys' })
  await retryUntilAvailable(() => joinKeyRing(sql, secretKey), waiting)
}

/** Returns the database URL for migrations. MIGRATE_DATABASE_URL bypasses a pooler that ends long statements. */
async function migrationUrl(
  { migrateDatabaseUrl }: ServiceConfig,
  databaseUrl: string,
  waiting: Waiting,
): Promise<string> {
  if (migrateDatabaseUrl === undefined) return databaseUrl
  const variable = 'MIGRATE_DATABASE_URL'
  const url = await awaitDatabase(migrateDatabaseUrl, { ...waiting, variable })
  if (!isPooled(url)) return url
  throw new OperatorError(`${variable} uses a connection pooler. Set it to PostgreSQL itself.`)
}

/** Prepares the database for the API or a worker. During a migration, `/readyz` returns 503 with the progress. */
export async function prepareRole(
  config: ServiceConfig,
  log: Logger,
  health: HealthPort | undefined,
): Promise<ServiceConfig> {
  const starting = buildStartingServer(config.baseUrl, log)
  let listening: Promise<string> | undefined
  let created: { migrations: number; startedAt: number } | undefined
  try {
    const prepared = await prepareDatabase(config, {
      leavesBackground: true,
      onWait: (line) => log.warn(line),
      onStart(migration, progress, isNew) {
        starting.setMigration(migration, progress)
        if (isNew) created ??= { migrations: 0, startedAt: performance.now() }
        else log.info({ migration }, 'migration started')
        if (health !== undefined) {
          listening ??= listenAt(starting.server, health.setting, { host: config.host, port: health.port })
          // If the port is in use, the role fails with this error later, when it listens on the port itself.
          listening.catch(() => undefined)
        }
      },
      onApplied(migration, durationMs) {
        if (created === undefined) log.info({ migration, duration_ms: Math.round(durationMs) }, 'migration applied')
        else created.migrations += 1
      },
    })
    if (created !== undefined && created.migrations > 0) {
      const durationMs = Math.round(performance.now() - created.startedAt)
      log.info({ migrations: created.migrations, duration_ms: durationMs }, 'database schema created')
    }
    await checkSecretKey(prepared, { onWait: (line) => log.warn(line) })
    return prepared
  } finally {
    await listening?.catch(() => undefined)
    await starting.server.close()
  }
}

/**
 * Applies the migrations that can run after the start. Only one process builds indexes. If it dies, another process
 * drops the unfinished index and builds it again.
 */
export async function migrateInBackground(config: ServiceConfig, log: Logger, signal: AbortSignal): Promise<void> {
  let running: { migration: string; progress: () => Promise<IndexProgress | undefined> } | undefined
  every(PROGRESS_MS, signal, async () => {
    const found = await running?.progress().catch(() => undefined)
    if (found !== undefined) log.info({ migration: running?.migration, ...found }, 'migration runs in the background')
  })
  const apply = async () =>
    void (await migrate(await migrationUrl(config, config.databaseUrl, {}), undefined, {
      pollMs: BUILD_POLL_MS,
      onWait: (line) => log.info(line),
      onStart(migration, progress) {
        running = { migration, progress }
      },
      onApplied(migration, durationMs) {
        log.info({ migration, duration_ms: Math.round(durationMs) }, 'migration applied in the background')
      },
    }))
  const onFailure = (error: unknown) => {
    if (signal.aborted) throw error
    log.error({ err: error, migration: running?.migration }, 'migration failed in the background; retrying')
  }
  await retry(apply, { pauseMs: RETRY_MS, onFailure, signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  running = undefined
}

export type HealthPort = { setting: 'PORT' | 'METRICS_PORT'; port: number }

/** Returns the pool for `LISTEN`, or `undefined` if only a pooler is set: `LISTEN` requires a permanent session. */
export async function openNotices(config: ServiceConfig, sql: Sql, log: Logger): Promise<Sql | undefined> {
  const { databaseListenUrl } = config
  if (databaseListenUrl !== undefined) {
    const url = await awaitDatabase(databaseListenUrl, { variable: 'DATABASE_LISTEN_URL' })
    if (isPooled(url)) {
      throw new OperatorError(
        'DATABASE_LISTEN_URL uses a connection pooler, which delivers no notifications. Set it to PostgreSQL itself.',
      )
    }
    const listenPool = connect(url, { connections: 1, applicationName: 'mediamill listen' })
    try {
      await checkSameDatabase(sql, listenPool, log)
      return listenPool
    } catch (error) {
      await listenPool.end({ timeout: 5 })
      throw error
    }
  }
  if (!isPooled(config.databaseUrl)) return sql
  log.info(
    'DATABASE_URL uses a connection pooler, so this process polls; set DATABASE_LISTEN_URL to receive notifications',
  )
  return undefined
}

const UNDEFINED_TABLE = '42P01'
const INSUFFICIENT_PRIVILEGE = '42501'

/**
 * Throws `OperatorError` if `listenPool` leads to another database, because its notifications would not arrive. Only
 * warns if the role cannot read the database's id.
 */
async function checkSameDatabase(sql: Sql, listenPool: Sql, log: Logger): Promise<void> {
  const found = await readDatabaseId(listenPool).catch(async (error: unknown) => {
    if (isDatabaseError(error, INSUFFICIENT_PRIVILEGE)) return 'unreadable'
    if (!isDatabaseError(error, UNDEFINED_TABLE)) throw error
    // The database role may lack USAGE on the schema of the table, so that the table seems to be missing.
    const tables = await listenPool`select from pg_class where relname = 'database_id'`
    return tables.length > 0 ? 'unreadable' : undefined
  })
  if (found === 'unreadable') {
    log.warn(
      'DATABASE_LISTEN_URL: its role cannot read the table database_id, so this process cannot check that the URL leads to the same database. Grant the role SELECT on the table, and USAGE on its schema, and include the schema in its search_path',
    )
    return
  }
  if (found === (await readDatabaseId(sql))) return
  throw new OperatorError(
    'DATABASE_LISTEN_URL and DATABASE_URL lead to different databases. Both must lead to the same database, and DATABASE_LISTEN_URL must not lead through a pooler.',
  )
}
