import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeClip } from '../../../test/support/video-clip.ts'
import { framesOf } from '../../../test/support/video-frames.ts'
import { processVideo } from './process.ts'
import type { Bench } from './video-fixture.ts'
import { openBench } from './video-fixture.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench[Symbol.asyncDispose]())

const FRAMES = 30
const FRAME_MS = 40
const GAP_MS = 4000
const LENGTH_MS = FRAMES * FRAME_MS + GAP_MS

const paint = (x: number, y: number, index: number) => [x < 4 * index ? 210 : 30, 60 + y, 120] as const
const operations = [{ type: 'flip', vertical: true }]
const reordered = { g: '60', bf: '3', 'x264-params': 'b-adapt=0' }

// An MP4 tells the steps of decoding. Where frames are reordered, libav says of the wrong one that it stands over a gap.
for (const container of ['mp4', 'mov'] as const) {
  test(`a gap among reordered frames makes a video no longer, wherever it falls in ${container.toUpperCase()} [4.2]`, async () => {
    for (const last of [8, 9, 10, 11, 25, 26, 27, 28, 29]) {
      const times = Array.from({ length: FRAMES }, (_, index) => index * FRAME_MS + (index < last ? 0 : GAP_MS))
      const file = bench.path(`gap.${container}`)
      await makeClip(file, { container, width: 128, height: 64, times, encoder: reordered, paint })
      const made = await bench.run(processVideo, file, container === 'mp4' ? 'MP4' : 'MOV', { operations })
      assert.equal(made.data['duration'], LENGTH_MS / 1000, `the gap is before frame ${last}`)
      const shown = await framesOf(made.file)
      assert.deepEqual(
        shown.map(({ seconds }) => Math.round(seconds * 1000)),
        times,
      )
    }
  })
}
