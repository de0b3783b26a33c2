import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { failure } from '@mediamill/lab/support/failure'
import { counting } from '@mediamill/lab/support/video-clip'
import { framesOf } from '@mediamill/lab/support/video-frames'
import { processVideo } from '../process.ts'
import { sharedTestFolder } from '../video-fixture.ts'
import { Cut } from './cut.ts'

const folder = await sharedTestFolder()

const FLIP = [{ type: 'flip', horizontal: true }]

async function firstSecond(frameMs: number, audio: string[], container: 'mp4' | 'matroska' = 'mp4') {
  const times = Array.from({ length: Math.ceil(2500 / frameMs) }, (_, index) => index * frameMs)
  const file = await folder.clip({ container, times, sound: audio, paint: counting, rate: Math.round(1000 / frameMs) })
  const format = container === 'mp4' ? 'MP4' : 'MKV'
  const done = await folder.run(processVideo, file, format, { operations: FLIP, parameters: { max_duration: 1 } })
  return { ...done, frames: (await framesOf(done.file)).length, lengths: lengthsOf(await readFile(done.file)) }
}

function lengthsOf(bytes: Buffer): number[] {
  const lengths: number[] = []
  const ticks = bytes.readUInt32BE(bytes.indexOf('mvhd') + 16)
  for (let at = bytes.indexOf('tkhd'); at !== -1; at = bytes.indexOf('tkhd', at + 4)) {
    lengths.push(Number((bytes.readUInt32BE(at + 24) / ticks).toFixed(3)))
  }
  return lengths
}

test('max_duration keeps whole frames and the frame rate, and ends within half a frame [videos.max_duration.1]', async () => {
  for (const frameMs of [16.667, 33.367, 40, 41.708, 80, 125, 143, 200]) {
    const rate = 1000 / frameMs
    const { data, frames, lengths } = await firstSecond(frameMs, [])
    const what = `${rate} frames a second`
    assert.equal(frames, Math.round(rate - 1e-6), what)
    assert.ok(Math.abs(Number(data['frame_rate']) - rate) < rate * 0.005, `${what} became ${data['frame_rate']}`)
    assert.ok(Math.abs(Number(data['duration']) - 1) <= frameMs / 2000 + 0.002, `${what} last ${data['duration']} s`)
    assert.equal(lengths[0], data['duration'], what)
  }
})

test('max_duration cuts copied and encoded audio at the exact time, even within a packet [videos.max_duration.1]', async () => {
  for (const audio of ['aac', 'ac3', 'flac', 'mp2', 'libopus']) {
    for (const [frameMs, container] of [
      [80, 'mp4'],
      [40, 'matroska'],
    ] as const) {
      const { data, lengths } = await firstSecond(frameMs, [audio], container)
      const what = `${audio} beside frames of ${frameMs} ms`
      assert.ok(Math.abs((lengths[1] ?? 0) - 1) <= 0.002, `${what} lasts ${lengths[1]} s`)
      assert.ok(Math.abs(Number(data['duration']) - 1) <= 0.002, `${what}: all last ${data['duration']} s`)
      assert.ok(Math.abs(Number(data['frame_rate']) - 1000 / frameMs) < 0.05, `${what}: ${data['frame_rate']} a second`)
    }
  }
})

test('max_duration cuts a frame longer than 0.2 s at the exact time, and always keeps the first frame [videos.max_duration.1]', async () => {
  for (const [frameMs, frames] of [
    [300, 4],
    [700, 2],
    [1100, 1],
    [2200, 1],
  ] as const) {
    const cut = await firstSecond(frameMs, [])
    assert.deepEqual([cut.frames, cut.data['duration']], [frames, 1], `frames of ${frameMs} ms`)
  }
})

test('max_duration keeps the full number of frames if the audio starts slightly before the video, as in MPEG-TS [videos.max_duration.3]', async () => {
  for (const [rate, leadMs] of [
    [23.976, 21],
    [24, 23],
    [25, 21],
    [25, 23],
    [29.97, 23],
    [30, 23],
    [50, 12],
    [50, 21],
    [50, 49],
    [59.94, 23],
    [60, 9],
    [60, 16],
    [60, 23],
    [60, 49],
  ] as const) {
    const timeBase = { num: 1, den: 90_000 }
    const lead = BigInt(leadMs * 90)
    const cut = new Cut(2, timeBase, lead)
    const ticks = 90_000 / rate
    let frames = 0
    for (let index = 0; !cut.isComplete; index += 1) {
      if (cut.take(lead + BigInt(Math.round(index * ticks)), BigInt(Math.round(ticks))) !== undefined) frames += 1
    }
    assert.equal(frames, Math.round(2 * rate), `${rate} frames a second, ${leadMs} ms behind the sound`)
  }
})

test('max_duration keeps every frame if the audio starts at least one frame before the video, in any container [videos.max_duration.3]', async () => {
  for (const [container, format, rate] of [
    ['mpegts', 'MPEGTS', 50],
    ['matroska', 'MKV', 60],
    ['flv', 'FLV', 60],
    ['mp4', 'MP4', 25],
  ] as const) {
    // Encoded AAC starts 1,024 samples early, which is 23 ms here.
    const file = await folder.clip({
      container,
      frames: 2 * rate,
      rate,
      sound: ['aac'],
      sampleRate: 44_100,
      paint: counting,
    })
    const done = await folder.run(processVideo, file, format, { operations: FLIP, parameters: { max_duration: 1 } })
    assert.equal((await framesOf(done.file)).length, rate, container)
    const [frame = 0, audio = 0] = lengthsOf(await readFile(done.file))
    assert.ok(Math.abs(frame - audio) <= 0.05, `${container}: ${frame} s of frames, ${audio} s of sound`)
  }
})

test('an AVI with reordered frames starts with its first frame, and max_duration keeps the full number of frames [videos.max_duration.1]', async () => {
  for (const [video, bf] of [
    ['libx264', '2'],
    ['libx264', '0'],
    ['mpeg4', '1'],
    ['mpeg4', '2'],
    ['mpeg1video', '2'],
  ] as const) {
    for (const sound of [[], ['adpcm_ms']]) {
      const what = `${video} with ${bf} reordered frames and audio: ${sound}`
      const file = await folder.clip({ container: 'avi', video, frames: 30, paint: counting, sound, encoder: { bf } })
      const made = async (parameters: object) => {
        const done = await folder.run(processVideo, file, 'AVI', { operations: FLIP, parameters: { ...parameters } })
        const frames = await framesOf(done.file)
        assert.equal(frames[0]?.seconds, 0, what)
        assert.ok(Math.abs((frames[0]?.at(8, 8)[1] ?? 0) - 20) <= 4, what)
        return frames.length
      }
      assert.equal(await made({ max_duration: 1 }), 25, what)
      assert.equal(await made({}), 30, what)
    }
  }
})

test('a video track that starts late keeps its first frame, and is rejected if it starts after the end of max_duration [videos.max_duration.2]', async () => {
  const begun = async (startMs: number) => {
    const times = Array.from({ length: 40 }, (_, index) => startMs + index * 40)
    const file = await folder.clip({ container: 'matroska', times, sound: ['aac'], paint: counting })
    return await folder.run(processVideo, file, 'MKV', { operations: FLIP, parameters: { max_duration: 1 } })
  }
  assert.equal((await framesOf((await begun(990)).file)).length, 1)
  await assert.rejects(
    begun(1200),
    failure(/is at 1.2 s, so the first 1 s contain no frame. Choose a longer max_duration/),
  )
})
