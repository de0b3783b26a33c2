import { randomUUID } from 'node:crypto'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Sql } from '../db/connection/connect.ts'
import { createPartsWaker } from '../requests/notices.ts'
import type { WorkerContext } from '../worker/job-context.ts'
import type { PartEnded } from '../worker/parts/loop.ts'
import { PartLoop } from '../worker/parts/loop.ts'
import type { Parts } from '../worker/parts/parts.ts'
import { runPart } from '../worker/parts/run-part.ts'
import type { HomeConfig } from './home.ts'

/** What makes long videos in parts in one worker: `known` is how others know it. */
export type InParts = { parts: Parts; loop: PartLoop; known: { id: string; videoPlaces: number } }

type Surroundings = { notices: Sql | undefined; hasRoom: () => boolean; onEnd: (outcome: PartEnded) => void }

/** Builds it, where the settings want it. `start` of its loop is to follow once the worker is known. */
export function openParts(
  context: WorkerContext,
  { videoSplitThresholdMs: thresholdMs, workerConcurrency: places }: HomeConfig,
  { notices, hasRoom, onEnd }: Surroundings,
): InParts | undefined {
  if (thresholdMs === 0) return undefined
  const { sql, log, load } = context
  const id = randomUUID()
  const waitedFor = new Set<RequestId>()
  const loop = new PartLoop({
    sql,
    notices,
    workerId: id,
    places,
    busy: () => load.video,
    hasRoom,
    waitedFor,
    work: (claim, signal) => runPart(context, claim, signal),
    onEnd,
    log,
  })
  const wakeAll = createPartsWaker(sql)
  const wake = () => {
    void loop.look()
    wakeAll()
  }
  return { parts: { workerId: id, thresholdMs, waitedFor, wake }, loop, known: { id, videoPlaces: places } }
}
