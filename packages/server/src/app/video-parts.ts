import { randomUUID } from 'node:crypto'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Sql } from '../db/connection/connect.ts'
import type { ClaimLoop } from '../queue/claim-loop.ts'
import { notify } from '../queue/notifications.ts'
import type { PartClaim } from '../requests/parts/queue.ts'
import { createSegmentWatch } from '../requests/parts/wait-for-segments.ts'
import type { WorkerContext } from '../worker/job-context.ts'
import type { Parts } from '../worker/parts/parts.ts'
import { runPart } from '../worker/parts/run-part.ts'
import type { PartEnded } from '../worker/parts/segment-loop.ts'
import { createSegmentLoop } from '../worker/parts/segment-loop.ts'
import type { HomeConfig } from './home.ts'

/** The segment loop of one worker. `known` describes the worker to the other workers. */
export type InParts = { parts: Parts; loop: ClaimLoop<PartClaim>; known: { id: string; videoSlots: number } }

type Surroundings = {
  notices: Sql | undefined
  hasRoom: () => boolean
  isDraining: () => boolean
  onEnd: (outcome: PartEnded) => void
}

/** Creates the segment loop if the settings allow split videos. Start the loop after the worker is registered. */
export function openParts(
  context: WorkerContext,
  { videoSplitThresholdMs: thresholdMs, workerConcurrency: slots }: HomeConfig,
  { notices, hasRoom, isDraining, onEnd }: Surroundings,
): InParts | undefined {
  if (thresholdMs === 0) return undefined
  const { sql, log, load } = context
  const id = randomUUID()
  const waitedFor = new Set<RequestId>()
  const watch = createSegmentWatch(sql, log)
  const loop = createSegmentLoop({
    sql,
    notices,
    watch,
    workerId: id,
    slots,
    // A draining worker reports no free slots: it claims only its own segments.
    busy: () => (isDraining() ? slots : load.video),
    hasRoom,
    waitedFor,
    work: (claim, signal) => runPart(context, claim, signal),
    onEnd,
    log,
  })
  const wake = () => {
    loop.wake()
    notify(sql, 'queue:segments')
  }
  return { parts: { workerId: id, thresholdMs, waitedFor, wake, watch }, loop, known: { id, videoSlots: slots } }
}
