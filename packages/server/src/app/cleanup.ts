import type { Sql } from '../db/connection/connect.ts'
import { measureCosts, raiseFloors, raiseLateTags } from '../db/fair-order.ts'
import { measureStoredResults } from '../db/metrics.ts'
import { takeRound } from '../db/sweep.ts'
import { every } from '../lib/time/every.ts'
import { logErrors } from '../queue/log-errors.ts'
import { expire } from '../requests/cleanup/expire.ts'
import { prune } from '../requests/cleanup/prune.ts'
import { isTurnToSweepOrphans, sweepOrphans } from '../requests/cleanup/sweep-orphans.ts'
import { sweepSegments } from '../requests/segments/remove.ts'
import type { Store } from '../store/store.ts'
import type { Logger } from '../telemetry/log.ts'
import { deleteDueUploads, sweepChunks, sweepStamps } from '../uploads/remove.ts'

const SWEEP_MS = 10_000

/** How often to delete expired uploads and form files. Until then, the files count toward the quotas of accounts. */
const UPLOADS_MS = 2_000

/** How often to advance the position from which claims read each lane, so that claims skip ended jobs. */
const FLOORS_MS = 3_000
const LATE_TAGS_MS = 10_000
const COSTS_MS = 60_000

const STORED_MS = 30_000

const ORPHANS_MS = 600_000
const ORPHAN_AGE_MS = 24 * 3_600_000

export function startCleanup({
  sql,
  store,
  log,
  signal,
}: {
  sql: Sql
  store: Store
  log: Logger
  signal: AbortSignal
}): void {
  const repeat = (intervalMs: number, what: string, work: () => Promise<unknown>) =>
    every(intervalMs, signal, logErrors(log, what, work))
  repeat(FLOORS_MS, 'updating the start positions of the lanes', () => raiseFloors(sql))
  repeat(LATE_TAGS_MS, 'moving jobs that were committed late', async () => {
    if (!(await takeRound(sql, 'stragglers', LATE_TAGS_MS))) return
    const moved = await raiseLateTags(sql)
    if (moved > 0)
      log.warn(
        { jobs: moved },
        'jobs were committed too late for their position in the queue; moved to the front of their lanes',
      )
  })
  repeat(COSTS_MS, 'measuring endpoints', async () => {
    if (await takeRound(sql, 'costs', COSTS_MS)) await measureCosts(sql)
  })
  repeat(STORED_MS, 'summing the bytes of stored results', () => measureStoredResults(sql))
  repeat(SWEEP_MS, 'deleting old results', () => expire(sql, store.delete))
  repeat(UPLOADS_MS, 'deleting old uploads', () => deleteDueUploads(sql, store))
  repeat(SWEEP_MS, 'deleting lost parts of uploads', () => sweepChunks(sql, store))
  repeat(SWEEP_MS, 'deleting abandoned text watermarks', () => sweepStamps(sql, store))
  repeat(SWEEP_MS, 'deleting segments of split videos', () => sweepSegments(sql, store.delete))
  repeat(SWEEP_MS, 'deleting old records', () => prune(sql))
  repeat(ORPHANS_MS, 'deleting orphaned files', async () => {
    if (!(await isTurnToSweepOrphans(sql))) return
    const before = new Date(Date.now() - ORPHAN_AGE_MS)
    const files = (await sweepOrphans(sql, store, before)) + (await store.sweep(before))
    if (files > 0) log.warn({ files }, 'orphaned files deleted')
  })
}
