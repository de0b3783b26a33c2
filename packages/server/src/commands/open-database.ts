import type { ServiceConfig } from '../app/installation.ts'
import { openInstallation } from '../app/installation.ts'
import type { Config } from '../config/config.ts'
import { awaitDatabase } from '../db/connection/await-database.ts'
import type { Sql } from '../db/connection/connect.ts'
import { connect } from '../db/connection/connect.ts'
import { plannedMigrations } from '../db/migrate.ts'

type OpenOptions = { applicationName: string; timeoutMs: number; report?: (line: string) => void }

/** Opens the database of an installed service as it is, without migrations. Starts an embedded PostgreSQL if needed. */
export async function openDatabase(
  settings: Config,
  { applicationName, timeoutMs, report = () => {} }: OpenOptions,
): Promise<AsyncDisposable & { sql: Sql; config: ServiceConfig }> {
  await using stack = new AsyncDisposableStack()
  const installation = stack.use(await openInstallation(settings, report))
  const databaseUrl = await awaitDatabase(installation.config.databaseUrl, { timeoutMs, onWait: report })
  const sql = stack.use(connect(databaseUrl, { connections: 1, applicationName }))
  const opened = stack.move()
  return { sql, config: { ...installation.config, databaseUrl }, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/**
 * Returns a text with the number of missing migrations, if any. Counts only migrations that must run before a start.
 */
export async function missingMigrations(sql: Sql): Promise<string | undefined> {
  const { length } = (await plannedMigrations(sql)).filter(({ isDeferred }) => !isDeferred)
  if (length === 0) return undefined
  return `${length} ${length === 1 ? 'migration is' : 'migrations are'}`
}
