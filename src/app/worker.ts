import { join } from 'node:path'
import { connect } from '../db/connection/connect.ts'
import type { Outcome } from '../domain/request.ts'
import { LANES } from '../domain/request.ts'
import { buildSideDoor } from '../http/side-door.ts'
import { expire } from '../requests/expire.ts'
import { prune } from '../requests/prune.ts'
import { isTurnToSweepOrphans, sweepOrphans } from '../requests/sweep-orphans.ts'
import { sweepUploads } from '../requests/uploads/remove.ts'
import type { Logger } from '../runtime/telemetry/log.ts'
import { every } from '../runtime/time/every.ts'
import { openScratch } from '../supervisor/scratch.ts'
import type { JobLimits } from '../worker/job-limits.ts'
import { startWorker } from '../worker/loop.ts'
import { run } from '../worker/run.ts'
import { openNotices } from './database.ts'
import { showDatabase, watchLedger } from './database-metrics.ts'
import { openDeliveries } from './deliveries.ts'
import { openEngines } from './engines.ts'
import type { HomeConfig } from './home.ts'
import { listenAt } from './listen.ts'
import { measureWork, openRegistry, showDeliveries } from './metrics.ts'
import { checksOf, linksOf, networkOf, openStore } from './parts.ts'
import type { Role } from './role.ts'
import { openTracing } from './tracing.ts'

/** How long a stopping worker lets running jobs finish (rulings 1). */
const GRACE_MS = 30_000

/** After that, how long deliveries in flight may wait for their receivers. */
const DELIVERY_GRACE_MS = 2_000

/** How often results and records whose time is over are looked for. */
const SWEEP_MS = 10_000

/** How often each worker asks whether files that no request has are to be looked for, and how old such a file is. */
const ORPHANS_MS = 600_000
const ORPHAN_AGE_MS = 24 * 3_600_000

/** The workers of one process over one database; any number of processes may run them. */
export async function startWorkers(config: HomeConfig, log: Logger): Promise<Role> {
  const limits = limitsOf(config)
  const scratch = await openScratch(join(config.dataDir, 'scratch'))
  const metrics = openRegistry()
  const measure = measureWork(metrics)
  const engines = await openEngines(config, limits, scratch, log, measure.recycled)
  const sql = connect(config.databaseUrl, { connections: 6, applicationName: 'mediamill worker' })
  const { retentionMs } = config
  const store = await openStore(config)
  const load = { image: 0, video: 0, document: 0, video_look: 0 }
  const tracer = await openTracing(config, 'worker', log)
  const shop = {
    load,
    sql,
    tracer,
    scratch,
    store,
    engines,
    network: networkOf(config),
    links: linksOf(config),
    limits,
    retentionMs,
    log,
  }
  const notices = await openNotices(config, sql, log)
  const checks = checksOf(config, sql, store)
  const closing = new AbortController()
  const disk = await watchDisk(checks.disk, log, closing.signal)
  const deliveries = await openDeliveries(config, notices, tracer, log)
  const worker = await startWorker({
    sql,
    notices,
    // More places than engines: what downloads keeps no engine from working. Once as many wait as work, the rest is
    // left for other workers.
    lanes: LANES.map((lane) => {
      const hasRoom = () => disk.hasSpace && load[lane] < 2 * config.workerConcurrency
      return { lane, places: 4 * config.workerConcurrency + 8, hasRoom }
    }),
    retentionMs,
    async work(claim, signal) {
      const measured = measure.claimed(claim)
      let outcome: Outcome | undefined
      try {
        outcome = await run(shop, claim, signal)
      } finally {
        measured.end(outcome)
        deliveries.wake()
      }
    },
    log,
  })
  const tidy = (intervalMs: number, what: string, work: () => Promise<unknown>) =>
    every(intervalMs, closing.signal, async () => {
      try {
        await work()
      } catch (error) {
        log.error({ err: error }, `${what} failed; trying again`)
      }
    })
  tidy(SWEEP_MS, 'deleting old results', () => expire(sql, store.delete))
  tidy(SWEEP_MS, 'deleting old uploads', () => sweepUploads(sql, store))
  tidy(SWEEP_MS, 'deleting old records', () => prune(sql))
  tidy(ORPHANS_MS, 'deleting files that no request has', async () => {
    if (!(await isTurnToSweepOrphans(sql))) return
    const before = new Date(Date.now() - ORPHAN_AGE_MS)
    const files = (await sweepOrphans(sql, store, before)) + (await store.sweep(before))
    if (files > 0) log.warn({ files }, 'deleted files that no request has')
  })
  showDeliveries(metrics, deliveries.counts)
  showDatabase(metrics, sql)
  watchLedger(metrics, sql, log, closing.signal)
  const sideDoor = await openSideDoor(config, { checks, metrics }, log)
  return {
    async stop() {
      closing.abort()
      await worker.stop(GRACE_MS)
      await deliveries.stop(DELIVERY_GRACE_MS)
      await engines[Symbol.asyncDispose]()
      await scratch[Symbol.asyncDispose]()
      await sideDoor?.close()
      await Promise.all([sql.end({ timeout: 5 }), notices?.end({ timeout: 5 })])
      await tracer?.close()
    },
  }
}

const DISK_MS = 1_000

/** Keeps an eye on the disk: while it is full no request is begun that would only break, and use up its attempts. */
async function watchDisk(
  check: () => Promise<boolean>,
  log: Logger,
  signal: AbortSignal,
): Promise<{ hasSpace: boolean }> {
  const disk = { hasSpace: await check() }
  every(DISK_MS, signal, async () => {
    const hasSpace = await check()
    if (hasSpace !== disk.hasSpace)
      log.warn(hasSpace ? 'the disk has room again' : 'the disk of DATA_DIR is full; waiting for room')
    disk.hasSpace = hasSpace
  })
  return disk
}

/** Health and metrics of a worker, for those who run it: only where they ask for a port. */
async function openSideDoor(config: HomeConfig, door: Parameters<typeof buildSideDoor>[0], log: Logger) {
  if (config.metricsPort === undefined) return undefined
  const server = buildSideDoor(door, log)
  await listenAt(server, 'METRICS_PORT', { host: config.host, port: config.metricsPort })
  return server
}

function limitsOf(config: HomeConfig): JobLimits {
  return {
    framePixels: config.maxFramePixels,
    sourcePixels: config.maxSourcePixels,
    watermarkBytes: config.maxWatermarkBytes,
    resultBytes: {
      image: config.maxImageResultBytes,
      video: config.maxVideoResultBytes,
      document: config.maxDocumentResultBytes,
    },
    deadlineMs: {
      image: config.imageDeadlineMs,
      video: config.videoDeadlineMs,
      document: config.documentDeadlineMs,
    },
  }
}
