import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@mediamill/lab/support/process'
import type { SegmentRow } from './long-video-fixture.ts'
import {
  call,
  checkResult,
  endAll,
  holdDownloads,
  holderOf,
  holdSegments,
  segmentsOf,
  segmentsWhen,
  service,
  startNamed,
  startWorkers,
} from './long-video-fixture.ts'

const isRunning = ({ worker }: SegmentRow) => worker !== null

test('a long video that is split between two workers has the same result as unsplit, and its progress only increases [requests.object.4]', async () => {
  const workers = await startWorkers(2)
  const [release, respond] = [await holdSegments({ forOthers: true }), holdDownloads()]
  const id = await call()
  const progress: number[] = []
  const read = async (): Promise<string> => {
    const { body } = await service.call('GET', `/v1/requests/${id}`)
    if (body.status === 'processing') progress.push(body.progress)
    return body.status
  }
  const segments = await segmentsWhen(id, (rows) => rows.some(({ done }) => done))
  assert.ok(segments.length >= 10, `${segments.length} segments`)
  const holder = await holderOf(id)
  await segmentsWhen(id, (rows) => rows.some((row) => isRunning(row) && row.worker !== holder))
  await until(async () => (await read()) === 'processing' && (progress.at(-1) ?? 0) > 0)
  await release()
  respond()
  await until(async () => (await read()) === 'succeeded')
  assert.deepEqual(
    progress,
    progress.toSorted((one, other) => one - other),
  )
  await checkResult((await service.call('GET', `/v1/requests/${id}`)).body)
  await endAll(workers)
})

test('a killed worker loses only the work of its current segment, and the request stays in its first attempt [requests.states.4]', async () => {
  const workers = await startNamed(3)
  const [release, respond] = [await holdSegments({ forOthers: true }), holdDownloads()]
  const id = await call()
  await segmentsWhen(id, () => true)
  const holder = await holderOf(id)
  const isOfOther = (row: SegmentRow) => isRunning(row) && row.worker !== holder
  const segments = await segmentsWhen(id, (rows) => rows.filter(isOfOther).length === 2)
  const lost = segments.find(isOfOther)
  await workers.get(lost?.worker ?? '')?.kill()
  await release()
  await service.sql`update workers set seen_at = now() - interval '1 minute' where id = ${lost?.worker ?? ''}`
  await segmentsWhen(id, (rows) => rows.some(({ attempt }) => attempt === 2))
  respond()
  const request = await service.settled(id)
  await checkResult(request, { wasKilled: true })
  const [row] = await service.sql`select attempt from requests where id = ${id}`
  assert.equal(row?.['attempt'], 1)
  await endAll(workers.values())
})

test('if the worker that waits for the segments is killed, another worker continues with the finished segments [requests.states.4]', async () => {
  const workers = await startNamed(3)
  const release = await holdSegments()
  const id = await call()
  await segmentsWhen(id, (rows) => rows.filter(({ done }) => done).length >= 3)
  const holder = await holderOf(id)
  await workers.get(holder)?.kill()
  const before = (await segmentsOf(id)).filter(({ done }) => done).map(({ number, attempt }) => ({ number, attempt }))
  await service.sql`update workers set seen_at = now() - interval '1 minute' where id = ${holder}`
  await until(async () => (await holderOf(id)) !== holder)
  await release()
  const request = await service.settled(id)
  assert.ok(before.length >= 3)
  await checkResult(request, { wasKilled: true })
  const [row] = await service.sql`select attempt from requests where id = ${id}`
  assert.equal(row?.['attempt'], 2)
  await endAll(workers.values())
})
