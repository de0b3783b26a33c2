import type { Waiting } from '../db/connection/await-database.ts'
import { awaitDatabase } from '../db/connection/await-database.ts'
import type { Sql } from '../db/connection/connect.ts'
import { connect } from '../db/connection/connect.ts'
import { isPooled } from '../db/connection/pooler.ts'
import { migrate } from '../db/migrate.ts'
import { OperatorError } from '../domain/errors.ts'
import type { Logger } from '../runtime/telemetry/log.ts'
import type { HomeConfig } from './home.ts'

/** Waits for the database and migrates it. The settings that come back say if a pooler is before it. */
export async function prepareDatabase(config: HomeConfig, waiting: Waiting = {}): Promise<HomeConfig> {
  const databaseUrl = await awaitDatabase(config.databaseUrl, waiting)
  await migrate(databaseUrl, undefined, waiting.onWait)
  return { ...config, databaseUrl }
}

/** Opens the pool that notices are heard on. There is none behind a pooler: it lends a session for one transaction. */
export async function openNotices(config: HomeConfig, sql: Sql, log: Logger): Promise<Sql | undefined> {
  const { databaseListenUrl } = config
  if (databaseListenUrl !== undefined) {
    const url = await awaitDatabase(databaseListenUrl, { variable: 'DATABASE_LISTEN_URL' })
    if (isPooled(url)) {
      throw new OperatorError(
        'DATABASE_LISTEN_URL leads through a pooler, where no notice is heard: it must lead to PostgreSQL itself.',
      )
    }
    return connect(url, { connections: 1, applicationName: 'mediamill listen' })
  }
  if (!isPooled(config.databaseUrl)) return sql
  log.info('DATABASE_URL leads through a pooler: work is looked for; with DATABASE_LISTEN_URL it would be heard of')
  return undefined
}
