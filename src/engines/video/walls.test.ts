import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeClip } from '../../../test/support/video-clip.ts'
import { processVideo } from './process.ts'
import { screenshotVideo } from './screenshot.ts'
import { type Bench, openBench } from './video-fixture.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench[Symbol.asyncDispose]())

// FFV1 stands in Matroska and libav can decode it: only our list says no. Each decoder fewer is one less to be attacked.
test('a decoder that is not on the list is never opened, though libav has it', async () => {
  const file = bench.path('ffv1.mkv')
  await makeClip(file, { container: 'matroska', video: 'ffv1', frames: 3 })
  for (const task of [processVideo, screenshotVideo]) {
    await assert.rejects(
      bench.run(task, file, 'MKV', {
        operations: [{ type: 'grayscale' }],
        parameters: { seconds: 0, output: { format: 'png' } },
      }),
      { name: 'RequestFailure', code: 'unsupported_media', message: /ffv1/i },
    )
  }
})
