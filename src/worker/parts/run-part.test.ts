import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDatabase } from '../../../test/support/database.ts'
import { RequestFailure } from '../../domain/errors.ts'
import { claimNextPart, lookAtParts } from '../../requests/parts/line.ts'
import { heldVideo, partsOf, videoWorker } from '../../requests/parts/parts-fixture.ts'
import { writePlan } from '../../requests/parts/plan.ts'
import { createLog } from '../../runtime/telemetry/log.ts'
import { EngineLost } from '../../supervisor/engine-process.ts'
import type { WorkerContext } from '../job-context.ts'
import { runPart } from './run-part.ts'

const database = await createDatabase()
const { sql } = database
const folder = await mkdtemp(join(tmpdir(), 'mediamill-part-'))
after(async () => {
  await database[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** Brings a part to its end on a worker where it fails so. */
async function runFailing(failure: RequestFailure) {
  const workerId = await videoWorker(sql)
  const { request, held } = await heldVideo(sql, workerId)
  const input = { operations: [{ type: 'flip', horizontal: true }] }
  await sql`update requests set input = ${JSON.stringify(input)}::text::json where id = ${request.id}`
  const source = { kind: 'stored', files: [{ key: 'a', size: 10 }] }
  assert.ok(await writePlan(sql, held, { source, plan: {} }, partsOf(1)))
  const claim = await claimNextPart(sql, workerId, [request.id])
  assert.ok(claim)
  const path = await mkdtemp(join(folder, 'job-'))
  // The parts of a worker that a part meets before its source is there.
  const worker = {
    sql,
    log: createLog('silent', 'test'),
    load: { video: 0 },
    engines: { video: {} },
    store: { open: () => Promise.reject(failure) },
    scratch: { jobFolder: () => ({ path, [Symbol.asyncDispose]: async () => undefined }) },
  } as unknown as WorkerContext
  const outcome = runPart(worker, claim, new AbortController().signal)
  return { outcome, look: () => lookAtParts(sql, request.id) }
}

test('what is the file’s fault ends a part, and its video is told', async () => {
  const { outcome, look } = await runFailing(new RequestFailure('unsupported_media', 'No video.'))
  assert.equal(await outcome, 'refused')
  assert.ok((await look()).failed)
})

test('an engine that was lost ends no part: another attempt follows, and in the end one piece decides', async () => {
  const failure = new RequestFailure('processing_failed', 'Not now.', { cause: new EngineLost('killed') })
  const { outcome, look } = await runFailing(failure)
  await assert.rejects(outcome, failure)
  assert.equal((await look()).failed, null)
})
