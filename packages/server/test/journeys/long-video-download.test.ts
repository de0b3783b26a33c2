import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, endAll, holdSegments, segmentsWhen, service, sources, startWorker } from './long-video-fixture.ts'

test('if only one worker processes all segments of a split video, the worker downloads the source once', async () => {
  const worker = await startWorker()
  const release = await holdSegments()
  const id = await call()
  await segmentsWhen(id, (rows) => rows.some(({ done }) => done))
  await release()
  const request = await service.settled(id)
  assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
  // The first range request returns the complete file, because the file is small.
  assert.deepEqual(
    sources.calls.map(({ path }) => path),
    ['/clip.mp4'],
  )
  await endAll([worker])
})
