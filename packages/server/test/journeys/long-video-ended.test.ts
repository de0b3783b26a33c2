import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '@mediamill/lab/support/process'
import { listAll } from '@mediamill/lab/support/stored-files'
import { openDiskStore } from '../../src/store/disk.ts'
import {
  call,
  checkResult,
  endAll,
  holdDownloads,
  holdSegments,
  isPlanned,
  operations,
  segmentsWhen,
  service,
  sources,
  startNamed,
  startWorker,
  startWorkers,
} from './long-video-fixture.ts'

test('an abort stops all segments of a video on every worker, and leaves no files or rows of the segments [requests.abort.2]', async () => {
  const workers = await startWorkers(3)
  const [release, respond] = [await holdSegments({ forOthers: true }), holdDownloads()]
  const id = await call()
  await segmentsWhen(
    id,
    (rows) => rows.filter(({ worker }) => worker !== null).length >= 2 && rows.some(({ done }) => done),
  )
  assert.equal((await service.call('POST', `/v1/requests/${id}/abort`)).body.status, 'aborted')
  const scratch = join(service.dataDir, 'scratch')
  await until(async () => !(await listAll(scratch)).some(({ name }) => name.includes('source')))
  await until(async () => (await service.sql`select from part_plans`).count === 0)
  const store = await openDiskStore(join(service.dataDir, 'results'))
  await release()
  respond()
  await until(async () => {
    const keys = await Array.fromAsync(store.keys(new Date(Date.now() + 60_000)))
    return keys.every((key) => Number.parseInt(key.slice(26, 40), 16) !== id)
  })
  await endAll(workers)
})

test('if a source link expires before other workers download the video for segments, the worker that has the file processes the whole video', async () => {
  const workers = await startWorkers(2)
  const clip = sources.files.get('/clip.mp4')
  assert.ok(Buffer.isBuffer(clip))
  let rejected = 0
  // The first response contains the complete file, so no second call is necessary.
  sources.files.set('/signed.mp4', (incoming, response) => {
    if (sources.calls.filter(({ path }) => path === '/signed.mp4').length > 1) {
      rejected += 1
      return void response.writeHead(403).end()
    }
    assert.match(incoming.headers.range ?? '', /^bytes=0-/)
    const range = { 'content-range': `bytes 0-${clip.length - 1}/${clip.length}`, 'content-length': clip.length }
    response.writeHead(206, { etag: '"1"', ...range }).end(clip)
  })
  // Prevent the worker that has the complete file from processing all segments before the other worker claims one.
  const release = await holdSegments({ forOthers: true })
  const source = sources.url('/signed.mp4')
  const request = await service.finish('/v1/videos/process', { source, operations })
  await release()
  assert.ok(rejected > 0, 'segments were tried')
  await checkResult(request)
  const [row] = await service.sql`select attempt from requests where id = ${request.id}`
  assert.equal(row?.['attempt'], 1)
  await endAll(workers)
})

test('if all other workers are lost, a worker without support for segments processes the whole video unsplit', async () => {
  const workers = await startNamed(2)
  const older = await startWorker({ VIDEO_SPLIT_THRESHOLD: 'off' })
  const release = await holdSegments()
  let id: number
  // The older worker claims any video. If a busy machine delays heartbeats, a newer worker processes a video unsplit.
  for (;;) {
    id = await call()
    if (await isPlanned(id)) break
    await service.settled(id)
  }
  await segmentsWhen(id, (rows) => rows.some(({ done }) => done))
  for (const worker of new Set(workers.values())) await worker.kill()
  await release()
  await service.sql`update workers set seen_at = now() - interval '1 minute' where video_places is not null`
  const request = await service.settled(id)
  await checkResult(request, { wasKilled: true })
  await endAll([...workers.values(), older])
})
