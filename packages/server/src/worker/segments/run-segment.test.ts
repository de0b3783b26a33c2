import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { writePlan } from '../../requests/segments/plan.ts'
import { claimNextSegment, readSegmentsState } from '../../requests/segments/queue.ts'
import { leasedVideo, segmentsOf, videoWorker } from '../../requests/segments/segments-fixture.ts'
import type { RunOptions } from '../../supervisor/engine-host.ts'
import { EngineLost } from '../../supervisor/engine-process.ts'
import { createLog } from '../../telemetry/log.ts'
import type { WorkerContext } from '../job-context.ts'
import { PLAN } from './plan-fixture.ts'
import { runSegment } from './run-segment.ts'

const { sql } = await sharedDatabase()
const folder = await sharedFolder('mediamill-part-')

const LIMITS = { deadlineMs: { video: 60_000 }, resultBytes: { video: 1 } }

async function runOn(segments: { store: object; video?: object }, signal = new AbortController().signal) {
  const workerId = await videoWorker(sql)
  const { request, lease } = await leasedVideo(sql, workerId)
  const input = { operations: [{ type: 'flip', horizontal: true }] }
  await sql`update requests set input = ${JSON.stringify(input)}::text::json where id = ${request.id}`
  const source = { kind: 'stored', files: [{ key: 'a', size: PLAN.size }] }
  assert.ok(await writePlan(sql, lease, { source, plan: PLAN }, segmentsOf(1)))
  const claim = await claimNextSegment(sql, workerId, [request.id])
  assert.ok(claim)
  const path = await mkdtemp(join(folder, 'job-'))
  const worker = {
    sql,
    log: createLog('silent', 'test'),
    load: { video: 0 },
    engines: { video: segments.video ?? {} },
    store: segments.store,
    limits: LIMITS,
    scratch: { jobFolder: () => ({ path, [Symbol.asyncDispose]: async () => undefined }) },
  } as unknown as WorkerContext
  const outcome = runSegment(worker, claim, signal)
  return { outcome, id: request.id, look: () => readSegmentsState(sql, request.id) }
}

const runFailing = (failure: RequestFailure) => runOn({ store: { open: () => Promise.reject(failure) } })

test('an error in the source file ends a segment, and is stored as the failure of its video', async () => {
  const { outcome, look } = await runFailing(new RequestFailure('unsupported_media', 'No video.'))
  assert.equal(await outcome, 'rejected')
  assert.ok((await look()).failed)
})

test('a segment whose engine was lost is retried, and is not reported as a failure of its video', async () => {
  const failure = new RequestFailure('processing_failed', 'Not now.', { cause: new EngineLost('killed') })
  const { outcome, look } = await runFailing(failure)
  await assert.rejects(outcome, failure)
  assert.equal((await look()).failed, null)
})

const open = async () => ({
  body: Readable.from([Buffer.from('FLV\x01\x05\0\0\0\x09\0\0\0', 'latin1')]),
  size: PLAN.size,
})

test('if a video is aborted while a segment file is being stored, the segment leaves no file [requests.abort.2]', async () => {
  const stop = new AbortController()
  const deleted: string[] = []
  const run = async () => ({
    data: { is_made: true },
    files: [{ path: folder, format: 'mp4', size: 1, sha256: '' }],
    units: 1,
  })
  const put = async () => {
    stop.abort(new Error('the request has ended'))
    return 'late.mp4'
  }
  const store = { open, put, delete: async (key: string) => void deleted.push(key) }
  const { outcome } = await runOn({ store, video: { run } }, stop.signal)
  assert.equal(await outcome, 'lost')
  assert.deepEqual(deleted, ['late.mp4'])
})

test('consecutive segments of a video on one worker use the same engine', async () => {
  const series: RunOptions['series'][] = []
  const run = async (_job: unknown, options: RunOptions) => {
    series.push(options.series)
    return { data: { is_made: false, reason: 'test' }, files: [], units: 1 }
  }
  const { outcome, id } = await runOn({ store: { open }, video: { run } })
  assert.equal(await outcome, 'rejected')
  assert.deepEqual(series, [{ id, hasMore: true }])
})
