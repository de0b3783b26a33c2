import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import type { Paint } from '@mediamill/lab/support/video-clip'
import { counting } from '@mediamill/lab/support/video-clip'
import sharp from 'sharp'
import { screenshotVideo } from './screenshot.ts'
import { sharedTestFolder } from './video-fixture.ts'

const folder = await sharedTestFolder()

/** The gray level of a frame is its number. */
async function frameAt(file: string, format: VideoSourceFormat, seconds: number): Promise<number> {
  const parameters = { seconds, output: { format: 'png' } }
  const shot = await folder.run(screenshotVideo, file, format, { parameters })
  const [level = 0] = await sharp(shot.file).extract({ left: 8, top: 8, width: 1, height: 1 }).raw().toBuffer()
  return Math.round((level - 20) / 8)
}

const counted: Paint = (x, y, index) => counting(x, y, index % 25)

// Because of Opus' encoder delay, ffmpeg starts the video 7 ms after the audio in every WebM.
const LEAD_MS = 7

test('the parameter seconds of a screenshot counts from the first frame if audio starts less than a frame earlier [videos.screenshot.1]', async () => {
  for (const [container, format, video, audio] of [
    ['webm', 'WEBM', 'libvpx', 'libopus'],
    ['matroska', 'MKV', 'libx264', 'libopus'],
    ['mp4', 'MP4', 'libx264', 'aac'],
  ] as const) {
    const times = Array.from({ length: 75 }, (_, index) => LEAD_MS + index * 40)
    const file = await folder.clip({ container, video, sound: [audio], times, paint: counted })
    for (const seconds of [0, 1, 2]) assert.equal(await frameAt(file, format, seconds), 0, `${format} at ${seconds} s`)
  }
})

test('the parameter seconds of a screenshot counts from the start of playback if the video starts more than a frame after the audio [videos.screenshot.1]', async () => {
  const times = Array.from({ length: 30 }, (_, index) => 500 + index * 40)
  const file = await folder.clip({ container: 'matroska', sound: ['aac'], times, paint: counting })
  assert.equal(await frameAt(file, 'MKV', 1), 12)
})
