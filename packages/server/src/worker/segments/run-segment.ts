import { RequestFailure } from '@mediamill/contract/domain/errors'
import { workOf } from '@mediamill/contract/endpoints/work'
import { isMade, parsePlan, SEGMENT_TASKS } from '@mediamill/media/plan/video-segments'
import type { SegmentClaim, SegmentEnd, SegmentError } from '../../requests/segments/queue.ts'
import { finishSegmentWithRetry, updateSegmentProgress } from '../../requests/segments/queue.ts'
import { EngineLost } from '../../supervisor/engine-process.ts'
import { sourcePath } from '../fetch-source.ts'
import type { Attempt, WorkerContext } from '../job-context.ts'
import { countedIn, engineOf } from '../job-context.ts'
import { prepareJob } from '../run-engine.ts'
import { storeResults } from '../store-results.ts'
import { openSegmentSource } from './segment-source.ts'
import type { SharedSource } from './segments.ts'
import { openSharedSource } from './shared-source.ts'

export type SegmentOutcome = 'completed' | 'rejected' | 'lost'

/**
 * Processes a segment and records its outcome. An error of the file or the plan is an outcome too. Throws other errors,
 * so that the segment is retried.
 */
export async function runSegment(
  worker: WorkerContext,
  claim: SegmentClaim,
  signal: AbortSignal,
  shared?: SharedSource,
): Promise<SegmentOutcome> {
  const { request, lease, number } = claim
  const log = worker.log.child({ request_id: request.id, segment: number })
  const meter = { bytes: 0 }
  using _engaged = countedIn(worker.load, 'video')
  const end = await makeSegment({ ...worker, log }, claim, { meter, signal, shared })
  const onAway = (error: unknown) =>
    log.debug({ err: error }, 'database unavailable; outcome of a segment not recorded yet')
  // If the signal aborted while the file was stored, no outcome was recorded, so the file can be deleted.
  const isOurs = !signal.aborted && (await finishSegmentWithRetry(worker.sql, lease, end, { signal, onAway }))
  if ('error' in end) return isOurs ? 'rejected' : 'lost'
  if (!isOurs) await worker.store.delete(end.file.key)
  return isOurs ? 'completed' : 'lost'
}

async function makeSegment(
  worker: WorkerContext,
  claim: SegmentClaim,
  { meter, signal, shared }: Omit<SegmentAttempt, 'folder'>,
): Promise<SegmentEnd> {
  const { log, store, scratch } = worker
  const { request, number } = claim
  try {
    await using folder = scratch.jobFolder()
    const done = await runSegmentEngine(worker, claim, { folder: folder.path, meter, signal, shared })
    const { data } = done
    const error: SegmentError = { code: 'unmade', message: 'The segment could not be processed by its plan.' }
    if (!isMade(data)) {
      log.warn({ reason: data['reason'] }, 'segment cannot be encoded as planned')
      return { error, sourceBytes: meter.bytes }
    }
    const [file] = await storeResults(store, done.files, { requestId: request.id, signal, log })
    if (file === undefined) throw new Error(`segment ${number} has no file`)
    return { file: { key: file.key, size: file.size }, data, sourceBytes: meter.bytes }
  } catch (error) {
    // If the engine is lost, the segment is retried. If all retries fail, the video is processed unsplit.
    if (!(error instanceof RequestFailure) || error.cause instanceof EngineLost) throw error
    const { code, message, operation, cause } = error
    log.info({ code, err: cause ?? error }, 'segment failed')
    const found: SegmentError = { code, message, ...(operation !== undefined && { operation }) }
    return { error: found, sourceBytes: meter.bytes }
  }
}

type SegmentAttempt = Attempt & { shared: SharedSource | undefined }

async function runSegmentEngine(worker: WorkerContext, claim: SegmentClaim, attempt: SegmentAttempt) {
  const { folder, meter, signal, shared } = attempt
  const { request, lease, number, maxSourceBytes } = claim
  const { endpoint } = workOf(request)
  const opening = { url: request.source, accountId: request.accountId, folder, maxSourceBytes, meter, signal }
  await using source =
    shared === undefined
      ? await openSegmentSource(worker, claim.source, opening)
      : await openSharedSource(shared, sourcePath(attempt), signal)
  const job = await prepareJob(worker, request, attempt, source)
  const parameters = { ...job.parameters, plan: parsePlan(claim.plan), part: number }
  return await engineOf(worker.engines, endpoint.lane).run(
    { ...job, task: SEGMENT_TASKS.part, parameters },
    {
      signal,
      requestId: request.id,
      series: { id: request.id, hasMore: true },
      deadlineMs: worker.limits.deadlineMs[endpoint.media],
      async onCall(call) {
        if (call.type === 'read') await source.fetch(call.offset, call.length)
      },
      onProgress: (percent) => void updateSegmentProgress(worker.sql, lease, percent).catch(() => undefined),
    },
  )
}
