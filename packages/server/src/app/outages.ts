import type { Registry } from 'prom-client'
import type { Sql } from '../db/connection/connect.ts'
import { isAway, isOutOfSpace } from '../db/connection/errors.ts'
import { checkDatabase, checkDiskOfDatabase } from '../db/connection/health.ts'
import { watchOutages } from '../lib/outage.ts'
import { every } from '../lib/time/every.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import { tryStore } from '../store/health.ts'
import type { Store } from '../store/store.ts'
import type { Logger } from '../telemetry/log.ts'
import { measureStore } from './process-metrics.ts'

export type DatabaseHealth = {
  /** Receives the error of a failed statement. Starts an outage if the database is unavailable or has a full disk. */
  onFailure: (error: unknown) => void
  /** Returns whether the database responds and accepts writes. During an outage, returns `false` without a query. */
  isReady: () => Promise<boolean>
}

/** Watches the database for outages. `sql` returns the pool, which may be created after this call. */
export function watchDatabase(sql: () => Sql, log: Logger, signal: AbortSignal): DatabaseHealth {
  const probe = async () => {
    await checkDatabase(sql())
    await checkDiskOfDatabase(sql())
  }
  const outages = watchOutages({ name: 'database', probe, log, signal })
  return {
    onFailure(error) {
      if (isAway(error) || isOutOfSpace(error)) outages.start(error)
    },
    async isReady() {
      if (outages.isOngoing) return false
      try {
        await checkDatabase(sql())
        return true
      } catch (error) {
        outages.start(error)
        return false
      }
    },
  }
}

const STORE_PROBE_MS = 2_000
const STORE_TIMEOUT_MS = 10_000

/** How long writes must fail before the store counts as unavailable: a short failure must not make `/readyz` fail. */
const WRITES_FAIL_MS = 5_000
/** A process that has written nothing for this long writes a test object, to detect a store that rejects writes. */
const TRIAL_MS = 60_000

/**
 * Watches a store for outages. `check` of the returned store also rejects while all writes fail, for example because
 * the disk is full or the bucket is read-only.
 */
export function watchStore(
  registry: Registry,
  store: Store,
  log: Logger,
  signal: AbortSignal,
  { trialMs = TRIAL_MS, writesFailMs = WRITES_FAIL_MS } = {},
): Store {
  const probe = async () => {
    const failed = await withTimeout(tryStore(measured), STORE_TIMEOUT_MS, () => ({ error: new Error('timeout') }))
    if (failed !== undefined) throw failed.error
  }
  const outages = watchOutages({ name: 'store', probe, log, signal, intervalMs: STORE_PROBE_MS })
  const writes: { triedAt: number; failing?: { since: number; error: unknown } | undefined } = { triedAt: 0 }
  const measured = measureStore(registry, store, (operation, error) => {
    if (error !== undefined) outages.start(error)
    if (operation !== 'put' && operation !== 'write') return
    writes.triedAt = performance.now()
    writes.failing = error === undefined ? undefined : { error, since: writes.failing?.since ?? writes.triedAt }
  })
  every(trialMs, signal, async () => {
    if (performance.now() - writes.triedAt >= trialMs && !outages.isOngoing) await probe().catch(() => undefined)
  })
  return {
    ...measured,
    async check() {
      const { failing } = writes
      if (failing !== undefined && performance.now() - failing.since >= writesFailMs)
        throw new Error('the store rejects writes', { cause: failing.error })
      await measured.check()
    },
  }
}
