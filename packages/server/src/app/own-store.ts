import { join } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { Sql } from '../db/connection/connect.ts'
import { readDatabaseId, readOwnClaim, renewOwnClaim } from '../db/database-id.ts'
import { every } from '../lib/time/every.ts'
import { pause, retry } from '../lib/time/retry.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import { tryStore } from '../store/health.ts'
import { claimStore, readClaim, refreshMarker, writeClaim } from '../store/marker.ts'
import type { Store } from '../store/store.ts'
import { MARKER_KEY } from '../store/store.ts'
import type { Logger } from '../telemetry/log.ts'
import { watchStore } from './outages.ts'
import { openStore } from './shared-resources.ts'

/** How long a starting process waits for the file store. After that, it starts, and checks the store again later. */
const TIMEOUT_MS = 5_000
const RETRY_MS = 5_000
const REFRESH_MS = 24 * 3_600_000

/** How often the processes of a database renew its claim on the store. */
const RENEW_MS = 20_000
const POLL_MS = 1_000

type OwnStoreOptions = {
  config: Config
  sql: Sql
  registry: Registry
  log: Logger
  signal: AbortSignal
  renewMs?: number
}

/**
 * Opens and checks the file store. Throws `OperatorError` if the store belongs to another database, or if this database
 * is a restored copy of its owner, because the cleanup would delete the files of the owner. If the store is
 * unavailable, checks it again later.
 */
export async function openOwnStore(options: OwnStoreOptions): Promise<Store> {
  const { config, sql, registry, log, signal, renewMs = RENEW_MS } = options
  const store = watchStore(registry, await openStore(config), log, signal)
  const claim = async (write = claimStore) => {
    const databaseId = await readDatabaseId(sql)
    const owner = await write(store, databaseId)
    if (owner !== databaseId) throw belongsToAnother(config, owner)
  }
  every(REFRESH_MS, signal, async () => void (await claimLater(() => claim(refreshMarker), log, signal)))
  const renewing = () =>
    every(renewMs, signal, async () => void (await claimLater(() => renewClaim(options, store), log, signal)))
  const check = async () => {
    await claim()
    const failed = await tryStore(store)
    if (failed !== undefined) log.error({ step: failed.step, err: failed.error }, 'store check failed')
  }
  try {
    await withTimeout(check(), TIMEOUT_MS, () => {
      throw new Error(`the store did not respond within ${TIMEOUT_MS / 1000} s`)
    })
    await awaitClaim(options, store)
    renewing()
  } catch (error) {
    if (error instanceof OperatorError || signal.aborted) throw error
    log.error({ err: error }, 'store not checked; retrying')
    const claimAll = async () => {
      await claim()
      await awaitClaim(options, store)
    }
    void claimLater(claimAll, log, signal).then((isOwner) => isOwner && renewing())
  }
  return store
}

/**
 * Throws `OperatorError` if this database is a copy of the database that uses the store. The claim in the store is one
 * renewal behind its database, so a database with a smaller number was restored from a backup. After a restore to the
 * latest state and after a failover, the numbers agree and the instance differs. In this case, this process waits longer
 * than the interval between two renewals, and starts only if the other instance has not renewed its claim.
 */
async function awaitClaim({ config, sql, log, signal, renewMs = RENEW_MS }: OwnStoreOptions, store: Store) {
  const id = await readDatabaseId(sql)
  const first = await readClaim(store, id)
  const quietAt = Date.now() + renewMs * 2.5
  for (let seen = first; ; seen = await readClaim(store, id)) {
    // Read the database after the store: a database is never behind its own claim in the store.
    const own = await readOwnClaim(sql)
    if (seen === undefined) return await writeClaim(store, id, { ...own, claims: Math.max(own.claims - 1, 0) })
    const isOwn = seen.instance === own.instance || own.instance === ''
    if (seen.claims > own.claims || (!isOwn && seen.claims !== first?.claims)) throw usedByOriginal(config)
    if (isOwn) return
    if (Date.now() > quietAt) {
      log.warn({ before: seen.instance, now: own.instance }, 'the database moved to another server')
      return await writeClaim(store, id, { ...own, claims: seen.claims })
    }
    await pause(Math.min(POLL_MS, renewMs / 4), signal)
  }
}

async function renewClaim({ config, sql, renewMs = RENEW_MS }: OwnStoreOptions, store: Store): Promise<void> {
  const claims = await renewOwnClaim(sql, renewMs * 0.8)
  if (claims === undefined) return
  const id = await readDatabaseId(sql)
  const seen = await readClaim(store, id)
  if (seen !== undefined && seen.claims >= claims) throw usedByOriginal(config)
  const { instance } = await readOwnClaim(sql)
  await writeClaim(store, id, { claims: claims - 1, instance })
}

/** Retries `claim` while the store is unavailable. If the claim fails, stops this process and returns `false`. */
async function claimLater(claim: () => Promise<void>, log: Logger, signal: AbortSignal): Promise<boolean> {
  try {
    await retry(claim, {
      pauseMs: RETRY_MS,
      onFailure(error) {
        if (error instanceof OperatorError || signal.aborted) throw error
      },
      signal,
    })
    return true
  } catch (error) {
    if (!signal.aborted) {
      log.fatal({ err: error }, 'the store belongs to another database; stopping')
      process.kill(process.pid, 'SIGTERM')
    }
    return false
  }
}

const locationOf = ({ storageUrl, dataDir }: Config) =>
  storageUrl === undefined
    ? (['DATA_DIR', join(dataDir, 'results')] as const)
    : (['STORAGE_URL', `s3://${[storageUrl.bucket, storageUrl.prefix].filter(Boolean).join('/')}`] as const)

function usedByOriginal(config: Config): OperatorError {
  const [setting, location] = locationOf(config)
  return new OperatorError(
    `${setting}: ${location} is used by the original of this database, which is a restored copy. To test the copy, use a separate directory or bucket prefix. To replace the original, stop its processes and run mediamill restore-check --adopt.`,
  )
}

export function belongsToAnother(config: Config, owner: string): OperatorError {
  const [setting, location] = locationOf(config)
  return new OperatorError(
    `${setting}: ${location} belongs to another database (${owner}). Use a separate directory or bucket prefix for each database. If that database no longer exists, delete ${MARKER_KEY} from ${location}.`,
  )
}
