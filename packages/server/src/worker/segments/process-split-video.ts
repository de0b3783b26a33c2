import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { EndpointName } from '@mediamill/contract/endpoints/index'
import type { WorkOf } from '@mediamill/contract/endpoints/work'
import type { EngineDone, EngineJob } from '@mediamill/engines/protocol/messages'
import type { CutExtras, SegmentsPlan } from '@mediamill/media/plan/video-segments'
import { isMade, parsePlan, planOf, SEGMENT_TASKS, segmentsOf } from '@mediamill/media/plan/video-segments'
import type { Claim } from '../../requests/claim.ts'
import { updateProgress } from '../../requests/claim.ts'
import { abandonPlan, dropPlan, resumePlan, writePlan } from '../../requests/segments/plan.ts'
import { listDoneSegments, requestErrorOf } from '../../requests/segments/queue.ts'
import { removeSegments } from '../../requests/segments/remove.ts'
import { waitForSegments } from '../../requests/segments/wait-for-segments.ts'
import type { EngineHost, RunOptions } from '../../supervisor/engine-host.ts'
import { EngineLost } from '../../supervisor/engine-process.ts'
import { pastDeadline } from '../../supervisor/engine-watch.ts'
import { traced } from '../../telemetry/trace.ts'
import type { FetchedSource } from '../fetch-source.ts'
import type { Attempt, JobContext } from '../job-context.ts'
import { countedIn, engineOf } from '../job-context.ts'
import { engineLimitsOf } from '../job-limits.ts'
import { readSegments } from './read-segments.ts'
import type { SourceState } from './segment-source.ts'
import { fetchRest, stateOf } from './segment-source.ts'
import type { Segments } from './segments.ts'

type Split =
  | { mode: 'unsplit'; plan?: undefined }
  | { mode: 'plan'; segments: Segments; plan?: undefined }
  | { mode: 'resume'; segments: Segments; plan: SegmentsPlan }

const UNSPLIT: Split = { mode: 'unsplit' }

/** Chooses whether to split. Even a single worker splits videos, because finished segments survive a restart. */
export async function chooseSplit({ segments, sql, store }: JobContext, { request, lease }: Claim): Promise<Split> {
  if (segments === undefined || request.endpoint !== 'videos/process') return UNSPLIT
  const kept = await resumePlan(sql, lease)
  if (kept?.isAbandoned === true) return UNSPLIT
  if (kept?.isKnown === true) return { mode: 'resume', segments, plan: parsePlan(kept.plan) }
  if (kept !== undefined) await dropPlan(sql, lease, store.delete)
  return { mode: 'plan', segments }
}

const MAX_SEGMENT_SECONDS = 15

const MIN_SEGMENTS = 6

/** If the splitting threshold is shorter than this duration, as in a trial, segments have no minimum duration. */
const COSTLY_MS = 60_000

/** Bytes of the source per millisecond of the splitting threshold. A smaller source is probably a short video. */
const MIN_BYTES_PER_MS = 16

/** Adds the rules for cuts even if the video is not split, so that split and unsplit results are equal. */
export function withCuts<Job extends WorkOf<EndpointName>>(job: Job, segments: Segments | undefined): Job {
  if (job.task !== 'videos/process' || segments === undefined) return job
  const { thresholdMs } = segments
  const seconds = thresholdMs / 1000
  const cuts: CutExtras = {
    longer_than: seconds,
    part_seconds: Math.min(MAX_SEGMENT_SECONDS, seconds / MIN_SEGMENTS),
    ...(thresholdMs < COSTLY_MS && { part_pixels: 1 }),
  }
  return { ...job, parameters: { ...job.parameters, ...cuts } }
}

type Splitting = FetchedSource & { job: EngineJob; options: RunOptions; segments: Segments }

/**
 * Splits a video and processes its segments. Also fetches the whole source, because its URL may expire. Returns
 * `undefined` if the video must be processed unsplit.
 */
export async function splitVideo(
  context: JobContext,
  claim: Claim,
  attempt: Attempt,
  { file, stored, job, options, segments }: Splitting,
): Promise<EngineDone | undefined> {
  const state = file.size < MIN_BYTES_PER_MS * segments.thresholdMs ? undefined : stateOf(file, stored)
  const engine = context.engines.video_look
  const { onProgress: _none, ...planning } = options
  const plan = state && engine && (await planSegments(context, claim, { engine, job, options: planning, state }))
  if (plan === undefined) return undefined
  const copying = new AbortController()
  const signal = AbortSignal.any([attempt.signal, copying.signal])
  const copied = stored === undefined ? fetchRest(file, signal) : Promise.resolve()
  copied.catch(() => undefined)
  const { size, fetch, read } = file
  if (stored === undefined && read !== undefined)
    segments.sharedSources.set(claim.request.id, { file: { size, fetch, read }, signal })
  try {
    const done = await processSplitVideo(context, claim, segments, plan, { ...attempt, options })
    if (done === undefined) await copied
    return done
  } finally {
    segments.sharedSources.delete(claim.request.id)
    copying.abort(new Error('all segments have ended'))
    await copied.catch(() => undefined)
  }
}

export type Planning = { engine: EngineHost; job: EngineJob; options: RunOptions; state: SourceState }

export async function planSegments(
  { sql, span, log }: JobContext,
  { lease }: Claim,
  { engine, job, options, state }: Planning,
): Promise<SegmentsPlan | undefined> {
  const planning = { ...job, task: SEGMENT_TASKS.plan }
  const done = await traced(span, 'plan', () => engine.run(planning, options)).catch((error: unknown) => {
    log.warn({ err: lostEngineOf(error) }, 'engine lost while planning segments; processing the video unsplit')
    return undefined
  })
  if (done === undefined) return undefined
  const { data, units } = done
  const plan = planOf(data)
  if (plan === undefined) return undefined
  // Check the credit before the work starts, as engines do for an unsplit video.
  await options.onCall?.({ type: 'estimate', units })
  const segments = segmentsOf(plan).map((segment) => ({
    weight: Math.max(1, Math.round(segment.seconds * 1000)),
    part: segment,
  }))
  return (await writePlan(sql, lease, { source: state, plan }, segments)) ? plan : undefined
}

export type Joining = { meter: { bytes: number }; signal: AbortSignal; options: RunOptions }

const SEGMENTS_PERCENT = 97

class CannotSplit extends Error {
  override name = 'CannotSplit'
}

export async function processSplitVideo(
  context: JobContext,
  claim: Claim,
  segments: Segments,
  plan: SegmentsPlan,
  joining: Joining,
): Promise<EngineDone | undefined> {
  const { sql, store, log, afterEnd, span } = context
  const { request, lease } = claim
  afterEnd.defer(async () => {
    // This deletes the rows of the segments, so other workers stop processing them within 1 s.
    await removeSegments(sql, request.id, store.delete).catch((error: unknown) =>
      log.info({ err: error }, 'segments not deleted; a worker deletes them later'),
    )
  })
  try {
    joining.meter.bytes += await traced(span, 'segments', () =>
      waitUntilDeadline(context, claim, segments, joining.signal),
    )
    return await traced(span, 'join', () => joinSegments(context, claim, plan, joining))
  } catch (error) {
    if (!(error instanceof CannotSplit)) throw error
    log.warn({ err: error }, 'splitting failed; processing the video unsplit')
    await abandonPlan(sql, lease, store.delete)
    return undefined
  }
}

async function waitUntilDeadline(
  context: JobContext,
  { request, lease }: Claim,
  segments: Segments,
  stopped: AbortSignal,
): Promise<number> {
  const { sql, log, limits } = context
  const deadline = new AbortController()
  const { video: deadlineMs } = limits.deadlineMs
  let timer: NodeJS.Timeout | undefined
  const signal = AbortSignal.any([stopped, deadline.signal])
  let shown = 0
  segments.awaitedRequests.add(request.id)
  segments.wake()
  try {
    const ended = await waitForSegments(sql, segments.watch, request.id, {
      signal,
      onShare(share) {
        // The deadline starts with the first progress. Before that, segments may wait in the queue.
        if (share > 0) timer ??= setTimeout(() => deadline.abort(pastDeadline(deadlineMs)), deadlineMs)
        const percent = Math.floor(share * SEGMENTS_PERCENT)
        if (percent <= shown) return
        shown = percent
        void updateProgress(sql, lease, percent).catch(() => undefined)
      },
      onWaiting: segments.wake,
      log,
    })
    if (!('error' in ended)) return ended.sourceBytes
    const error = requestErrorOf(ended.error)
    if (error !== undefined) throw new RequestFailure(error.code, error.message, error)
    throw new CannotSplit('a segment could not be processed', { cause: ended.error })
  } finally {
    clearTimeout(timer)
    segments.awaitedRequests.delete(request.id)
  }
}

async function joinSegments(
  context: JobContext,
  { request }: Claim,
  plan: SegmentsPlan,
  { signal, options }: Joining,
): Promise<EngineDone> {
  const { sql, store, log, afterEnd, scratch, engines, limits, load } = context
  // The result file stays in this folder until it is stored.
  const folder = afterEnd.use(scratch.jobFolder())
  const made = await listDoneSegments(sql, request.id)
  const assets = await readSegments(store, made, { folder: folder.path, signal, log })
  if (assets === undefined) throw new CannotSplit('the file of a segment is gone')
  using _engaged = countedIn(load, 'video')
  const job = {
    task: SEGMENT_TASKS.join,
    assets,
    parameters: { plan, parts: made.map(({ data }) => data) },
    scratch: folder.path,
    limits: engineLimitsOf(limits, 'video'),
  }
  const series = { id: request.id, hasMore: false }
  const done = await engineOf(engines, 'video')
    .run(job, { ...options, series })
    .catch((error: unknown) => {
      throw new CannotSplit('an engine was lost while it joined segments', { cause: lostEngineOf(error) })
    })
  if (isMade(done.data)) return done
  throw new CannotSplit('the segments do not fit together', { cause: done.data['reason'] })
}

/** Returns the cause of a failure if it is a lost engine. Throws every other error again. */
function lostEngineOf(error: unknown): EngineLost {
  if (error instanceof RequestFailure && error.cause instanceof EngineLost) return error.cause
  throw error
}
