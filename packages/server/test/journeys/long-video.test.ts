import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@mediamill/lab/support/process'
import {
  call,
  checkResult,
  endAll,
  holderOf,
  segmentsOf,
  segmentsWhen,
  service,
  startNamed,
  startWorkers,
} from './long-video-fixture.ts'

test('a long video that is split between two workers has the same result as unsplit, and its progress only increases [requests.object.4]', async () => {
  const workers = await startWorkers(2)
  const id = await call()
  const seen = new Set<string>()
  const progress: number[] = []
  let count = 0
  await until(async () => {
    const segments = await segmentsOf(id)
    count = Math.max(count, segments.length)
    for (const { worker } of segments) if (worker !== null) seen.add(worker)
    const { body } = await service.call('GET', `/v1/requests/${id}`)
    if (body.status === 'processing') progress.push(body.progress)
    return body.status !== 'queued' && body.status !== 'processing'
  })
  assert.ok(count >= 10, `${count} segments`)
  assert.equal(seen.size, 2, 'both workers have made segments')
  assert.deepEqual(
    progress,
    progress.toSorted((one, other) => one - other),
  )
  // Progress is stored twice a second, but the video may need only two seconds, so expect one value above 0.
  assert.ok((progress.at(-1) ?? 0) > 0, progress.join())
  await checkResult((await service.call('GET', `/v1/requests/${id}`)).body)
  await endAll(workers)
})

test('a killed worker loses only the work of its current segment, and the request stays in its first attempt [requests.states.4]', async () => {
  const workers = await startNamed(3)
  const id = await call()
  const holder = await segmentsWhen(id, (segments) => segments.some(({ worker }) => worker !== null)).then(() =>
    holderOf(id),
  )
  const segments = await segmentsWhen(id, (rows) => rows.some(({ worker }) => worker !== null && worker !== holder))
  const lost = segments.find(({ worker }) => worker !== null && worker !== holder)
  await workers.get(lost?.worker ?? '')?.kill()
  await service.sql`update workers set seen_at = now() - interval '1 minute' where id = ${lost?.worker ?? ''}`
  await segmentsWhen(id, (rows) => rows.some(({ attempt }) => attempt === 2))
  const request = await service.settled(id)
  await checkResult(request, { wasKilled: true })
  const [row] = await service.sql`select attempt from requests where id = ${id}`
  assert.equal(row?.['attempt'], 1)
  await endAll(workers.values())
})

test('if the worker that waits for the segments is killed, another worker continues with the finished segments [requests.states.4]', async () => {
  const workers = await startNamed(3)
  const id = await call()
  await segmentsWhen(id, (rows) => rows.filter(({ done }) => done).length >= 3)
  const holder = await holderOf(id)
  await workers.get(holder)?.kill()
  const before = (await segmentsOf(id)).filter(({ done }) => done).map(({ number, attempt }) => ({ number, attempt }))
  await service.sql`update workers set seen_at = now() - interval '1 minute' where id = ${holder}`
  await until(async () => (await holderOf(id)) !== holder)
  const request = await service.settled(id)
  assert.ok(before.length >= 3)
  await checkResult(request, { wasKilled: true })
  const [row] = await service.sql`select attempt from requests where id = ${id}`
  assert.equal(row?.['attempt'], 2)
  await endAll(workers.values())
})
