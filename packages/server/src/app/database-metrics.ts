import type { Registry } from 'prom-client'
import type { Sql } from '../db/connection/connect.ts'
import {
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
import { reuse } from '../lib/time/reuse.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import { metricsOf } from '../telemetry/metrics.ts'

/** Scrapes reuse a refresh for this time. A refresh times out after this time, so that refreshes never overlap. */
const REFRESH_MS = 3_000

export function showDatabase(registry: Registry, sql: Sql): void {
  const figures = openFigures(registry, reuse(REFRESH_MS, refresh))
  async function refresh(): Promise<void> {
    try {
      await withTimeout(readFigures(sql, figures), REFRESH_MS, () => {
        throw new Error('the database did not respond in time')
      })
      figures.up.set(1)
    } catch {
      // Clears the gauges. Otherwise, old values would seem current.
      for (const clear of figures.clears) clear()
      figures.up.set(0)
    }
  }
}

function openFigures(registry: Registry, collect: () => Promise<void>) {
  const clears: (() => void)[] = []
  const metrics = metricsOf(registry)
  const gauge = <Label extends string = never>(name: string, help: string, labels: readonly Label[] = []) => {
    const made = metrics.gauge(name, help, labels, collect)
    clears.push(() => (labels.length > 0 ? made.reset() : made.set(Number.NaN)))
    return made
  }
  return {
    clears,
    up: gauge('database_up', '1 if the last database check succeeded.'),
    queued: gauge('queue_depth', 'Queued requests, counted up to 10,000.', ['lane']),
    oldest: gauge('queue_age_seconds', 'Wait time of the oldest queued request.', ['lane']),
    accountsAge: gauge(
      'queue_age_by_account_seconds',
      'Wait of the oldest queued request of each account: quantiles over accounts.',
      ['lane', 'quantile'],
    ),
    processing: gauge('requests_processing', 'Requests that workers are processing.', ['lane']),
    waiting: gauge('deliveries_waiting', 'Events waiting for delivery, counted up to 10,000.'),
    overdue: gauge('deliveries_overdue_seconds', 'Delay of the most overdue delivery.'),
    stuck: gauge('deliveries_stuck', 'Deliveries that were claimed at least three times without a result.'),
    snapshot: gauge(
      'database_oldest_snapshot_seconds',
      'Age of the oldest open or prepared transaction. Requires pg_read_all_stats for other roles.',
    ),
    xmins: gauge(
      'database_oldest_xmin_transactions',
      'Transactions since the oldest snapshot that a replication slot or a standby keeps.',
      ['holder'],
    ),
    dead: gauge('database_dead_rows', 'Dead rows of busy tables, as PostgreSQL estimates them.', ['table']),
    autovacuum: gauge('database_autovacuum_rows', 'Dead rows at which autovacuum starts on a busy table.', ['table']),
    workers: gauge('workers_alive', 'Workers that run jobs, with a heartbeat in the last 8 s.'),
    keys: gauge('secret_keys', 'Keys of SECRET_KEY that are not retired. 2 during a rotation.'),
    rotation: gauge('secret_key_rotation_seconds', 'Age of an unfinished rotation of SECRET_KEY; otherwise 0.'),
    sealed: gauge(
      'sealed_values',
      'Webhook secrets and open destinations by key; unknown: encrypted by an earlier version.',
      ['key'],
    ),
    results: gauge('result_stored_bytes', 'Bytes of stored results, all accounts, summed every 10 minutes.'),
    uploads: gauge('upload_stored_bytes', 'Bytes of stored and announced uploads, all accounts.'),
    segments: gauge('video_segments', 'Open video segments: waiting, running, done, failed.', ['state']),
    segmentsAge: gauge('video_segments_age_seconds', 'Age of the oldest split video.'),
    connections: gauge('database_connections', 'Database connections of all processes, by pool and state.', [
      'pool',
      'state',
    ]),
  }
}

/** Runs the queries one after another, so that a metrics scrape uses only one database connection. */
async function readFigures(sql: Sql, figures: ReturnType<typeof openFigures>): Promise<void> {
  for (const { lane, ...row } of await countLanes(sql)) {
    figures.queued.set({ lane }, row.queued)
    figures.oldest.set({ lane }, row.oldestSeconds)
    figures.accountsAge.set({ lane, quantile: '0.5' }, row.accountsP50Seconds)
    figures.accountsAge.set({ lane, quantile: '0.95' }, row.accountsP95Seconds)
    figures.processing.set({ lane }, row.processing)
  }
  const events = await countEvents(sql)
  figures.waiting.set(events.waiting)
  figures.overdue.set(events.overdueSeconds)
  figures.stuck.set(await countStuckEvents(sql))
  figures.snapshot.set(await oldestSnapshot(sql))
  for (const { holder, transactions } of await oldestXmins(sql)) figures.xmins.set({ holder }, transactions)
  for (const { table, rows, autovacuumRows } of await countDeadRows(sql)) {
    figures.dead.set({ table }, rows)
    figures.autovacuum.set({ table }, autovacuumRows)
  }
  figures.workers.set(await countWorkers(sql))
  const { keys, rotationSeconds } = await readSecretKeyFigures(sql)
  figures.keys.set(keys)
  figures.rotation.set(rotationSeconds)
  const sealed = await countSealedByName(sql)
  figures.sealed.reset()
  for (const { key, values } of sealed) figures.sealed.set({ key }, values)
  figures.results.set(await readStoredResults(sql))
  figures.uploads.set(await sumUploads(sql))
  const segments = await countSegments(sql)
  for (const state of ['waiting', 'running', 'done', 'failed'] as const)
    figures.segments.set({ state }, segments[state])
  figures.segmentsAge.set(segments.oldestSeconds)
  const pools = await countConnections(sql)
  figures.connections.reset()
  for (const { pool, state, connections } of pools) figures.connections.set({ pool, state }, connections)
}
