import type { Registry } from 'prom-client'
import { Gauge } from 'prom-client'
import type { Sql } from '../db/connection/connect.ts'
import {
  compareBalances,
  countConnections,
  countDeadRows,
  countEvents,
  countLanes,
  countStuckEvents,
  countWorkers,
  oldestSnapshot,
  oldestXmins,
  readStoredResults,
  sumUploads,
} from '../db/metrics.ts'
import { countSealedByName } from '../db/sealed-values.ts'
import { readSecretKeyFigures } from '../db/secret-keys.ts'
import { countSegments } from '../db/segments/count-segments.ts'
import { every } from '../lib/time/every.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import type { Logger } from '../telemetry/log.ts'

/** How long metrics scrapes reuse the values of one database refresh. */
const CACHE_MS = 2_000
const TIMEOUT_MS = 3_000

export function showDatabase(registry: Registry, sql: Sql): void {
  const refresh = cached(() => figures.refresh())
  const figures = new DatabaseFigures(registry, sql, refresh)
}

/** Wraps `refresh`, so that all gauges of a metrics scrape share one read of the database. */
function cached(refresh: () => Promise<void>): () => Promise<void> {
  let refreshedAt = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | undefined
  const done = () => {
    refreshing = undefined
    refreshedAt = performance.now()
  }
  return async () => {
    if (performance.now() - refreshedAt >= CACHE_MS) refreshing ??= refresh().finally(done)
    await refreshing
  }
}

class DatabaseFigures {
  readonly #sql: Sql
  readonly #up: Gauge
  readonly #queued: Gauge<'lane'>
  readonly #oldest: Gauge<'lane'>
  readonly #accountsAge: Gauge<'lane' | 'quantile'>
  readonly #processing: Gauge<'lane'>
  readonly #waiting: Gauge
  readonly #overdue: Gauge
  readonly #stuck: Gauge
  readonly #snapshot: Gauge
  readonly #xmins: Gauge<'holder'>
  readonly #dead: Gauge<'table'>
  readonly #autovacuum: Gauge<'table'>
  readonly #workers: Gauge
  readonly #keys: Gauge
  readonly #rotation: Gauge
  readonly #sealed: Gauge<'key'>
  readonly #results: Gauge
  readonly #uploads: Gauge
  readonly #segments: Gauge<'state'>
  readonly #segmentsAge: Gauge
  readonly #connections: Gauge<'pool' | 'state'>

  constructor(registry: Registry, sql: Sql, refresh: () => Promise<void>) {
    const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Gauge<Label>({ name: `mediamill_${name}`, help, labelNames, registers: [registry], collect: refresh })
    this.#sql = sql
    this.#up = gauge('database_up', '1 if the last database check succeeded.')
    this.#queued = gauge('queue_depth', 'Queued requests, counted up to 10,000.', ['lane'])
    this.#oldest = gauge('queue_age_seconds', 'Wait time of the oldest queued request.', ['lane'])
    const ofAccounts: ('lane' | 'quantile')[] = ['lane', 'quantile']
    this.#accountsAge = gauge(
      'queue_age_by_account_seconds',
      'Wait of the oldest queued request of each account: quantiles over accounts.',
      ofAccounts,
    )
    this.#processing = gauge('requests_processing', 'Requests that workers are processing.', ['lane'])
    this.#waiting = gauge('deliveries_waiting', 'Events waiting for delivery, counted up to 10,000.')
    this.#overdue = gauge('deliveries_overdue_seconds', 'Delay of the most overdue delivery.')
    this.#stuck = gauge('deliveries_stuck', 'Deliveries that were claimed at least three times without a result.')
    this.#snapshot = gauge(
      'database_oldest_snapshot_seconds',
      'Age of the oldest open or prepared transaction in the database.',
    )
    this.#xmins = gauge(
      'database_oldest_xmin_transactions',
      'Transactions since the oldest snapshot that a replication slot or a standby keeps.',
      ['holder'],
    )
    this.#dead = gauge('database_dead_rows', 'Dead rows of busy tables, as PostgreSQL estimates them.', ['table'])
    this.#autovacuum = gauge('database_autovacuum_rows', 'Dead rows at which autovacuum starts on a busy table.', [
      'table',
    ])
    this.#workers = gauge('workers_alive', 'Workers that run jobs, with a heartbeat in the last 8 s.')
    this.#keys = gauge('secret_keys', 'Keys of SECRET_KEY that are not retired. 2 during a rotation.')
    this.#rotation = gauge('secret_key_rotation_seconds', 'Age of an unfinished rotation of SECRET_KEY; otherwise 0.')
    this.#sealed = gauge(
      'sealed_values',
      'Webhook secrets and open destinations by key; unknown: encrypted by an earlier version.',
      ['key'],
    )
    this.#results = gauge('result_stored_bytes', 'Bytes of stored results, all accounts, summed every 10 minutes.')
    this.#uploads = gauge('upload_stored_bytes', 'Bytes of stored and announced uploads, all accounts.')
    this.#segments = gauge('video_segments', 'Open video segments: waiting, running, done, failed.', ['state'])
    this.#segmentsAge = gauge('video_segments_age_seconds', 'Age of the oldest split video.')
    const labels: ('pool' | 'state')[] = ['pool', 'state']
    this.#connections = gauge(
      'database_connections',
      'Database connections of all processes, by pool and state.',
      labels,
    )
  }

  async refresh(): Promise<void> {
    try {
      await withTimeout(this.#read(), TIMEOUT_MS, () => {
        throw new Error('the database did not respond in time')
      })
      this.#up.set(1)
    } catch {
      // Clears the gauges. Otherwise, old values would seem current.
      for (const labeled of [
        this.#queued,
        this.#oldest,
        this.#accountsAge,
        this.#processing,
        this.#xmins,
        this.#connections,
        this.#segments,
        this.#dead,
        this.#autovacuum,
        this.#sealed,
      ])
        labeled.reset()
      for (const plain of [
        this.#waiting,
        this.#overdue,
        this.#stuck,
        this.#snapshot,
        this.#workers,
        this.#keys,
        this.#rotation,
        this.#results,
        this.#uploads,
        this.#segmentsAge,
      ])
        plain.set(Number.NaN)
      this.#up.set(0)
    }
  }

  /** Runs the queries one after another, so that a metrics scrape uses only one database connection. */
  async #read(): Promise<void> {
    for (const { lane, ...row } of await countLanes(this.#sql)) {
      this.#queued.set({ lane }, row.queued)
      this.#oldest.set({ lane }, row.oldestSeconds)
      this.#accountsAge.set({ lane, quantile: '0.5' }, row.accountsP50Seconds)
      this.#accountsAge.set({ lane, quantile: '0.95' }, row.accountsP95Seconds)
      this.#processing.set({ lane }, row.processing)
    }
    const events = await countEvents(this.#sql)
    this.#waiting.set(events.waiting)
    this.#overdue.set(events.overdueSeconds)
    this.#stuck.set(await countStuckEvents(this.#sql))
    this.#snapshot.set(await oldestSnapshot(this.#sql))
    for (const { holder, transactions } of await oldestXmins(this.#sql)) this.#xmins.set({ holder }, transactions)
    for (const { table, rows, autovacuumRows } of await countDeadRows(this.#sql)) {
      this.#dead.set({ table }, rows)
      this.#autovacuum.set({ table }, autovacuumRows)
    }
    this.#workers.set(await countWorkers(this.#sql))
    const { keys, rotationSeconds } = await readSecretKeyFigures(this.#sql)
    this.#keys.set(keys)
    this.#rotation.set(rotationSeconds)
    const sealed = await countSealedByName(this.#sql)
    this.#sealed.reset()
    for (const { key, values } of sealed) this.#sealed.set({ key }, values)
    this.#results.set(await readStoredResults(this.#sql))
    this.#uploads.set(await sumUploads(this.#sql))
    const segments = await countSegments(this.#sql)
    for (const state of ['waiting', 'running', 'done', 'failed'] as const)
      this.#segments.set({ state }, segments[state])
    this.#segmentsAge.set(segments.oldestSeconds)
    const pools = await countConnections(this.#sql)
    this.#connections.reset()
    for (const { pool, state, connections } of pools) this.#connections.set({ pool, state }, connections)
  }
}

const ACCOUNTS = 100
const COMPARE_MS = 60_000

/** Compares the balances of some accounts with their ledgers each minute. Starts again after the last account. */
export function watchLedger(registry: Registry, sql: Sql, log: Logger, signal: AbortSignal): void {
  const wrong = new Set<number>()
  new Gauge({
    name: 'mediamill_ledger_drift_accounts',
    help: 'Accounts whose balance differs from their ledger. Above 0 is a bug.',
    registers: [registry],
    collect() {
      this.set(wrong.size)
    },
  })
  let after = 0
  every(COMPARE_MS, signal, async () => {
    try {
      const compared = await compareBalances(sql, after, ACCOUNTS)
      for (const id of wrong) if (id > after && id <= (compared.last ?? Number.MAX_SAFE_INTEGER)) wrong.delete(id)
      for (const id of compared.wrong) {
        wrong.add(id)
        log.error({ account: id }, 'balance differs from ledger')
      }
      after = compared.last ?? 0
    } catch (error) {
      log.warn({ err: error }, 'comparing balances with the ledger failed; retrying')
    }
  })
}
