import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { EndpointName } from '@mediamill/contract/endpoints/index'
import type { WorkOf } from '@mediamill/contract/endpoints/work'
import type { EngineDone, EngineJob } from '@mediamill/engines/protocol/messages'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { sharedFolder } from '@mediamill/lab/support/shared'
import type { Claim } from '../../requests/claim.ts'
import { abandonPlan, resumePlan, writePlan } from '../../requests/segments/plan.ts'
import { claimNextSegment, finishSegmentWithRetry } from '../../requests/segments/queue.ts'
import {
  clearQueue,
  leasedVideo,
  made,
  SOURCE,
  segmentsOf,
  videoWorker,
} from '../../requests/segments/segments-fixture.ts'
import { createSegmentWatch } from '../../requests/segments/wait-for-segments.ts'
import type { RunOptions } from '../../supervisor/engine-host.ts'
import { EngineLost } from '../../supervisor/engine-process.ts'
import { createLog } from '../../telemetry/log.ts'
import type { JobContext } from '../job-context.ts'
import { PLAN } from './plan-fixture.ts'
import type { Joining, Planning } from './process-split-video.ts'
import { chooseSplit, planSegments, processSplitVideo, splitVideo, withCuts } from './process-split-video.ts'
import type { Segments } from './segments.ts'

const database = await sharedDatabase()
const { sql } = database
const folder = await sharedFolder('mediamill-split-video-')
const watch = createSegmentWatch(sql, createLog('silent', 'test'))
const retryOptions = { signal: new AbortController().signal, onAway: () => undefined }
beforeEach(() => clearQueue(sql))

async function splitOf(claim: Claim, workerId: string, { knowsParts: knowsSegments = true } = {}) {
  const deleted: string[] = []
  const segments = {
    workerId,
    thresholdMs: 60_000,
    awaitedRequests: new Set<never>(),
    sharedSources: new Map(),
    watch,
    wake: () => undefined,
  }
  const store = { delete: async (key: string) => void deleted.push(key) }
  const context = { sql, store, segments: knowsSegments ? segments : undefined } as unknown as JobContext
  return { split: await chooseSplit(context, claim), deleted }
}

test('a worker that supports segments splits a long video even if no other worker exists', async () => {
  const self = await videoWorker(sql)
  const claim = await leasedVideo(sql, self)
  assert.equal((await splitOf(claim, self)).split.mode, 'plan')
  assert.equal((await splitOf(claim, self, { knowsParts: false })).split.mode, 'unsplit')
  const image = { ...claim, request: { ...claim.request, endpoint: 'images/process' } } as Claim
  assert.equal((await splitOf(image, self)).split.mode, 'unsplit')
})

test('a source that is too small to be a long video gets no segment plan', async () => {
  const self = await videoWorker(sql)
  const claim = await leasedVideo(sql, self)
  const planned: number[] = []
  const run = async ({ input }: EngineJob) => {
    planned.push(input?.size ?? 0)
    return { data: { plan: null } }
  }
  // Planning uses only these properties of the context.
  const context = { sql, log: createLog('silent', 'test'), engines: { video_look: { run } } } as unknown as JobContext
  const attempt = { folder, meter: { bytes: 0 }, signal: retryOptions.signal }
  const segments = {
    workerId: self,
    thresholdMs: 120_000,
    awaitedRequests: new Set<never>(),
    sharedSources: new Map(),
    watch,
    wake: () => undefined,
  }
  for (const size of [1_919_999, 1_920_000]) {
    const splitting = { file: { size }, stored: [], job: { input: { size } }, options: {}, segments }
    assert.equal(await splitVideo(context, claim, attempt, splitting as never), undefined)
  }
  assert.deepEqual(planned, [1_920_000])
})

test('a later attempt of a request resumes the segment plan of the earlier attempt', async () => {
  const self = await videoWorker(sql)
  const claim = await leasedVideo(sql, self)
  assert.ok(await writePlan(sql, claim.lease, { source: SOURCE, plan: PLAN }, segmentsOf(2)))
  const { split, deleted } = await splitOf(claim, self)
  assert.deepEqual([split.mode, 'plan' in split && split.plan, deleted], ['resume', PLAN, []])
})

test('a worker deletes a segment plan in the format of another version, with the files of its segments, and creates a new plan for the video', async () => {
  const self = await videoWorker(sql)
  const claim = await leasedVideo(sql, self)
  assert.ok(await writePlan(sql, claim.lease, { source: SOURCE, plan: PLAN }, segmentsOf(2)))
  const segment = await claimNextSegment(sql, self, [claim.request.id])
  assert.ok(segment && (await finishSegmentWithRetry(sql, segment.lease, made(9), retryOptions)))
  await sql`update part_plans set format = 'another'`
  const { split, deleted } = await splitOf(claim, self)
  assert.deepEqual([split.mode, deleted], ['plan', [made(9).file.key]])
  assert.equal(await resumePlan(sql, claim.lease), undefined)
})

test('a video whose segment plan was abandoned is processed unsplit', async () => {
  const self = await videoWorker(sql)
  const claim = await leasedVideo(sql, self)
  assert.ok(await writePlan(sql, claim.lease, { source: SOURCE, plan: PLAN }, segmentsOf(2)))
  await abandonPlan(sql, claim.lease, async () => undefined)
  assert.equal((await splitOf(claim, self)).split.mode, 'unsplit')
})

const LOST = new RequestFailure('processing_failed', 'Not now.', { cause: new EngineLost('killed') })

async function joinedAs(data: EngineDone['data'] | RequestFailure) {
  const [self, helper] = [await videoWorker(sql), await videoWorker(sql)]
  const claim = await leasedVideo(sql, self)
  assert.ok(await writePlan(sql, claim.lease, { source: SOURCE, plan: PLAN }, segmentsOf(2)))
  for (const name of [1, 2]) {
    const segment = await claimNextSegment(sql, helper)
    assert.ok(segment && (await finishSegmentWithRetry(sql, segment.lease, made(name), retryOptions)))
  }
  const [deleted, jobs, series] = [new Array<string>(), new Array<EngineJob>(), new Array<RunOptions['series']>()]
  const path = await mkdtemp(join(folder, 'job-'))
  const run = async (job: EngineJob, options: RunOptions) => {
    jobs.push(job)
    series.push(options.series)
    if (data instanceof RequestFailure) throw data
    return { data }
  }
  await using afterEnd = new AsyncDisposableStack()
  const context = {
    sql,
    afterEnd,
    log: createLog('silent', 'test'),
    load: { video: 0 },
    limits: { deadlineMs: { video: 60_000 }, resultBytes: { video: 1 } },
    scratch: { jobFolder: () => ({ path, [Symbol.asyncDispose]: async () => undefined }) },
    store: {
      delete: async (key: string) => void deleted.push(key),
      open: async (key: string) => ({ body: Readable.from([Buffer.from(key.slice(-14, -4))]), size: 10 }),
    },
    engines: { video: { run } },
  } as unknown as JobContext
  const segments = {
    workerId: self,
    thresholdMs: 60_000,
    awaitedRequests: new Set<never>(),
    sharedSources: new Map(),
    watch,
    wake: () => undefined,
  }
  const joining = { meter: { bytes: 5 }, signal: retryOptions.signal, options: {} } as Joining
  const done = await processSplitVideo(context, claim, segments, PLAN, joining)
  return {
    done,
    bytes: joining.meter.bytes,
    deleted: [...deleted],
    jobs,
    series,
    left: await resumePlan(sql, claim.lease),
    id: claim.request.id,
  }
}

test('finished segments are joined into the result without further processing', async () => {
  const { done, bytes, deleted, jobs, series, left, id } = await joinedAs({ is_made: true, duration: 2 })
  assert.deepEqual(done, { data: { is_made: true, duration: 2 } })
  assert.deepEqual([left?.isAbandoned, deleted], [false, []])
  assert.equal(bytes, 5 + 2 * made(1).sourceBytes, 'the bytes that segments read of the source count')
  assert.deepEqual(
    jobs.map(({ task, assets }) => [task, assets?.map(({ size }) => size)]),
    [['videos/join-parts', [10, 10]]],
  )
  assert.deepEqual(series, [{ id, hasMore: false }], 'an engine that has made segments of it joins them, and leaves')
})

test('the deadline of a split video starts when its first segment makes progress, because segments may wait for earlier videos', async () => {
  const [self, helper] = [await videoWorker(sql), await videoWorker(sql)]
  const claim = await leasedVideo(sql, self)
  assert.ok(await writePlan(sql, claim.lease, { source: SOURCE, plan: PLAN }, segmentsOf(2)))
  const limits = { deadlineMs: { video: 1 } }
  await using afterEnd = new AsyncDisposableStack()
  const store = { delete: async () => undefined }
  // Waiting for segments uses only these properties of the context.
  const context = { sql, afterEnd, store, log: createLog('silent', 'test'), limits } as unknown as JobContext
  const segments: Segments = {
    workerId: self,
    thresholdMs: 60_000,
    awaitedRequests: new Set(),
    sharedSources: new Map(),
    watch,
    wake: () => undefined,
  }
  const joining = { meter: { bytes: 0 }, signal: retryOptions.signal, options: {} } as Joining
  let hasEnded = false
  const processing = processSplitVideo(context, claim, segments, PLAN, joining).finally(() => {
    hasEnded = true
  })
  processing.catch(() => undefined)
  await setTimeout(50)
  assert.equal(hasEnded, false)
  const segment = await claimNextSegment(sql, helper)
  assert.ok(segment && (await finishSegmentWithRetry(sql, segment.lease, made(1), retryOptions)))
  await assert.rejects(processing, /took longer/)
})

test('if segments cannot be joined, they are deleted and the video is processed unsplit', async () => {
  const { done, deleted, left } = await joinedAs({ is_made: false, reason: 'test' })
  assert.equal(done, undefined)
  assert.deepEqual([left?.isAbandoned, deleted.length], [true, 2])
})

test('if joining segments crashes the engine, the video is processed unsplit', async () => {
  const { done, deleted, left } = await joinedAs(LOST)
  assert.equal(done, undefined)
  assert.deepEqual([left?.isAbandoned, deleted.length], [true, 2])
  await assert.rejects(joinedAs(new RequestFailure('processing_failed', 'Too large.')), /Too large/)
})

test('if planning the segments of a video crashes the engine, the video is processed unsplit and has no segment plan', async () => {
  const self = await videoWorker(sql)
  const claim = await leasedVideo(sql, self)
  // Until the engine responds, planning uses only these properties of the context.
  const context = { sql, log: createLog('silent', 'test') } as unknown as JobContext
  // This engine never reads its job, so the job can be empty.
  const planBy = (run: () => Promise<never>) =>
    planSegments(context, claim, { engine: { run }, job: {}, options: {} } as unknown as Planning)
  assert.equal(await planBy(() => Promise.reject(LOST)), undefined)
  assert.equal(await resumePlan(sql, claim.lease), undefined)
  const rejected = new RequestFailure('unsupported_media', 'No video.')
  await assert.rejects(
    planBy(() => Promise.reject(rejected)),
    rejected,
  )
})

test('each video job contains the segment length even if the video is not split, so that split and unsplit results have the same keyframes; image jobs contain no segment length', () => {
  const parameters = { operations: [{ type: 'flip' as const, vertical: true }] }
  const video = { task: 'videos/process', parameters } as unknown as WorkOf<EndpointName>
  const image = { task: 'images/process', parameters } as unknown as WorkOf<EndpointName>
  const cutsOf = (thresholdMs: number) => {
    const segments: Segments = {
      workerId: '',
      thresholdMs,
      awaitedRequests: new Set(),
      sharedSources: new Map(),
      watch,
      wake: () => undefined,
    }
    assert.deepEqual(withCuts(image, segments), image)
    return withCuts(video, segments).parameters
  }
  assert.deepEqual(withCuts(video, undefined), video)
  assert.deepEqual(cutsOf(120_000), { ...parameters, longer_than: 120, part_seconds: 15 })
  assert.deepEqual(cutsOf(60_000), { ...parameters, longer_than: 60, part_seconds: 10 })
  assert.deepEqual(cutsOf(6_000), { ...parameters, longer_than: 6, part_seconds: 1, part_pixels: 1 })
})
