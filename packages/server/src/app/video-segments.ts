import { randomUUID } from 'node:crypto'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Sql } from '../db/connection/connect.ts'
import type { ClaimLoop } from '../queue/claim-loop.ts'
import { notify } from '../queue/notifications.ts'
import type { SegmentClaim } from '../requests/segments/queue.ts'
import { createSegmentWatch } from '../requests/segments/wait-for-segments.ts'
import type { WorkerContext } from '../worker/job-context.ts'
import { runSegment } from '../worker/segments/run-segment.ts'
import type { SegmentAttemptOutcome } from '../worker/segments/segment-loop.ts'
import { createSegmentLoop } from '../worker/segments/segment-loop.ts'
import type { Segments } from '../worker/segments/segments.ts'
import type { ServiceConfig } from './installation.ts'

/** A worker's loop that processes segments of split videos. `known`: the data of the worker that other workers read. */
type WorkerSegments = {
  segments: Segments
  loop: ClaimLoop<SegmentClaim>
  known: { id: string; videoSlots: number }
}

type Surroundings = {
  notices: Sql | undefined
  hasDiskSpace: () => boolean
  isDraining: () => boolean
  onEnd: (outcome: SegmentAttemptOutcome) => void
}

/** Creates the segment loop. Start it after the worker is registered. Returns `undefined` if split videos are off. */
export function openSegments(
  context: WorkerContext,
  { videoSplitThresholdMs: thresholdMs, workerConcurrency: slots }: ServiceConfig,
  { notices, hasDiskSpace, isDraining, onEnd }: Surroundings,
): WorkerSegments | undefined {
  if (thresholdMs === 0) return undefined
  const { sql, log, load } = context
  const id = randomUUID()
  const awaitedRequests = new Set<RequestId>()
  const sharedSources: Segments['sharedSources'] = new Map()
  const watch = createSegmentWatch(sql, log)
  const loop = createSegmentLoop({
    sql,
    notices,
    watch,
    workerId: id,
    slots,
    // For a draining worker, all slots count as busy, so the worker claims only segments of its own videos.
    busy: () => (isDraining() ? slots : load.video),
    hasDiskSpace,
    awaitedRequests,
    work: (claim, signal) => runSegment(context, claim, signal, sharedSources.get(claim.request.id)),
    onEnd,
    log,
  })
  const wake = () => {
    loop.wake()
    notify(sql, 'queue:segments')
  }
  return {
    segments: { workerId: id, thresholdMs, awaitedRequests, sharedSources, wake, watch },
    loop,
    known: { id, videoSlots: slots },
  }
}
