import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Lane, Outcome } from '@mediamill/contract/domain/request'
import { LANES } from '@mediamill/contract/domain/request'
import { sniff } from '@mediamill/media/formats/sniff'
import { fittingJobs, shortagesOf } from '../commands/doctor/machine.ts'
import type { Sql } from '../db/connection/connect.ts'
import type { StampClaim } from '../db/uploads/stamps.ts'
import { every } from '../lib/time/every.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import { KeptConnections } from '../outbound/kept-connections.ts'
import type { ClaimLoop } from '../queue/claim-loop.ts'
import type { Claim } from '../requests/claim.ts'
import { linksOf } from '../store/link.ts'
import { openScratch } from '../supervisor/scratch.ts'
import type { Logger } from '../telemetry/log.ts'
import { UploadReceiver } from '../uploads/upload-receiver.ts'
import type { WorkerContext } from '../worker/job-context.ts'
import { renderPreview } from '../worker/render-preview.ts'
import type { RequestLoop } from '../worker/request-loop.ts'
import { startRequestLoop } from '../worker/request-loop.ts'
import { run } from '../worker/run.ts'
import type { DrawContext } from '../worker/stamps/draw.ts'
import { drawStamp } from '../worker/stamps/draw.ts'
import { createTextWatermarkLoop } from '../worker/stamps/text-watermark-loop.ts'
import { openEngines } from './engines.ts'
import type { ServiceConfig } from './installation.ts'
import { jobLimitsOf } from './job-limits.ts'
import { startMaintenance } from './maintenance.ts'
import type { WorkMetrics } from './metrics.ts'
import { openRegistry, openWorkMetrics, showEngines, showSlots } from './metrics.ts'
import type { Role } from './role.ts'
import { networkOf } from './shared-resources.ts'
import { openSegments } from './video-segments.ts'
import { openWorkerBase } from './worker-base.ts'

export async function startWorkers(given: ServiceConfig, log: Logger): Promise<Role> {
  if (given.workerConcurrency === 0) return await startMaintenance(given, log)
  await using stack = new AsyncDisposableStack()
  const config = { ...given, workerConcurrency: await concurrencyOf(given, log) }
  const limits = jobLimitsOf(config)
  const scratch = stack.use(await openScratch(join(config.dataDir, 'scratch')))
  const metrics = openRegistry()
  const measure = openWorkMetrics(metrics)
  const engines = stack.use(await openEngines(config, limits, scratch, log, measure.recycled))
  const base = await openWorkerBase(config, { stack, registry: metrics, connections: 6, log })
  const { signal, tracer, sql, notices, store, wakeDeliveries } = base
  const disk = await logDiskSpace(base.checks.disk, log, signal)
  const { retentionMs, secretKey, drainTimeoutMs: graceMs } = config
  const { destinationAttempted } = measure
  const load = { image: 0, video: 0, document: 0, video_look: 0 }
  showSlots(metrics, config.workerConcurrency, load)
  showEngines(metrics, engines)
  const network = networkOf(config)
  const connections = stack.use(new KeptConnections())
  const keeping = { store, links: linksOf(config), retentionMs, secretKey, destinationAttempted }
  const alone = { load, sql, tracer, scratch, engines, network, connections, limits, wakeDeliveries, log, ...keeping }
  const drained = Promise.withResolvers<void>()
  let isDraining = false
  const inSegments = openSegments(alone, config, {
    notices,
    hasDiskSpace: () => disk.hasSpace,
    isDraining: () => isDraining,
    onEnd: measure.segmentEnded,
  })
  const context = { ...alone, segments: inSegments?.segments }
  // Counts split videos with unfinished segments as load, because this worker stores their sources.
  const waitingFor = () => inSegments?.segments.awaitedRequests.size ?? 0
  const loadOf = (lane: Lane) => (lane === 'video' ? Math.max(load.video, waitingFor()) : load[lane])
  const lanes = lanesOf(config, (lane) => disk.hasSpace && loadOf(lane) < 2 * config.workerConcurrency)
  const work = measuredWork(context, measure)
  // The segment loop and the request loop of a worker have the same id, because they share one heartbeat.
  const known = { id: randomUUID(), ...inSegments?.known, isolation: engines.isolation }
  const receiver = stack.use(new UploadReceiver(sql, store, sniff))
  const textWatermarks = drawTextWatermarks({ ...context, receiver }, config, measure, () => disk.hasSpace, notices)
  const drainRequests = async () => {
    // The segment loop ends last, because it processes the segments of the worker's own requests.
    await requests.drain()
    await inSegments?.loop.drain()
  }
  const onDrain = () => {
    if (isDraining) return
    isDraining = true
    log.info('worker is draining; it claims nothing more')
    Promise.all([drainRequests(), textWatermarks.drain()]).then(() => drained.resolve(), drained.reject)
  }
  const requests: RequestLoop = await startRequestLoop({
    sql,
    notices,
    lanes,
    retentionMs,
    ...known,
    work,
    onDrain,
    log,
  })
  const stopSegments = async () => {
    isDraining = true
    await withTimeout(drainRequests(), graceMs, () => undefined)
    await inSegments?.loop.stop(0)
  }
  const stopOthers = () => Promise.all([stopSegments(), textWatermarks.stop(graceMs)])
  stack.defer(() => requests.stop(graceMs, stopOthers()))
  await inSegments?.loop.start()
  await textWatermarks.start()
  return await base.run(known.id, drained.promise)
}

/** Returns the number of concurrent jobs: WORKER_CONCURRENCY, or fewer if the machine lacks memory or open files. */
async function concurrencyOf({ workerConcurrency: required }: ServiceConfig, log: Logger): Promise<number> {
  for (const { message, remedy } of await shortagesOf(required)) log.warn(`${message}. ${remedy}`)
  const jobs = await fittingJobs(required)
  if (jobs < required)
    log.warn(`running ${jobs} concurrent jobs instead of ${required}: not enough memory or open files`)
  return jobs
}

/** Returns the lanes with their slots. Jobs wait for downloads, so a lane has more slots than engine processes. */
const lanesOf = ({ workerConcurrency }: ServiceConfig, hasDiskSpace: (lane: Lane) => boolean) =>
  LANES.map((lane) => ({ lane, slots: 4 * workerConcurrency + 8, hasDiskSpace: () => hasDiskSpace(lane) }))

/**
 * Creates the loop that draws text watermarks. API calls wait for text watermarks, so the loop has more slots than the
 * worker has engine processes.
 */
const drawTextWatermarks = (
  context: DrawContext,
  { workerConcurrency }: ServiceConfig,
  measure: WorkMetrics,
  hasDiskSpace: () => boolean,
  notices: Sql | undefined,
): ClaimLoop<StampClaim> =>
  createTextWatermarkLoop({
    sql: context.sql,
    notices,
    slots: workerConcurrency + 4,
    hasDiskSpace,
    draw: ({ stamp, ...claim }, signal) =>
      stamp.type === 'preview'
        ? renderPreview(context, claim, stamp.request, signal)
        : drawStamp(context, { ...claim, stamp }, signal),
    onEnd: measure.stampEnded,
    log: context.log,
  })

const measuredWork =
  (context: WorkerContext, measure: WorkMetrics) =>
  async (claim: Claim, signal: AbortSignal): Promise<void> => {
    const measured = measure.claimed(claim)
    let outcome: Outcome | undefined
    try {
      outcome = await run(context, claim, signal)
    } finally {
      measured.end(outcome)
    }
  }

const DISK_MS = 1_000

/**
 * Checks the disk space every second, and logs changes. While the disk is full, no job starts, because each start would
 * fail and use up one of the job's attempts.
 */
async function logDiskSpace(
  check: () => Promise<boolean>,
  log: Logger,
  signal: AbortSignal,
): Promise<{ hasSpace: boolean }> {
  const disk = { hasSpace: await check() }
  every(DISK_MS, signal, async () => {
    const hasSpace = await check()
    if (hasSpace !== disk.hasSpace)
      log.warn(
        hasSpace
          ? 'disk of DATA_DIR has free space again'
          : 'disk of DATA_DIR full; no new jobs until it has free space',
      )
    disk.hasSpace = hasSpace
  })
  return disk
}
