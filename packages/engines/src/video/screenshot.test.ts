import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import type { Paint } from '@mediamill/lab/support/video-clip'
import { counting, makeClip, quarters } from '@mediamill/lab/support/video-clip'
import sharp from 'sharp'
import { screenshotVideo } from './screenshot.ts'
import type { Bench } from './video-fixture.ts'
import { openBench } from './video-fixture.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench[Symbol.asyncDispose]())

/** Which of 25 frames a second a screenshot shows. */
async function frameAt(file: string, format: VideoSourceFormat, seconds: number): Promise<number> {
  const parameters = { seconds, output: { format: 'png' } }
  const shot = await bench.run(screenshotVideo, file, format, { parameters })
  const [level = 0] = await sharp(shot.file).extract({ left: 8, top: 8, width: 1, height: 1 }).raw().toBuffer()
  return Math.round((level - 20) / 8)
}

/** Twenty-five frames a second, of which the counting begins anew after each. */
const counted: Paint = (x, y, index) => counting(x, y, index % 25)

// What Opus needs to get going makes ffmpeg put the picture 7 ms behind the sound in every WebM.
const LEAD_MS = 7

test('a second is counted from the first picture where sound leads it by less than a frame [4.2]', async () => {
  for (const [container, format, video, sound] of [
    ['webm', 'WEBM', 'libvpx', 'libopus'],
    ['matroska', 'MKV', 'libx264', 'libopus'],
    ['mp4', 'MP4', 'libx264', 'aac'],
  ] as const) {
    const file = bench.path(`lead.${container}`)
    const times = Array.from({ length: 75 }, (_, index) => LEAD_MS + index * 40)
    await makeClip(file, { container, video, sound: [sound], times, paint: counted })
    for (const seconds of [0, 1, 2]) assert.equal(await frameAt(file, format, seconds), 0, `${format} at ${seconds} s`)
  }
})

test('where the picture begins later than a frame behind the sound, a second is one of playing [4.2]', async () => {
  const file = bench.path('late.mkv')
  const times = Array.from({ length: 30 }, (_, index) => 500 + index * 40)
  await makeClip(file, { container: 'matroska', sound: ['aac'], times, paint: counting })
  assert.equal(await frameAt(file, 'MKV', 1), 12)
})

test('a large still has a thumbnail with the same picture in the same colours, a small one has none [rulings 20]', async () => {
  for (const [width, height] of [
    [2560, 1440],
    [64, 48],
  ] as const) {
    const file = bench.path(`still-${width}.mp4`)
    const paint = quarters(width, height)
    await makeClip(file, { container: 'mp4', width, height, frames: 1, paint })
    const parameters = { seconds: 0, output: { format: 'jpg' } }
    const { thumbnail } = await bench.run(screenshotVideo, file, 'MP4', { parameters, thumbnail: true })
    assert.equal(thumbnail !== undefined, width > 64)
    if (thumbnail === undefined) continue
    const { data, info } = await sharp(thumbnail.path).raw().toBuffer({ resolveWithObject: true })
    assert.deepEqual([info.width, info.height], [256, 144])
    for (const [x, y] of [
      [40, 66],
      [216, 66],
      [40, 78],
      [216, 78],
    ] as const) {
      const seen = [...data.subarray((y * 256 + x) * info.channels, (y * 256 + x) * info.channels + 3)]
      const wanted = paint(x * 10, y * 10, 0)
      assert.ok(Math.max(...seen.map((value, nth) => Math.abs(value - (wanted[nth] ?? 0)))) < 12, `${x} ${y}: ${seen}`)
    }
  }
})
