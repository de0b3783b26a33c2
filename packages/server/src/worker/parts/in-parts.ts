import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { EndpointName } from '@mediamill/contract/endpoints/index'
import type { WorkOf } from '@mediamill/contract/endpoints/work'
import type { EngineDone, EngineJob } from '@mediamill/engines/protocol/messages'
import type { CutExtras, PartsPlan } from '@mediamill/media/plan/video-parts'
import { isMade, PART_TASKS, parsePlan, partsOf, planOf } from '@mediamill/media/plan/video-parts'
import type { Logger } from 'pino'
import type { Claim } from '../../requests/claim.ts'
import { updateProgress } from '../../requests/claim.ts'
import { listDoneParts, requestErrorOf } from '../../requests/parts/line.ts'
import { carryOn, countFreePlaces, dropPlan, giveUp, writePlan } from '../../requests/parts/plan.ts'
import { removeParts } from '../../requests/parts/remove.ts'
import { watchParts } from '../../requests/parts/watch.ts'
import type { EngineHost, RunOptions } from '../../supervisor/engine-host.ts'
import { EngineLost } from '../../supervisor/engine-process.ts'
import { pastDeadline } from '../../supervisor/engine-watch.ts'
import { traced } from '../../telemetry/trace.ts'
import type { JobContext } from '../job-context.ts'
import { countedIn } from '../job-context.ts'
import { engineLimitsOf } from '../job-limits.ts'
import type { SourceState } from './part-source.ts'
import type { Parts } from './parts.ts'
import { readParts } from './read-parts.ts'

/** How a request is made: `carry on` where an earlier attempt has planned parts. */
export type Way =
  | { way: 'one piece' }
  | { way: 'plan'; parts: Parts }
  | { way: 'carry on'; parts: Parts; plan: PartsPlan }

const ONE_PIECE: Way = { way: 'one piece' }

/** Chooses between one piece and parts. New parts are planned only where other workers have places for videos free. */
export async function chooseWay({ parts, sql, store }: JobContext, { request, held }: Claim): Promise<Way> {
  if (parts === undefined || request.endpoint !== 'videos/process') return ONE_PIECE
  const kept = await carryOn(sql, held)
  if (kept?.givenUp === true) return ONE_PIECE
  if (kept?.isKnown === true) return { way: 'carry on', parts, plan: parsePlan(kept.plan) }
  if (kept !== undefined) await dropPlan(sql, held, store.delete)
  return (await countFreePlaces(sql, parts.workerId)) > 0 ? { way: 'plan', parts } : ONE_PIECE
}

/** Parts are no longer than this: what a lost worker costs, and how long others wait for a place. */
const LONGEST_PART_SECONDS = 15

/** The shortest video that goes in parts has so many. */
const LEAST_PARTS = 6

/** Whoever sets a lower threshold wants short parts whatever they cost, as those do who try parts out. */
const COSTLY_MS = 60_000

/** Says how a long video is cut, in one piece as in parts. */
export function withCuts(work: WorkOf<EndpointName>, parts: Parts | undefined): WorkOf<EndpointName> {
  if (work.task !== 'videos/process' || parts === undefined) return work
  const { thresholdMs } = parts
  const seconds = thresholdMs / 1000
  const cuts: CutExtras = {
    longer_than: seconds,
    part_seconds: Math.min(LONGEST_PART_SECONDS, seconds / LEAST_PARTS),
    ...(thresholdMs < COSTLY_MS && { part_pixels: 1 }),
  }
  return { ...work, parameters: { ...work.parameters, ...cuts } }
}

/** What planning needs of a request. It is the job in one piece, and the state of its source. */
export type Planning = { engine: EngineHost; job: EngineJob; options: RunOptions; state: SourceState }

/** Plans the parts of a video and writes them. `undefined`: it goes in one piece. */
export async function planParts(
  { sql, span, log }: JobContext,
  { held }: Claim,
  { engine, job, options, state }: Planning,
): Promise<PartsPlan | undefined> {
  const planning = { ...job, task: PART_TASKS.plan }
  const done = await traced(span, 'plan', () => engine.run(planning, options).catch(unlessLost(log)))
  if (done === undefined) return undefined
  const { data, units } = done
  const plan = planOf(data)
  if (plan === undefined) return undefined
  // As the engine does before it makes one piece: what the credit does not allow is refused before the work.
  await options.onAsk?.({ type: 'estimate', units })
  const parts = partsOf(plan).map((part) => ({ weight: Math.max(1, Math.round(part.seconds * 1000)), part }))
  return (await writePlan(sql, held, { source: state, plan }, parts)) ? plan : undefined
}

/** The attempt that waits for parts and joins them. */
export type Joining = { meter: { bytes: number }; signal: AbortSignal; options: RunOptions }

/** Of the progress, so much is the parts'; the rest is joining. */
const PARTS_PERCENT = 97

/** Waits for the parts of a video and joins them. `undefined`: they cannot be made, and it goes in one piece after all. */
export async function makeInParts(
  context: JobContext,
  claim: Claim,
  parts: Parts,
  plan: PartsPlan,
  joining: Joining,
): Promise<EngineDone | undefined> {
  const { sql, store, log, afterEnd, span } = context
  const { request, held } = claim
  afterEnd.defer(async () => {
    // Parts in work end when their workers miss the rows, within a second.
    await removeParts(sql, request.id, store.delete).catch((error: unknown) =>
      log.info({ err: error }, 'parts of a video are left to be deleted later'),
    )
  })
  const ended = await traced(span, 'parts', () => waitForParts(context, claim, parts, joining.signal))
  if ('error' in ended) {
    const error = requestErrorOf(ended.error)
    if (error !== undefined) throw new RequestFailure(error.code, error.message, error)
    log.warn({ part: ended.error }, 'a video that went in parts goes in one piece after all')
  } else {
    joining.meter.bytes += ended.sourceBytes
    const done = await traced(span, 'join', () => joinParts(context, claim, plan, joining))
    if (done !== undefined) return done
  }
  await giveUp(sql, held, store.delete)
  return undefined
}

async function waitForParts(context: JobContext, { request, held }: Claim, parts: Parts, stopped: AbortSignal) {
  const { sql, log, limits } = context
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(pastDeadline(limits.deadlineMs.video)), limits.deadlineMs.video)
  const signal = AbortSignal.any([stopped, deadline.signal])
  let shown = 0
  parts.waitedFor.add(request.id)
  parts.wake()
  try {
    return await watchParts(sql, request.id, {
      signal,
      onShare(share) {
        const percent = Math.floor(share * PARTS_PERCENT)
        if (percent <= shown) return
        shown = percent
        void updateProgress(sql, held, percent).catch(() => undefined)
      },
      onWaiting: parts.wake,
      onAway: (error) => log.warn({ err: error }, 'the database is away; the parts of a video wait'),
    })
  } finally {
    clearTimeout(timer)
    parts.waitedFor.delete(request.id)
  }
}

/** Puts the parts of a video together. `undefined`: they do not fit, or one of them is not there any more. */
async function joinParts(
  context: JobContext,
  { request }: Claim,
  plan: PartsPlan,
  { signal, options }: Joining,
): Promise<EngineDone | undefined> {
  const { sql, store, log, afterEnd, scratch, engines, limits, load } = context
  const { video } = engines
  if (video === undefined) throw new Error('this worker has no engine for videos')
  // The result lies in it until it is stored.
  const folder = afterEnd.use(scratch.jobFolder())
  const made = await listDoneParts(sql, request.id)
  const assets = await readParts(store, made, { folder: folder.path, signal, log })
  if (assets === undefined) {
    log.warn('a part of a video is not there any more; it goes in one piece')
    return undefined
  }
  using _engaged = countedIn(load, 'video')
  const job = {
    task: PART_TASKS.join,
    assets,
    parameters: { plan, parts: made.map(({ data }) => data) },
    scratch: folder.path,
    limits: engineLimitsOf(limits, 'video'),
  }
  const done = await video.run(job, { ...options, series: { id: request.id, goesOn: false } }).catch(unlessLost(log))
  if (done === undefined || isMade(done.data)) return done
  log.warn({ reason: done.data['reason'] }, 'the parts of a video did not fit together; it goes in one piece')
  return undefined
}

/** What an engine that was lost says of a video is left to one piece, as everything that is only about its parts. */
const unlessLost =
  (log: Logger) =>
  (error: unknown): undefined => {
    if (!(error instanceof RequestFailure && error.cause instanceof EngineLost)) throw error
    log.warn({ err: error.cause }, 'an engine was lost over a video in parts; it goes in one piece')
  }
