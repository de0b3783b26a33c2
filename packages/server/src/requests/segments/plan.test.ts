import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { beforeEach, test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { RETENTION_MS } from '@mediamill/lab/support/request-rows'
import { claim, requeueAll, takeOver } from '../claim.ts'
import { abandonPlan, dropPlan, resumePlan, SEGMENT_FORMAT, writePlan } from './plan.ts'
import { claimNextSegment, finishSegmentWithRetry, listDoneSegments, readSegmentsState } from './queue.ts'
import {
  clearQueue,
  leasedVideo,
  made,
  plannedVideo,
  SOURCE,
  segmentsOf,
  silence,
  videoWorker,
} from './segments-fixture.ts'

const { sql } = await sharedDatabase()
beforeEach(() => clearQueue(sql))

const PLAN = { source: SOURCE, plan: { version: 1 } }
const retryOptions = { signal: new AbortController().signal, onAway: () => undefined }

test('only the worker that has the lease of a request can write its segment plan and segments', async () => {
  const [slow, quick] = [await videoWorker(sql), await videoWorker(sql)]
  const first = await leasedVideo(sql, slow)
  await silence(sql, slow)
  await takeOver(sql, RETENTION_MS)
  const second = await claim(sql, quick, 'video', [])
  assert.equal(second?.request.id, first.request.id)
  // Another worker has taken over the request, but the slow worker still runs, and both write a plan.
  const written = await Promise.all([
    writePlan(sql, first.lease, { ...PLAN, plan: { by: 'slow' } }, segmentsOf(2)),
    writePlan(sql, second?.lease ?? first.lease, { ...PLAN, plan: { by: 'quick' } }, segmentsOf(4)),
  ])
  assert.deepEqual(written, [false, true])
  assert.deepEqual((await resumePlan(sql, second?.lease ?? first.lease))?.plan, { by: 'quick' })
  assert.equal((await readSegmentsState(sql, first.request.id)).total, 4)
})

test('a second segment plan for a request is rejected, and the worker continues with the first plan', async () => {
  const worker = await videoWorker(sql)
  const { lease } = await plannedVideo(sql, worker, 3)
  assert.equal(await writePlan(sql, lease, PLAN, segmentsOf(5)), false)
  assert.equal((await readSegmentsState(sql, lease.id)).total, 3)
})

test('a worker that takes over a request reuses its finished segments', async () => {
  const [planner, helper] = [await videoWorker(sql), await videoWorker(sql)]
  const { lease, request } = await plannedVideo(sql, planner, 3)
  const segment = await claimNextSegment(sql, helper)
  assert.ok(segment)
  assert.equal(await finishSegmentWithRetry(sql, segment.lease, made(1), retryOptions), true)
  await silence(sql, planner)
  await takeOver(sql, RETENTION_MS)
  const again = await claim(sql, helper, 'video', [])
  assert.equal(again?.lease.attempt, 2)
  assert.equal(await resumePlan(sql, lease), undefined, 'the lost one carries nothing on')
  const plan = await resumePlan(sql, again?.lease ?? lease)
  assert.deepEqual([plan?.isKnown, plan?.isAbandoned, plan?.source], [true, false, SOURCE])
  assert.equal((await readSegmentsState(sql, request.id)).done, 1)
  assert.deepEqual(
    (await listDoneSegments(sql, request.id)).map(({ number, key, size }) => ({ number, key, size })),
    [{ number: segment.number, ...made(1).file }],
  )
})

test('no segment is claimed until the worker that has the request adopts its segment plan', async () => {
  const [planner, older, helper] = [await videoWorker(sql), await videoWorker(sql), await videoWorker(sql)]
  await plannedVideo(sql, planner, 3)
  await requeueAll(sql, planner)
  assert.equal(await claimNextSegment(sql, helper), undefined, 'it waits in the queue')
  // The requeued attempt did not count, so the next attempt has the same number.
  const claimed = await claim(sql, older, 'video', [])
  assert.equal(claimed?.lease.attempt, 1)
  assert.equal(
    await claimNextSegment(sql, helper),
    undefined,
    'a worker that does not support segments processes the video unsplit',
  )
  await resumePlan(sql, claimed?.lease as never)
  assert.ok(await claimNextSegment(sql, helper))
})

test('later attempts ignore the segments of an abandoned segment plan, and the segment files are deleted', async () => {
  const worker = await videoWorker(sql)
  const { lease } = await plannedVideo(sql, worker, 2)
  const segment = await claimNextSegment(sql, worker)
  assert.ok(segment && (await finishSegmentWithRetry(sql, segment.lease, made(7), retryOptions)))
  const deleted: string[] = []
  await abandonPlan(sql, lease, async (key) => void deleted.push(key))
  assert.deepEqual(deleted, [made(7).file.key])
  assert.equal(await claimNextSegment(sql, worker), undefined)
  assert.equal((await resumePlan(sql, lease))?.isAbandoned, true)
  assert.equal(await writePlan(sql, lease, PLAN, segmentsOf(2)), false)
})

test('a worker deletes a segment plan in the format of another version, with the files of its segments, and creates a new plan', async () => {
  const worker = await videoWorker(sql)
  const { lease } = await plannedVideo(sql, worker, 2)
  const segment = await claimNextSegment(sql, worker)
  assert.ok(segment && (await finishSegmentWithRetry(sql, segment.lease, made(8), retryOptions)))
  await sql`update part_plans set format = 'older'`
  assert.equal(await claimNextSegment(sql, worker), undefined, 'a worker of this version makes no segment of it')
  assert.equal((await resumePlan(sql, lease))?.isKnown, false)
  const deleted: string[] = []
  await dropPlan(sql, lease, async (key) => void deleted.push(key))
  assert.deepEqual(deleted, [made(8).file.key])
  assert.equal(await writePlan(sql, lease, PLAN, segmentsOf(2)), true)
})

test('the name of the segment format contains the version of node-av in package.json', async () => {
  const text = await readFile(new URL('../../../../../package.json', import.meta.url), 'utf8')
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> }
  assert.ok(SEGMENT_FORMAT.startsWith(`node-av ${dependencies['node-av']}, `), 'a new node-av makes other segments')
})
