import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { failed, RETENTION_MS } from '@mediamill/lab/support/request-rows'
import { listOrphans } from '../../db/sweep.ts'
import { settle } from '../settle.ts'
import { claimNextSegment, finishSegmentWithRetry } from './queue.ts'
import { removeSegments, sweepSegments } from './remove.ts'
import { made, plannedVideo, videoWorker } from './segments-fixture.ts'

const { sql } = await sharedDatabase()

const retryOptions = { signal: new AbortController().signal, onAway: () => undefined }

async function begun(name: string) {
  const worker = await videoWorker(sql, 4)
  const claimed = await plannedVideo(sql, worker, 3)
  const segment = await claimNextSegment(sql, worker, [claimed.request.id])
  assert.ok(segment && (await finishSegmentWithRetry(sql, segment.lease, made(name), retryOptions)))
  return { ...claimed, worker, key: made(name).file.key }
}

const plans = async () => (await sql`select from part_plans`).count

test('a worker keeps segment files while their request is open, and deletes files and rows afterwards', async () => {
  const { lease, request, key } = await begun('1')
  const deleted: string[] = []
  const deleteFile = async (file: string) => void deleted.push(file)
  assert.deepEqual(await listOrphans(sql, [{ key, requestId: request.id }]), [])
  await removeSegments(sql, request.id, deleteFile)
  assert.equal(await sweepSegments(sql, deleteFile), 0)
  assert.deepEqual([deleted, await plans()], [[], 1])
  await settle(sql, lease, failed(), RETENTION_MS)
  assert.equal(await sweepSegments(sql, deleteFile), 1)
  assert.deepEqual([deleted, await plans()], [[key], 0])
  assert.deepEqual(await listOrphans(sql, [{ key, requestId: request.id }]), [key], 'what is left is an orphan')
})

test('if the store cannot delete a segment file, a worker keeps the segment rows, and cleans up other videos without delay', async () => {
  const [stuck, other] = [await begun('2'), await begun('3')]
  for (const { lease } of [stuck, other]) await settle(sql, lease, failed(), RETENTION_MS)
  const deleted: string[] = []
  const broken = async (key: string) => {
    if (key === stuck.key) throw new Error('the store did not')
    deleted.push(key)
  }
  await assert.rejects(sweepSegments(sql, broken), /the store did not/)
  assert.deepEqual([deleted, await plans()], [[other.key], 1])
  await removeSegments(sql, stuck.request.id, async (key) => void deleted.push(key))
  assert.deepEqual([deleted, await plans()], [[other.key, stuck.key], 0])
})

test('a segment that finishes at the same time as its request leaves no file', async () => {
  const { lease, request, worker, key } = await begun('4')
  const late = await claimNextSegment(sql, worker, [request.id])
  assert.ok(late)
  const deleted: string[] = []
  await settle(sql, lease, failed(), RETENTION_MS)
  // The segment finishes after `remove` has read the keys, and before it deletes the plan.
  const deleteFile = async (file: string) => {
    deleted.push(file)
    if (file === key)
      await sql`update video_parts set key = ${made('5').file.key}, completed_at = now(), worker_id = null where id = ${late.lease.partId}`
  }
  await removeSegments(sql, request.id, deleteFile)
  assert.deepEqual(deleted, [key, made('5').file.key])
  assert.equal(await finishSegmentWithRetry(sql, late.lease, made('6'), retryOptions), false)
})
