import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  endAll,
  holdSegments,
  operations,
  segmentsOf,
  segmentsWhen,
  service,
  sources,
  startWorker,
} from './long-video-fixture.ts'

test('after a stop or crash of the only worker, a long video repeats at most one segment, and has the same result as unsplit [requests.states.4]', async () => {
  let worker = await startWorker({ DRAIN_TIMEOUT: '1s' })
  const clip = sources.files.get('/clip.mp4')
  // A source without an ETag or a Last-Modified header is processed unsplit.
  sources.files.set('/unversioned.mp4', (_call, response) => void response.writeHead(200).end(clip))
  const whole = await service.finish('/v1/videos/process', {
    source: sources.url('/unversioned.mp4'),
    operations,
  })
  for (const end of ['stop', 'kill'] as const) {
    const release = await holdSegments()
    const { id } = (
      await service.call('POST', '/v1/videos/process', { body: { source: sources.url('/clip.mp4'), operations } })
    ).body
    await segmentsWhen(id, (rows) => rows.filter(({ done }) => done).length >= 3)
    await worker[end]()
    await release()
    const left = (await segmentsOf(id)).filter(({ done }) => !done)
    assert.ok(left.length >= 8)
    await service.sql`update workers set seen_at = now() - interval '1 minute'`
    sources.calls.length = 0
    worker = await startWorker({ DRAIN_TIMEOUT: '1s' })
    const request = await service.settled(id)
    assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
    // The plan exists already, so only attempts at segments open the source, each once.
    const opened = sources.calls.filter(({ headers }) => headers.range?.startsWith('bytes=0-') === true)
    assert.equal(opened.length, left.length, 'the second worker processes only the unfinished segments')
    assert.ok(left.filter(({ attempt }) => attempt > 0).length <= 1, JSON.stringify(left))
    assert.equal(request.result.files[0].sha256, whole.result.files[0].sha256)
    assert.equal(request.result.data.duration, whole.result.data.duration)
  }
  await endAll([worker])
})
