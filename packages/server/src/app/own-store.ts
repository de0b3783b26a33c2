import { join } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { Sql } from '../db/connection/connect.ts'
import { readDatabaseId } from '../db/database-id.ts'
import { every } from '../lib/time/every.ts'
import { retry } from '../lib/time/retry.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import { tryStore } from '../store/health.ts'
import { claimStore, refreshMarker } from '../store/marker.ts'
import type { Store } from '../store/store.ts'
import { MARKER_KEY } from '../store/store.ts'
import type { Logger } from '../telemetry/log.ts'
import { watchStore } from './outages.ts'
import { openStore } from './shared-resources.ts'

/** After this time, a starting process continues without the file store, and checks the store again later. */
const TIMEOUT_MS = 5_000
const RETRY_MS = 5_000
const REFRESH_MS = 24 * 3_600_000

type OwnStoreOptions = { config: Config; sql: Sql; registry: Registry; log: Logger; signal: AbortSignal }

/**
 * Opens the store and claims it for this database. Throws `OperatorError` if the store belongs to another database: the
 * cleanup would delete that database's files.
 */
export async function openOwnStore({ config, sql, registry, log, signal }: OwnStoreOptions): Promise<Store> {
  const store = watchStore(registry, await openStore(config), log, signal)
  const claim = async (write = claimStore) => {
    const databaseId = await readDatabaseId(sql)
    const owner = await write(store, databaseId)
    if (owner !== databaseId) throw belongsToAnother(config, owner)
  }
  every(REFRESH_MS, signal, () => claimLater(() => claim(refreshMarker), log, signal))
  const check = async () => {
    await claim()
    const failed = await tryStore(store)
    if (failed !== undefined)
      log.error({ step: failed.step, err: failed.error }, 'store unusable: a test operation failed')
  }
  try {
    await withTimeout(check(), TIMEOUT_MS, () => {
      throw new Error(`the store did not respond within ${TIMEOUT_MS / 1000} s`)
    })
  } catch (error) {
    if (error instanceof OperatorError) throw error
    log.error({ err: error }, 'store not checked; retrying')
    void claimLater(() => claim(), log, signal)
  }
  return store
}

async function claimLater(claim: () => Promise<void>, log: Logger, signal: AbortSignal): Promise<void> {
  try {
    await retry(claim, {
      pauseMs: RETRY_MS,
      onFailure(error) {
        if (error instanceof OperatorError || signal.aborted) throw error
      },
      signal,
    })
  } catch (error) {
    if (signal.aborted) return
    log.fatal({ err: error }, 'the store belongs to another database; stopping')
    process.kill(process.pid, 'SIGTERM')
  }
}

export function belongsToAnother({ storageUrl, dataDir }: Config, owner: string): OperatorError {
  const [setting, location] =
    storageUrl === undefined
      ? ['DATA_DIR', join(dataDir, 'results')]
      : ['STORAGE_URL', `s3://${[storageUrl.bucket, storageUrl.prefix].filter(Boolean).join('/')}`]
  return new OperatorError(
    `${setting}: ${location} belongs to another database (${owner}). Use a separate directory or bucket prefix for each database. If that database no longer exists, delete ${MARKER_KEY} from ${location}.`,
  )
}
