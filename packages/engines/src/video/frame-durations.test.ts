import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Paint } from '@mediamill/lab/support/video-clip'
import { framesOf } from '@mediamill/lab/support/video-frames'
import { processVideo } from './process.ts'
import { sharedTestFolder } from './video-fixture.ts'

const folder = await sharedTestFolder()

const FRAMES = 30
const FRAME_MS = 40
const GAP_MS = 4000
const LENGTH_MS = FRAMES * FRAME_MS + GAP_MS

const thousandths = (seconds: number) => Number(seconds.toFixed(3))

const paint: Paint = (x: number, y: number, index: number) => [x < 4 * index ? 210 : 30, 60 + y, 120]
const operations = [{ type: 'flip', horizontal: true }]
const reordered = { g: '60', bf: '3', 'x264-params': 'b-adapt=0' }

// An MP4 stores intervals between decoding times. If frames are reordered, libav assigns a gap to the wrong frame.
for (const container of ['mp4', 'mov'] as const) {
  test(`a gap between reordered frames does not lengthen a video, wherever the gap is in ${container.toUpperCase()} [videos.process.2]`, async () => {
    for (const last of [8, 9, 10, 11, 25, 26, 27, 28, 29]) {
      const times = Array.from({ length: FRAMES }, (_, index) => index * FRAME_MS + (index < last ? 0 : GAP_MS))
      const file = await folder.clip({ container, width: 128, height: 64, times, encoder: reordered, paint })
      const made = await folder.run(processVideo, file, container === 'mp4' ? 'MP4' : 'MOV', { operations })
      assert.equal(made.data['duration'], LENGTH_MS / 1000, `the gap is before frame ${last}`)
      const shown = await framesOf(made.file)
      assert.deepEqual(
        shown.map(({ seconds }) => Math.round(seconds * 1000)),
        times,
      )
    }
  })
}

test('the last frame gets the duration of the previous frames if an edit list ends during the last frame [videos.process.2]', async () => {
  const file = await folder.clip({
    container: 'mov',
    width: 128,
    height: 64,
    frames: FRAMES,
    encoder: reordered,
    paint,
  })
  const bytes = await readFile(file)
  // The duration of the only entry in the edit list (ISO 14496-12, 8.6.6), in milliseconds.
  const length = bytes.indexOf('elst') + 12
  const told = bytes.readUInt32BE(length)
  bytes.writeUInt32BE(Math.round(told * (1 - 0.9 / FRAMES)), length)
  await writeFile(file, bytes)
  const made = await folder.run(processVideo, file, 'MOV', { operations })
  assert.deepEqual([made.data['duration'], made.data['frame_rate']], [(FRAMES * FRAME_MS) / 1000, 1000 / FRAME_MS])
})

test('every header of a video result has the same duration and a matching frame rate, for any frame order [videos.data.2]', async () => {
  // Display times in milliseconds with very uneven intervals. The encoder reorders these frames.
  const uneven = [0, 7, 19, 429, 463, 500, 533, 570, 1100, 1140, 1502, 1535, 1569, 1743, 1810]
  const still = [0, 4000, ...Array.from({ length: 40 }, (_, index) => 4040 + index * FRAME_MS)]
  for (const times of [uneven, uneven.slice(0, -1), uneven.slice(0, -2), uneven.slice(0, -3), still]) {
    const file = await folder.clip({ container: 'matroska', times, paint: slowly })
    const { file: made, data } = await folder.run(processVideo, file, 'MKV', { operations })
    const end = ((times.at(-1) ?? 0) + FRAME_MS) / 1000
    const headers = lengthsOf(await readFile(made))
    assert.equal(data['frame_rate'], thousandths(times.length / end))
    assert.deepEqual([data['duration'], ...headers], Array(1 + headers.length).fill(end), String(times))
    assert.deepEqual(
      (await framesOf(made)).map(({ seconds }) => thousandths(seconds)),
      times.map((ms) => ms / 1000),
    )
  }
})

test('a video whose last frames are shorter than its first frames does not become longer [videos.process.2]', async () => {
  const slow = Array.from({ length: 24 }, (_, index) => index * 1000)
  const times = [...slow, 23_010, 23_020, 23_030]
  const file = await folder.clip({ container: 'matroska', times, paint: slowly, rate: 1 })
  const { file: made, data } = await folder.run(processVideo, file, 'MKV', {
    operations,
    parameters: { max_duration: 24 },
  })
  const [movie] = lengthsOf(await readFile(made))
  assert.deepEqual([data['duration'], movie, await decodedFor(made)], [24, 24, 24])
  assert.equal(data['frame_rate'], thousandths(times.length / 24))
})

/** Returns the sum of the decoding intervals (ISO 14496-12, 8.6.1.2) in seconds. */
async function decodedFor(path: string): Promise<number> {
  const bytes = await readFile(path)
  const at = bytes.indexOf('stts') + 8
  const entries = Array.from({ length: bytes.readUInt32BE(at) }, (_, index) => at + 4 + 8 * index)
  const steps = entries.map((entry) => bytes.readUInt32BE(entry) * bytes.readUInt32BE(entry + 4))
  return thousandths(steps.reduce((sum, each) => sum + each, 0) / bytes.readUInt32BE(bytes.indexOf('mdhd') + 16))
}

/** Paints very similar frames, so that the encoder uses B-frames. */
const slowly: Paint = (x, y, index) => [x + index, y + index, 100]

/** Returns the durations in the headers (ISO 14496-12, 8.2.2 and 8.4.2) in seconds. */
function lengthsOf(bytes: Buffer): number[] {
  return ['mvhd', 'mdhd'].map((name) => {
    const at = bytes.indexOf(name)
    assert.deepEqual(bytes[at + 4], 0, 'version 0')
    return thousandths(bytes.readUInt32BE(at + 20) / bytes.readUInt32BE(at + 16))
  })
}
