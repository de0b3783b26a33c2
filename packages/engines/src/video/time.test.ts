import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import { failure } from '@mediamill/lab/support/failure'
import type { ClipOptions, Paint } from '@mediamill/lab/support/video-clip'
import { counting, noise } from '@mediamill/lab/support/video-clip'
import type { Shown } from '@mediamill/lab/support/video-frames'
import { firstAudioOf, framesOf, openClip, packetsIn } from '@mediamill/lab/support/video-frames'
import { AV_NOPTS_VALUE } from 'node-av/constants'
import sharp from 'sharp'
import { processVideo, startedMinutes } from './process.ts'
import { readVideo } from './read.ts'
import { screenshotVideo } from './screenshot.ts'
import type { TestFolder } from './video-fixture.ts'
import { sharedTestFolder } from './video-fixture.ts'

const folder = await sharedTestFolder()

const clip = (options: ClipOptions) => folder.clip({ paint: counting, ...options })

const flip = [{ type: 'flip', horizontal: true }]
const process = (file: string, format: VideoSourceFormat = 'MP4', more: Parameters<TestFolder['run']>[3] = {}) =>
  folder.run(processVideo, file, format, { operations: flip, ...more })

const thousandths = (seconds: number) => Number(seconds.toFixed(3))
const timesOf = (frames: readonly Shown[]) => frames.map(({ seconds }) => thousandths(seconds))
const numberOf = ({ at }: Shown) => Math.max(0, Math.round((at(8, 8)[1] - 20) / 8))

async function audioOf(file: string, format: VideoSourceFormat = 'MP4') {
  await using media = await openClip(file, format)
  const packets: { seconds: number; data: Buffer }[] = []
  for (const packet of packetsIn(media)) {
    if (packet.streamIndex === media.audio?.index && packet.pts !== AV_NOPTS_VALUE) {
      const { num, den } = media.audio.timeBase
      packets.push({ seconds: (Number(packet.pts) * num) / den, data: Buffer.from(packet.data ?? []) })
    }
  }
  return packets
}

test('frames at uneven times keep their times, and the last frame keeps its duration', async () => {
  const times = [0, 40, 50, 400, 433, 1400]
  const file = await clip({ container: 'matroska', times })
  const { file: made, data } = await process(file, 'MKV')
  const frames = await framesOf(made)
  assert.deepEqual(
    timesOf(frames),
    times.map((ms) => ms / 1000),
  )
  assert.deepEqual(frames.map(numberOf), [0, 1, 2, 3, 4, 5])
  assert.ok(Math.abs(Number(data['duration']) - 1.44) <= 0.04, `lasts ${data['duration']}`)
})

test('max_duration keeps the first seconds of video and audio, and a longer value changes nothing [videos.max_duration.1]', async () => {
  for (const audio of ['aac', 'mp2']) {
    const file = await clip({ container: 'matroska', frames: 60, sound: [audio] })
    const { file: made, data, units } = await process(file, 'MKV', { parameters: { max_duration: 1 } })
    const frames = await framesOf(made)
    assert.deepEqual([frames.length, numberOf(frames.at(-1) as Shown), units], [25, 24, 1])
    assert.ok(Number(data['duration']) >= 1 && Number(data['duration']) < 1.04, `lasts ${data['duration']}`)
    const whole = await process(file, 'MKV', { parameters: { max_duration: 7200 } })
    assert.equal((await framesOf(whole.file)).length, 60)
  }
})

test('the last frame before the end of max_duration is shown until that end, however late the next frame is [videos.max_duration.1]', async () => {
  const file = await clip({ container: 'matroska', times: [0, 40, 80, 430, 470, 1510, 1550] })
  const { file: made, data } = await process(file, 'MKV', { parameters: { max_duration: 1 } })
  assert.deepEqual(timesOf(await framesOf(made)), [0, 0.04, 0.08, 0.43, 0.47])
  assert.equal(data['duration'], 1)
})

test('a video is encoded up to max_duration even if its operations have no effect [videos.max_duration.1]', async () => {
  const file = await clip({ container: 'mp4', frames: 40 })
  const options = { operations: [{ type: 'flip' }], parameters: { max_duration: 1 } }
  const { file: made } = await folder.run(processVideo, file, 'MP4', options)
  assert.equal((await framesOf(made)).length, 25)
})

test('a video is billed per started minute, and up to 0.1 s of trailing audio adds no minute [billing.units.1]', () => {
  assert.deepEqual([0.04, 59.9, 60, 60.05, 60.2, 119, 120.2, 7200].map(startedMinutes), [1, 1, 1, 1, 2, 2, 3, 120])
})

test('the video engine copies audio that MP4 supports bit for bit, and keeps the audio in sync with the video', async () => {
  for (const [container, format] of [
    ['mp4', 'MP4'],
    ['matroska', 'MKV'],
    ['mpegts', 'MPEGTS'],
  ] as const) {
    const file = await clip({ container, frames: 50, sound: ['ac3'] })
    const { file: made } = await process(file, format)
    const [before, after] = [await audioOf(file, format), await audioOf(made)]
    assert.deepEqual(
      after.map(({ data }) => data),
      before.map(({ data }) => data),
    )
    const [first] = await framesOf(file, format)
    const [shown] = await framesOf(made)
    const lead = (first?.seconds ?? 0) - (before[0]?.seconds ?? 0)
    assert.ok(Math.abs((shown?.seconds ?? 0) - (after[0]?.seconds ?? 0) - lead) < 0.005)
  }
})

test('audio that starts late or stops early keeps its times, whether it is copied or encoded', async () => {
  for (const audio of ['aac', 'flac']) {
    const file = await clip({ container: 'matroska', frames: 50, sound: [audio], soundFrom: 0.5 })
    const { file: made } = await process(file, 'MKV')
    const [first] = (await audioOf(made)).filter(({ seconds }) => seconds >= 0.4)
    const early = (await audioOf(made)).filter(({ seconds }) => seconds < 0.4)
    assert.deepEqual([early.length, Math.abs((first?.seconds ?? 0) - 0.5) < 0.03], [0, true], `at ${first?.seconds}`)
  }
})

test('audio and video stay in sync within 50 ms', async () => {
  // A flash and a tone start half a second after the start, so encoder delay or reordered frames could separate them.
  const flash: Paint = (_x, _y, index) => (index < 13 ? [16, 16, 16] : [235, 235, 235])
  const bright = (frames: readonly Shown[]) => frames.find(({ at }) => at(40, 30)[1] > 120)?.seconds ?? Number.NaN
  for (const [container, format, video, audio] of [
    ['mp4', 'MP4', 'libx264', 'aac'],
    ['mov', 'MOV', 'libx264', 'pcm_s16le'],
    ['mp4', 'MP4', 'libx264', 'libopus'],
    ['matroska', 'MKV', 'libx264', 'aac'],
    ['matroska', 'MKV', 'libx264', 'flac'],
    ['webm', 'WEBM', 'libvpx', 'libvorbis'],
    ['flv', 'FLV', 'libx264', 'aac'],
    ['mpegts', 'MPEGTS', 'libx264', 'aac'],
    ['mpegts', 'MPEGTS', 'mpeg2video', 'mp2'],
    ['mpeg', 'MPEG', 'mpeg2video', 'ac3'],
  ] as const) {
    const encoder: Record<string, string> = video === 'libx264' ? { bf: '3', crf: '10' } : {}
    const file = await clip({ container, video, sound: [audio], soundFrom: 0.52, frames: 40, paint: flash, encoder })
    for (const operations of [flip, [{ type: 'flip' }]]) {
      const { file: made } = await folder.run(processVideo, file, format, { operations })
      const before = (await firstAudioOf(file, format)) - bright(await framesOf(file, format))
      const after = (await firstAudioOf(made)) - bright(await framesOf(made))
      const message = `${format} ${audio}: ${before} s apart in the source, ${after} s in the result`
      assert.ok(Math.abs(before) < 0.06 && Math.abs(after - before) < 0.03, message)
    }
  }
})

test('the video engine keeps the first of several audio tracks', async () => {
  const file = await clip({ container: 'matroska', sound: ['ac3', 'aac'] })
  assert.equal((await process(file, 'MKV')).data['audio_codec'], 'ac3')
  assert.equal((await process(await clip({ container: 'mp4' }))).data['audio_codec'], null)
})

test('the file of a video result starts with its index, and the first track is the video', async () => {
  const { file } = await process(await clip({ container: 'mpegts', sound: ['aac'] }), 'MPEGTS')
  const bytes = await readFile(file)
  assert.ok(bytes.indexOf('moov') < bytes.indexOf('mdat'))
  assert.ok(bytes.indexOf('vide') < bytes.indexOf('soun'))
})

test('the result of a recorded broadcast starts at zero, and its timestamps have no jumps', async () => {
  const first = await clip({ container: 'mpegts', frames: 25 })
  const late = await clip({
    container: 'mpegts',
    times: Array.from({ length: 25 }, (_, index) => 500_000 + index * 40),
  })
  const file = folder.path('jump.ts')
  await writeFile(file, Buffer.concat([await readFile(first), await readFile(late)]))
  const { file: made, data } = await process(file, 'MPEGTS')
  const frames = await framesOf(made)
  assert.equal(frames[0]?.seconds, 0)
  assert.ok(frames.length >= 48, `${frames.length} frames`)
  assert.ok(Math.abs(Number(data['duration']) - 2) < 0.2, `lasts ${data['duration']}`)
})

test('a screenshot shows the last frame at or before the requested time, at any distance from a keyframe [videos.screenshot.1]', async () => {
  const encoder = { g: '300' }
  for (const [container, format, video] of [
    ['mp4', 'MP4', 'libx264'],
    ['matroska', 'MKV', 'libx264'],
    ['mpegts', 'MPEGTS', 'libx264'],
    ['mpeg', 'MPEG', 'mpeg2video'],
    ['avi', 'AVI', 'mpeg4'],
    ['avi', 'AVI', 'libx264'],
    ['flv', 'FLV', 'libx264'],
  ] as const) {
    const reordered = { ...encoder, ...(container === 'avi' && { bf: '2' }) }
    const file = await clip({ container, video, frames: 29, rate: container === 'mpeg' ? 24 : 8, encoder: reordered })
    const wanted = container === 'mpeg' ? [0, 1] : [0, 1, 2, 3]
    for (const seconds of wanted) {
      const shot = await folder.run(screenshotVideo, file, format, {
        parameters: { seconds, output: { format: 'png' } },
      })
      const [level = 0] = await sharp(shot.file).extract({ left: 8, top: 8, width: 1, height: 1 }).raw().toBuffer()
      const rate = container === 'mpeg' ? 24 : 8
      // A program stream stores few frame times, and libav estimates the others, sometimes wrong by one frame.
      const off = Math.abs(Math.round((level - 20) / 8) - seconds * rate)
      assert.ok(off <= (container === 'mpeg' ? 1 : 0), `${format} at ${seconds} s: ${off} frames off`)
    }
  }
})

test('a screenshot of an MPEG broadcast or program stream is exact, although libav can seek in these formats only by byte position [videos.screenshot.1]', async () => {
  // The gray level counts frames. The noise next to it makes each frame larger than a pack of the container.
  const paint: Paint = (x, y, index) => (x < 32 ? counting(x, y, index % 29) : noise(x, y, index))
  for (const [container, format] of [
    ['mpegts', 'MPEGTS'],
    ['mpeg', 'MPEG'],
  ] as const) {
    const options = { container, video: 'mpeg2video', frames: 250, sound: ['mp2'], paint }
    const file = await clip({ ...options, encoder: { g: '40', b: '4000000' } })
    for (const seconds of [1, 4, 7, 9]) {
      const shot = await folder.run(screenshotVideo, file, format, {
        parameters: { seconds, output: { format: 'png' } },
      })
      const [level = 0] = await sharp(shot.file).extract({ left: 8, top: 8, width: 1, height: 1 }).raw().toBuffer()
      const off = Math.abs(Math.round((level - 20) / 8) - ((seconds * 25) % 29))
      assert.ok(off <= 1, `${format} at ${seconds} s: ${off} frames off`)
    }
  }
})

test('a screenshot past the end fails with the duration in the message, and a screenshot in the last second shows the last frame [videos.screenshot.2]', async () => {
  const file = await clip({ container: 'mp4', frames: 9, rate: 8 })
  const at = (seconds: number) =>
    folder.run(screenshotVideo, file, 'MP4', { parameters: { seconds, output: { format: 'jpg' } } })
  assert.deepEqual((await at(1)).data, {
    width: 96,
    height: 64,
    format: 'JPEG',
    size: (await at(1)).data['size'],
    seconds: 1,
  })
  await assert.rejects(at(2), failure(/1\.125 s long/))
})

test('the video engine measures the duration of a file whose header has no duration', async () => {
  const file = await clip({ container: 'matroska', frames: 50, sound: ['aac'], muxer: { live: '1' } })
  assert.ok(Math.abs(Number((await folder.run(readVideo, file, 'MKV')).data['duration']) - 2) < 0.05)
  const done = await process(file, 'MKV')
  assert.ok(Math.abs(Number(done.data['duration']) - 2) < 0.05)
})

test('progress of a video only increases, and stays below 100 [requests.object.4]', async (t) => {
  const file = await clip({ container: 'mp4', frames: 60, width: 320, height: 180 })
  // The clock advances 1 s per call, so the engine reports progress after each packet, however fast the machine is.
  let now = 0
  t.mock.method(performance, 'now', () => {
    now += 1000
    return now
  })
  const { progress } = await process(file)
  assert.ok(new Set(progress).size > 10, `${progress}`)
  assert.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  )
  assert.ok(progress.every((percent) => percent >= 0 && percent <= 99))
})
