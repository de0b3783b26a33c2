import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import type { Sql } from '../../db/connection/connect.ts'
import { notify } from '../../queue/notifications.ts'
import { abort } from '../../requests/abort.ts'
import type { SegmentClaim } from '../../requests/segments/queue.ts'
import {
  claimNextSegment,
  finishSegmentWithRetry,
  readSegmentsState,
  takeOverSegments,
} from '../../requests/segments/queue.ts'
import { clearQueue, made, plannedVideo, silence, videoWorker } from '../../requests/segments/segments-fixture.ts'
import { createSegmentWatch } from '../../requests/segments/wait-for-segments.ts'
import { createLog } from '../../telemetry/log.ts'
import type { SegmentAttemptOutcome, SegmentLoopOptions } from './segment-loop.ts'
import { createSegmentLoop } from './segment-loop.ts'

const database = await sharedDatabase()
const { sql } = database
beforeEach(() => clearQueue(sql))

const wake = () => notify(sql, 'queue:segments')
const log = createLog('silent', 'test')
const watch = createSegmentWatch(sql, log)

type Work = SegmentLoopOptions['work']

async function startLoop(work: Work, differing: Partial<SegmentLoopOptions> = {}) {
  const ended: SegmentAttemptOutcome[] = []
  const { workerId = await videoWorker(sql, differing.slots ?? 1) } = differing
  let busy = 0
  const counted: Work = async (claim, signal) => {
    busy += 1
    return await work(claim, signal).finally(() => {
      busy -= 1
    })
  }
  const options = {
    sql,
    notices: sql,
    workerId,
    slots: 1,
    hasDiskSpace: () => true,
    awaitedRequests: new Set<RequestId>(),
    watch,
    restMs: 1,
    log,
  }
  const onEnd = (outcome: SegmentAttemptOutcome) => void ended.push(outcome)
  const loop = await createSegmentLoop({ ...options, busy: () => busy, ...differing, work: counted, onEnd }).start()
  return { loop, ended, workerId }
}

const retryOptions = { signal: new AbortController().signal, onAway: () => undefined }
const end = async (claim: SegmentClaim) =>
  (await finishSegmentWithRetry(sql, claim.lease, made(claim.lease.partId), retryOptions)) ? 'completed' : 'lost'

const forever = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

test('several notified workers share the segments of a video, and process each segment once', async () => {
  const planner = await videoWorker(sql)
  const seen: number[] = []
  const work: Work = async (claim) => {
    seen.push(claim.number)
    return await end(claim)
  }
  const loops = [await startLoop(work), await startLoop(work), await startLoop(work)]
  const { request } = await plannedVideo(sql, planner, 9)
  wake()
  await until(async () => (await readSegmentsState(sql, request.id)).done === 9)
  assert.deepEqual(
    seen.toSorted((one, other) => one - other),
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
  )
  for (const { loop } of loops) await loop.stop(1_000)
})

for (const [how, notices] of [
  ['with notifications', sql],
  ['without notifications', undefined],
] as const) {
  test(`an abort stops all segments of its video, even on a worker ${how} [requests.abort.2]`, async () => {
    const planner = await videoWorker(sql)
    const { request } = await plannedVideo(sql, planner, 4)
    const other = await plannedVideo(sql, planner, 1)
    let running = 0
    const bothLost = Promise.withResolvers<void>()
    const { loop, ended } = await startLoop(
      // The subscription polls immediately, so a segment may be claimed before `startLoop` returns.
      async (claim, signal) => {
        running += 1
        if (claim.request.id !== other.request.id) return await forever(signal)
        await bothLost.promise
        return await end(claim)
      },
      { slots: 4, notices },
    )
    await loop.claimNow()
    await until(() => running === 3)
    await abort(sql, request.accountId, request.id)
    await until(() => ended.length === 2)
    bothLost.resolve()
    await until(() => ended.length === 3)
    assert.deepEqual(ended.toSorted(), ['completed', 'lost', 'lost'], 'the other video’s goes on')
    await loop.stop(1_000)
  })
}

test('a busy worker claims no segments, except segments of a video that it is waiting for, one at a time', async () => {
  const worker = await videoWorker(sql)
  const [own, others] = [await plannedVideo(sql, worker, 3), await plannedVideo(sql, await videoWorker(sql), 3)]
  const awaitedRequests = new Set<RequestId>()
  const seen: RequestId[] = []
  const first = Promise.withResolvers<void>()
  const { loop } = await startLoop(
    async (claim) => {
      seen.push(claim.request.id)
      if (seen.length === 1) await first.promise
      return await end(claim)
    },
    { workerId: worker, busy: () => 2, awaitedRequests },
  )
  await loop.claimNow()
  assert.deepEqual(seen, [])
  awaitedRequests.add(own.request.id)
  await loop.claimNow()
  await loop.claimNow()
  assert.deepEqual(seen, [own.request.id], 'one at a time')
  first.resolve()
  await until(async () => (await readSegmentsState(sql, own.request.id)).done === 3)
  assert.deepEqual(seen, [own.request.id, own.request.id, own.request.id])
  assert.equal((await readSegmentsState(sql, others.request.id)).waiting, 3)
  await loop.stop(1_000)
})

test('a worker with several slots runs segments in all slots except one, which stays free for requests', async () => {
  const planner = await videoWorker(sql)
  await plannedVideo(sql, planner, 6)
  let running = 0
  const { loop } = await startLoop(
    async (_, signal) => {
      running += 1
      return await forever(signal)
    },
    { slots: 3 },
  )
  await loop.claimNow()
  assert.equal(running, 2)
  await loop.stop(0)
})

test('a worker retries a failed segment, and the video fails after the third attempt', async () => {
  const { request } = await plannedVideo(sql, await videoWorker(sql), 2)
  const attempts: string[] = []
  const { loop, ended } = await startLoop(async (claim) => {
    attempts.push(`${claim.number}, attempt ${claim.lease.attempt}`)
    if (claim.number === 0 || claim.lease.attempt === 1) throw new Error('the disk is full')
    return await end(claim)
  })
  await loop.claimNow()
  await until(async () => {
    wake()
    return (await readSegmentsState(sql, request.id)).failed !== null && ended.includes('completed')
  })
  assert.deepEqual(attempts.toSorted(), [
    '0, attempt 1',
    '0, attempt 2',
    '0, attempt 3',
    '1, attempt 1',
    '1, attempt 2',
  ])
  assert.equal((await readSegmentsState(sql, request.id)).failed?.['code'], 'broken')
  await loop.stop(1_000)
})

test('if the response to a segment claim is lost, the worker recovers the claimed segment without a notification', async () => {
  const { request } = await plannedVideo(sql, await videoWorker(sql), 1)
  const { loop, ended } = await startLoop(end, { sql: losingAResponse() })
  await loop.claimNow()
  assert.equal((await readSegmentsState(sql, request.id)).waiting, 0, 'it is this worker’s, which does not know')
  await until(() => ended.length === 1)
  assert.deepEqual(ended, ['completed'])
  await loop.stop(1_000)
})

function losingAResponse(): Sql {
  let isLost = false
  return new Proxy(sql, {
    apply(target, thisArg, [strings, ...values]: [TemplateStringsArray, ...never[]]) {
      const query = Reflect.apply(target, thisArg, [strings, ...values]) as Promise<unknown>
      if (isLost || !strings.join('').includes('update video_parts p set worker_id')) return query
      isLost = true
      return query.then(() => Promise.reject(new Error('the answer was lost')))
    },
  })
}

test('a worker stops a segment that another worker has taken over, and ignores its outcome', async () => {
  const { request } = await plannedVideo(sql, await videoWorker(sql), 1)
  const begun = Promise.withResolvers<void>()
  const slow = await startLoop(async (_, signal) => {
    begun.resolve()
    return await forever(signal)
  })
  await slow.loop.claimNow()
  await begun.promise
  await silence(sql, slow.workerId)
  assert.equal(await takeOverSegments(sql, request.id), 1)
  const quick = await claimNextSegment(sql, await videoWorker(sql))
  assert.equal(quick?.lease.attempt, 2)
  await until(() => slow.ended.length === 1)
  assert.deepEqual(slow.ended, ['lost'])
  await slow.loop.stop(1_000)
})

test('a stopping worker finishes the segments that end in time, and requeues the others without counting their attempts', async () => {
  const { request } = await plannedVideo(sql, await videoWorker(sql, 4), 2)
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { loop, ended } = await startLoop(
    async (claim, signal) => {
      begun[claim.number]?.resolve()
      return claim.number === 0 ? ((await begun[1]?.promise.then(() => end(claim))) ?? 'lost') : await forever(signal)
    },
    { slots: 4 },
  )
  await loop.claimNow()
  await Promise.all(begun.map(({ promise }) => promise))
  await loop.stop(200)
  assert.deepEqual(ended.toSorted(), ['completed', 'lost'])
  assert.equal((await readSegmentsState(sql, request.id)).waiting, 1)
  assert.equal((await claimNextSegment(sql, await videoWorker(sql, 4)))?.lease.attempt, 1)
})
