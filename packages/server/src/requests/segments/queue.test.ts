import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { microUsd } from '@mediamill/contract/domain/money'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { abort } from '../abort.ts'
import type { SegmentClaim } from './queue.ts'
import {
  claimNextSegment,
  findLostSegments,
  finishSegmentWithRetry,
  isSegmentWaiting,
  listDoneSegments,
  readSegmentsState,
  requeueAllSegments,
  requeueOrEndSegment,
  requeueUnknownSegments,
  takeOverSegments,
  updateSegmentProgress,
} from './queue.ts'
import { clearQueue, made, plannedVideo, silence, videoWorker } from './segments-fixture.ts'

const { sql } = await sharedDatabase()
beforeEach(() => clearQueue(sql))

const retryOptions = { signal: new AbortController().signal, onAway: () => undefined }
const end = (segment: SegmentClaim, name: number | string = 1) =>
  finishSegmentWithRetry(sql, segment.lease, made(name), retryOptions)

async function taken(workerId: string): Promise<SegmentClaim> {
  const segment = await claimNextSegment(sql, workerId)
  assert.ok(segment)
  return segment
}

test('concurrent workers claim each segment of a video exactly once', async () => {
  const planner = await videoWorker(sql)
  const { request } = await plannedVideo(sql, planner, 12)
  const workers = await Promise.all(Array.from({ length: 20 }, () => videoWorker(sql)))
  assert.equal(await isSegmentWaiting(sql), true)
  const claims = (await Promise.all(workers.map((id) => claimNextSegment(sql, id)))).filter((one) => one !== undefined)
  for (;;) {
    const next = await claimNextSegment(sql, planner)
    if (next === undefined) break
    claims.push(next)
  }
  assert.equal(await isSegmentWaiting(sql), false)
  assert.deepEqual(
    claims.map(({ number }) => number).toSorted((a, b) => a - b),
    Array.from({ length: 12 }, (_, index) => index),
  )
  assert.equal(new Set(claims.map(({ lease }) => lease.partId)).size, 12)
  assert.equal(claims[0]?.request.id, request.id)
})

test("an account's segments are claimed in the order of the video, and the segments of its oldest video are claimed first", async () => {
  const planner = await videoWorker(sql, 3)
  const account = await openAccount(sql, microUsd(10_000_000))
  const older = await plannedVideo(sql, planner, 3, account.id)
  const newer = await plannedVideo(sql, planner, 2, account.id)
  // An update moves a row to the end of its table.
  await sql`update part_plans set format = format where request_id = ${older.request.id}`
  await sql`update video_parts set weight = weight where request_id = ${older.request.id} and number = 0`
  const claimed = []
  for (let count = 0; count < 5; count += 1) {
    const segment = await sql.begin(async (tx) => {
      // Without indexes, PostgreSQL reads rows as they are stored.
      await tx.unsafe('set local enable_indexscan = off; set local enable_bitmapscan = off')
      return await claimNextSegment(tx, planner)
    })
    assert.ok(segment)
    claimed.push([segment.request.id, segment.number])
    assert.equal(await end(segment, count), true)
  }
  assert.deepEqual(
    claimed,
    [0, 1, 2].map((number) => [older.request.id, number]).concat([0, 1].map((number) => [newer.request.id, number])),
  )
})

test('another worker takes over a segment of a lost worker, and a late result of the lost worker is rejected', async () => {
  const [planner, slow, quick] = [await videoWorker(sql), await videoWorker(sql), await videoWorker(sql)]
  const { request } = await plannedVideo(sql, planner, 1)
  const first = await taken(slow)
  assert.equal(await takeOverSegments(sql, request.id), 0, 'it lives')
  await silence(sql, slow)
  assert.equal(await takeOverSegments(sql, request.id), 1)
  const second = await taken(quick)
  assert.deepEqual([second.number, second.lease.attempt], [first.number, 2])
  assert.deepEqual(await findLostSegments(sql, slow, [first.lease.partId]), [first.lease.partId])
  await updateSegmentProgress(sql, first.lease, 50)
  assert.equal((await readSegmentsState(sql, request.id)).share, 0, 'it says nothing of the progress any more')
  assert.equal(await end(first, 'late'), false)
  assert.equal(await end(second, 'due'), true)
  assert.equal(await end(second, 'due'), true, 'a try whose answer was lost')
  assert.equal(await end(second, 'again'), false, 'a segment ends once')
})

test('a segment ends without a file after three workers were lost during its processing', async () => {
  const planner = await videoWorker(sql)
  const { request } = await plannedVideo(sql, planner, 2)
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const worker = await videoWorker(sql)
    assert.deepEqual([(await taken(worker)).number, (await readSegmentsState(sql, request.id)).failed], [0, null])
    await silence(sql, worker)
    await takeOverSegments(sql, request.id)
  }
  assert.equal((await readSegmentsState(sql, request.id)).failed?.['code'], 'broken')
})

test('a failed segment waits before its next attempt, and ends without a file after the third attempt', async () => {
  const worker = await videoWorker(sql)
  const { request } = await plannedVideo(sql, worker, 1)
  await requeueOrEndSegment(sql, (await taken(worker)).lease, 3_600_000)
  assert.equal(await claimNextSegment(sql, worker), undefined)
  assert.equal(await isSegmentWaiting(sql), false)
  await sql`update video_parts set due_at = now()`
  assert.equal(await isSegmentWaiting(sql), true)
  await requeueOrEndSegment(sql, (await taken(worker)).lease, 0)
  await requeueOrEndSegment(sql, (await taken(worker)).lease, 0)
  const { failed, sourceBytes } = await readSegmentsState(sql, request.id)
  assert.deepEqual([failed?.['code'], sourceBytes], ['broken', 0], 'nobody pays for what it read')
})

test('an error while storing the outcome of a segment is logged, and retried only if the database is unavailable', async () => {
  const worker = await videoWorker(sql)
  const { request } = await plannedVideo(sql, worker, 1)
  const segment = await taken(worker)
  const failures = [new Error('a fault of ours'), Object.assign(new Error('away'), { code: 'ECONNREFUSED' })]
  const failing = new Proxy(sql, {
    apply(target, self, args) {
      const isEnd = String((args[0] as string[]).join('')).includes('update video_parts')
      const failure = isEnd ? failures.shift() : undefined
      return failure === undefined ? Reflect.apply(target, self, args) : Promise.reject(failure)
    },
  })
  const reported: string[] = []
  const reporting = { ...retryOptions, onAway: (error: unknown) => void reported.push((error as Error).message) }
  const endNow = () => finishSegmentWithRetry(failing, segment.lease, made(1), reporting)
  await assert.rejects(endNow(), { message: 'a fault of ours' })
  assert.equal(await endNow(), true)
  assert.deepEqual(reported, ['away'])
  assert.equal((await readSegmentsState(sql, request.id)).done, 1)
})

test('a stopping worker requeues its segments without counting the attempts', async () => {
  const worker = await videoWorker(sql, 2)
  await plannedVideo(sql, worker, 2)
  const known = await taken(worker)
  await taken(worker)
  assert.equal(await requeueUnknownSegments(sql, worker, [known.lease.partId]), 1)
  assert.equal((await taken(worker)).lease.attempt, 2)
  assert.equal(await requeueAllSegments(sql, worker), 2)
  assert.equal((await taken(worker)).lease.attempt, 1)
})

test('after a worker requeues a segment, only the worker with the next claim can finish the segment, even though both claims have the same attempt number', async () => {
  const [stopping, next] = [await videoWorker(sql), await videoWorker(sql)]
  const { request } = await plannedVideo(sql, stopping, 1)
  const first = await taken(stopping)
  assert.equal(await requeueAllSegments(sql, stopping), 1)
  const second = await taken(next)
  assert.deepEqual([second.lease.partId, second.lease.attempt], [first.lease.partId, first.lease.attempt])
  assert.equal(await end(first, 'late'), false)
  assert.equal((await readSegmentsState(sql, request.id)).done, 0)
  assert.equal(await end(second, 'own'), true)
  assert.deepEqual(
    (await listDoneSegments(sql, request.id)).map(({ key }) => key),
    [made('own').file.key],
  )
})

test('after an abort of a request, no worker runs, claims, or takes over one of its segments [requests.abort.2]', async () => {
  const worker = await videoWorker(sql)
  const { request } = await plannedVideo(sql, worker, 3)
  const segment = await taken(worker)
  await abort(sql, request.accountId, request.id)
  assert.deepEqual(await findLostSegments(sql, worker, [segment.lease.partId]), [segment.lease.partId])
  assert.equal(await claimNextSegment(sql, worker), undefined)
  assert.equal(await end(segment), false)
})

test('the progress of a split video is the progress of its segments, weighted by their length', async () => {
  const worker = await videoWorker(sql, 2)
  const { request } = await plannedVideo(sql, worker, 4)
  const [one, two] = [await taken(worker), await taken(worker)]
  await updateSegmentProgress(sql, one.lease, 40)
  await updateSegmentProgress(sql, one.lease, 30)
  assert.equal((await readSegmentsState(sql, request.id)).share, 0.1)
  assert.equal(await end(two), true)
  const { share, done, total, waiting, sourceBytes } = await readSegmentsState(sql, request.id)
  assert.deepEqual([share, done, total, waiting, sourceBytes], [0.35, 1, 4, 2, 7])
})

test('two accounts with long videos take turns, even if one video arrived first', async () => {
  const planner = await videoWorker(sql, 8)
  const [ada, bob] = [await plannedVideo(sql, planner, 6), await plannedVideo(sql, planner, 6)]
  const names = new Map<number, string>([
    [ada.request.id, 'ada'],
    [bob.request.id, 'bob'],
  ])
  const order: (string | undefined)[] = []
  for (let count = 0; count < 6; count += 1) order.push(names.get((await taken(planner)).request.id))
  assert.deepEqual(order, ['ada', 'bob', 'ada', 'bob', 'ada', 'bob'])
})

test('segments of one account never fill all slots if the fleet has four or more slots', async () => {
  const planner = await videoWorker(sql, 4)
  const account = await openAccount(sql, microUsd(10_000_000))
  await plannedVideo(sql, planner, 4, account.id)
  const own = await plannedVideo(sql, planner, 4, account.id)
  for (let count = 0; count < 3; count += 1) await taken(planner)
  assert.equal(await claimNextSegment(sql, planner), undefined)
  assert.ok(await claimNextSegment(sql, planner, [own.request.id]), 'a video does not stand still')
  assert.equal(await claimNextSegment(sql, planner, [own.request.id]), undefined, 'one at a time')
  await plannedVideo(sql, planner, 1)
  assert.ok(await claimNextSegment(sql, planner), 'another account’s')
})

test('segments of one account can use both slots if the fleet has only two, because segments are short', async () => {
  const planner = await videoWorker(sql, 2)
  await plannedVideo(sql, planner, 3)
  await taken(planner)
  await taken(planner)
  assert.equal(await claimNextSegment(sql, planner), undefined)
})
