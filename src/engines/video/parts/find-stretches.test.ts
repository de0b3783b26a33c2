import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { makeClip } from '../../../../test/support/video-clip.ts'
import { processVideo } from '../process.ts'
import type { Bench } from '../video-fixture.ts'
import { openBench } from '../video-fixture.ts'
import { inStretches, packetsOf, planOfClip } from './parts-fixture.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench[Symbol.asyncDispose]())

const operations = [{ type: 'flip', vertical: true }]

/** A clip of 3.6 s with a keyframe each 12 frames. */
async function clip(container: 'mp4' | 'mpegts'): Promise<string> {
  const file = bench.path(`clip.${container}`)
  await makeClip(file, {
    container,
    width: 128,
    height: 64,
    frames: 90,
    encoder: { g: '12' },
    paint: (x, y, index) => (x < index ? [210, 200, 60] : [30, 60 + y, 120]),
  })
  return file
}

test('a video is cut only where it is longer than what is wanted, in one piece as in parts', async () => {
  const file = await clip('mp4')
  const codedBy = async (cuts: object) => {
    const { file: made } = await bench.run(processVideo, file, 'MP4', { parameters: { operations, ...cuts } })
    return (await packetsOf(made)).coded
  }
  const [whole, longEnough, stretched] = [
    await codedBy({}),
    await codedBy({ part_seconds: 0.8, part_pixels: 1, longer_than: 3.6 }),
    await codedBy({ part_seconds: 0.8, part_pixels: 1, longer_than: 3.5 }),
  ]
  assert.deepEqual(longEnough, whole)
  assert.notDeepEqual(stretched, whole)
  const plan = await planOfClip(
    { bench, file, format: 'MP4', options: { parameters: { operations, longer_than: 3.6 } } },
    0.8,
  )
  assert.equal(plan, undefined)
})

test('a damaged video is made in stretches as far as it goes', async () => {
  const file = await clip('mpegts')
  const whole = await readFile(file)
  whole.fill(0, whole.length >> 1, (whole.length >> 1) + 400)
  await writeFile(file, whole)
  const { data } = await inStretches({ bench, file, format: 'MPEGTS', options: { operations } }, 0.8)
  assert.ok(Number(data['duration']) > 3, `${data['duration']} s`)
})
