import { OperatorError } from '@mediamill/contract/domain/errors'
import type { ServiceConfig } from '../../app/installation.ts'
import { isInstalled } from '../../app/installation.ts'
import type { Config } from '../../config/config.ts'
import type { Sql } from '../../db/connection/connect.ts'
import { isPooled } from '../../db/connection/pooler.ts'
import { readServerInfo } from '../../db/connection/server-info.ts'
import { SchemaTooNewError } from '../../db/migrate.ts'
import { missingMigrations, openDatabase } from '../open-database.ts'
import type { Finding } from './finding.ts'
import { fault, good, warning } from './finding.ts'
import { checkKeys } from './keys.ts'
import { checkSegments } from './segments.ts'
import { checkOwner } from './store.ts'

const TIMEOUT_MS = 5_000
const MIN_VERSION = 14
const MAX_DRIFT_MS = 2_000

export async function checkDatabase(config: Config): Promise<Finding[]> {
  if (!(await isInstalled(config))) {
    return [good('database', `none yet: the first start creates an embedded PostgreSQL in ${config.dataDir}`)]
  }
  try {
    await using database = await openDatabase(config, { timeoutMs: TIMEOUT_MS, applicationName: 'mediamill doctor' })
    return await checkServer(database.sql, database.config, config)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    if (error instanceof SchemaTooNewError) return [fault('database', error.message, 'Install the newer version.')]
    const remedy = 'Check that it is running, and check DATABASE_URL: host, port, user, password, and name.'
    return [fault('database', error.message, remedy)]
  }
}

async function checkServer(sql: Sql, service: ServiceConfig, config: Config): Promise<Finding[]> {
  const askedAt = Date.now()
  const { version, now } = await readServerInfo(sql)
  const drift = now.getTime() - (askedAt + Date.now()) / 2
  const missing = await missingMigrations(sql)
  const what = config.databaseUrl === undefined ? 'embedded PostgreSQL' : 'PostgreSQL'
  const pooler = isPooled(service.databaseUrl) ? ' behind a pooler' : ''
  const message = `${what} ${version}${pooler} responds${missing === undefined ? '' : `; ${missing} pending`}`
  const findings = [checkVersion(version, message), checkClock(drift)]
  // If migrations are missing, the tables of keys and segments may be missing too.
  if (missing !== undefined) return findings
  return [...findings, await checkKeys(sql, service), await checkSegments(sql), ...(await checkOwner(sql, config))]
}

function checkVersion(version: number, message: string): Finding {
  if (version >= MIN_VERSION) return good('database', message)
  return fault('database', message, `Use PostgreSQL ${MIN_VERSION} or newer.`)
}

/** Checks the clock of the database. `driftMs` is positive if the database is ahead of this machine. */
export function checkClock(driftMs: number): Finding {
  const seconds = (Math.abs(driftMs) / 1000).toFixed(1)
  if (Math.abs(driftMs) <= MAX_DRIFT_MS) return good('clock', 'this machine and the database have the same time')
  const message = `the database is ${seconds} s ${driftMs > 0 ? 'ahead of' : 'behind'} this machine`
  const remedy = 'Synchronize both with NTP: links, signatures, and leases depend on these clocks.'
  return warning('clock', message, remedy)
}
