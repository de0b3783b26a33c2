import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { beforeEach, test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { RETENTION_MS } from '@mediamill/lab/support/line'
import { claim, requeueAll, takeOver } from '../claim.ts'
import { clearQueue, heldVideo, made, partsOf, plannedVideo, SOURCE, silence, videoWorker } from './parts-fixture.ts'
import { abandonPlan, dropPlan, PART_FORMAT, resumePlan, writePlan } from './plan.ts'
import { claimNextPart, finishPartWithRetry, listDoneParts, readPartsState } from './queue.ts'

const { sql } = await sharedDatabase()
beforeEach(() => clearQueue(sql))

const PLAN = { source: SOURCE, plan: { version: 1 } }
const retryOptions = { signal: new AbortController().signal, onAway: () => undefined }

test('only the worker that holds a request can write its plan and segments', async () => {
  const [slow, quick] = [await videoWorker(sql), await videoWorker(sql)]
  const first = await heldVideo(sql, slow)
  await silence(sql, slow)
  await takeOver(sql, RETENTION_MS)
  const second = await claim(sql, quick, 'video', [])
  assert.equal(second?.request.id, first.request.id)
  // The slow worker is still running and writes its plan at the same time.
  const written = await Promise.all([
    writePlan(sql, first.held, { ...PLAN, plan: { by: 'slow' } }, partsOf(2)),
    writePlan(sql, second?.held ?? first.held, { ...PLAN, plan: { by: 'quick' } }, partsOf(4)),
  ])
  assert.deepEqual(written, [false, true])
  assert.deepEqual((await resumePlan(sql, second?.held ?? first.held))?.plan, { by: 'quick' })
  assert.equal((await readPartsState(sql, first.request.id)).total, 4)
})

test('rejects a second plan for a request, and continues with the first plan', async () => {
  const worker = await videoWorker(sql)
  const { held } = await plannedVideo(sql, worker, 3)
  assert.equal(await writePlan(sql, held, PLAN, partsOf(5)), false)
  assert.equal((await readPartsState(sql, held.id)).total, 3)
})

test('a worker that takes over a request reuses its finished segments', async () => {
  const [planner, helper] = [await videoWorker(sql), await videoWorker(sql)]
  const { held, request } = await plannedVideo(sql, planner, 3)
  const part = await claimNextPart(sql, helper)
  assert.ok(part)
  assert.equal(await finishPartWithRetry(sql, part.held, made(1), retryOptions), true)
  await silence(sql, planner)
  await takeOver(sql, RETENTION_MS)
  const again = await claim(sql, helper, 'video', [])
  assert.equal(again?.held.attempt, 2)
  assert.equal(await resumePlan(sql, held), undefined, 'the lost one carries nothing on')
  const plan = await resumePlan(sql, again?.held ?? held)
  assert.deepEqual([plan?.isKnown, plan?.isAbandoned, plan?.source], [true, false, SOURCE])
  assert.equal((await readPartsState(sql, request.id)).done, 1)
  assert.deepEqual(
    (await listDoneParts(sql, request.id)).map(({ number, key, size }) => ({ number, key, size })),
    [{ number: part.number, ...made(1).file }],
  )
})

test('no segment is claimed until the worker of the request has adopted its plan', async () => {
  const [planner, older, helper] = [await videoWorker(sql), await videoWorker(sql), await videoWorker(sql)]
  await plannedVideo(sql, planner, 3)
  await requeueAll(sql, planner)
  assert.equal(await claimNextPart(sql, helper), undefined, 'it waits in the queue')
  // The attempt did not count, so the number is used again.
  const claimed = await claim(sql, older, 'video', [])
  assert.equal(claimed?.held.attempt, 1)
  assert.equal(await claimNextPart(sql, helper), undefined, 'one that knows no parts makes it in one piece')
  await resumePlan(sql, claimed?.held as never)
  assert.ok(await claimNextPart(sql, helper))
})

test('later attempts ignore the segments of an abandoned plan, and the segment files are deleted', async () => {
  const worker = await videoWorker(sql)
  const { held } = await plannedVideo(sql, worker, 2)
  const part = await claimNextPart(sql, worker)
  assert.ok(part && (await finishPartWithRetry(sql, part.held, made(7), retryOptions)))
  const deleted: string[] = []
  await abandonPlan(sql, held, async (key) => void deleted.push(key))
  assert.deepEqual(deleted, [made(7).file.key])
  assert.equal(await claimNextPart(sql, worker), undefined)
  assert.equal((await resumePlan(sql, held))?.isAbandoned, true)
  assert.equal(await writePlan(sql, held, PLAN, partsOf(2)), false)
})

test('deletes a plan of another version with its files, and creates a new plan', async () => {
  const worker = await videoWorker(sql)
  const { held } = await plannedVideo(sql, worker, 2)
  const part = await claimNextPart(sql, worker)
  assert.ok(part && (await finishPartWithRetry(sql, part.held, made(8), retryOptions)))
  await sql`update part_plans set format = 'older'`
  assert.equal(await claimNextPart(sql, worker), undefined, 'this version makes no part of it')
  assert.equal((await resumePlan(sql, held))?.isKnown, false)
  const deleted: string[] = []
  await dropPlan(sql, held, async (key) => void deleted.push(key))
  assert.deepEqual(deleted, [made(8).file.key])
  assert.equal(await writePlan(sql, held, PLAN, partsOf(2)), true)
})

test('the recorded format of segments includes the version of the library', async () => {
  const text = await readFile(new URL('../../../../../package.json', import.meta.url), 'utf8')
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> }
  assert.ok(PART_FORMAT.startsWith(`node-av ${dependencies['node-av']}, `), 'a new node-av makes other parts')
})
