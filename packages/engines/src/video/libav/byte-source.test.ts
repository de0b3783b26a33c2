import assert from 'node:assert/strict'
import { open, readFile, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import { noise } from '@mediamill/lab/support/video-clip'
import type { CallWorker } from '../../protocol/serve.ts'
import { readVideo } from '../read.ts'
import { screenshotVideo } from '../screenshot.ts'
import type { CutJob } from '../segments/cut-video.ts'
import { scan } from '../segments/scan-cuts.ts'
import type { TestedTask } from '../video-fixture.ts'
import { sharedTestFolder } from '../video-fixture.ts'
import { withMedia } from '../with-media.ts'

const HEAD_BYTES = 64 * 1024

const folder = await sharedTestFolder()

async function runInParts(task: TestedTask, whole: string, format: VideoSourceFormat, parameters = {}) {
  const bytes = await readFile(whole)
  const path = `${whole}-parts`
  const start = Math.min(HEAD_BYTES, bytes.length)
  await writeFile(path, bytes.subarray(0, start))
  let fetched = start
  const done = await folder.run(task, path, format, {
    parameters,
    presentBytes: start,
    size: bytes.length,
    async fetchRange({ offset, length }) {
      assert.ok(length > 0 && offset + length <= bytes.length, `${length} bytes from ${offset}`)
      fetched += length
      await using file = await open(path, 'r+')
      await file.write(bytes, offset, length, offset)
    },
  })
  return { done, fetched, size: bytes.length }
}

for (const [format, container, video, share] of [
  ['MP4', 'mp4', 'libx264', 0.4],
  ['MKV', 'matroska', 'libx264', 0.4],
  ['AVI', 'avi', 'mpeg4', 0.5],
  ['MPEGTS', 'mpegts', 'libx264', 1],
  ['FLV', 'flv', 'libx264', 1],
] as const) {
  test(`${format}: processing a partly downloaded file gives the same result as the whole file, and reads fewer bytes`, async () => {
    const encoder: Record<string, string> =
      video === 'libx264' ? { crf: '4', preset: 'ultrafast', g: '25' } : { qmax: '2', g: '25' }
    const whole = await folder.clip({
      container,
      video,
      width: 320,
      height: 180,
      frames: 150,
      paint: noise,
      encoder,
      sound: ['aac'],
    })
    const read = await runInParts(readVideo, whole, format)
    assert.deepEqual(read.done.data, (await folder.run(readVideo, whole, format)).data)
    assert.ok(read.fetched <= read.size, 'no byte is fetched twice')
    if (share < 1) assert.ok(read.fetched < read.size * share, `${read.fetched} of ${read.size}`)

    const parameters = { seconds: 4, output: { format: 'png' } }
    const shot = await runInParts(screenshotVideo, whole, format, parameters)
    const expected = await folder.run(screenshotVideo, whole, format, { parameters })
    assert.equal(shot.done.files[0]?.sha256, expected.files[0]?.sha256)
    assert.ok(shot.fetched <= shot.size)
    if (share < 1) assert.ok(shot.fetched < shot.size * (share + 0.3), `${shot.fetched} of ${shot.size}`)
  })
}

test('a screenshot fetches the frames from the keyframe to the requested time in one range, and few other bytes', async () => {
  const encoder = { crf: '4', preset: 'ultrafast', g: '150' }
  const whole = await folder.clip({ container: 'mp4', width: 320, height: 180, frames: 150, paint: noise, encoder })
  const { done, fetched, size } = await runInParts(screenshotVideo, whole, 'MP4', {
    seconds: 3,
    output: { format: 'jpg' },
  })
  const reads = done.requests.filter(({ type }) => type === 'read')
  // One read each for the index, the keyframe, and the following frames.
  assert.ok(reads.length <= 3, `${reads.length} calls`)
  assert.ok(fetched < size * 0.75, `${fetched} of ${size}`)
})

test('reading a video ends after the maximum number of bytes of a caller that only inspects the video', async () => {
  const whole = await folder.clip({ container: 'mpegts', width: 160, height: 90, frames: 50, paint: noise })
  const secondsRead = async (maxReadBytes: number) => {
    const scanVideo = async ({ input }: CutJob, _report: unknown, callWorker: CallWorker) => {
      const file = { ...input, presentBytes: input.size }
      const { seconds } = await withMedia(file, callWorker, (media) => scan(media, undefined), { maxReadBytes })
      return { data: { seconds }, files: [], units: 1 }
    }
    const { data, requests } = await folder.run(scanVideo, whole, 'MPEGTS')
    assert.deepEqual(requests, [], 'the end of a complete file needs no further bytes')
    return Number(data['seconds'])
  }
  const { size } = await stat(whole)
  assert.equal(await secondsRead(4 * size), 2)
  assert.ok((await secondsRead(size / 2)) < 1.5)
})
