import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Paint } from '@mediamill/lab/support/video-clip'
import type { Shown } from '@mediamill/lab/support/video-frames'
import { framesOf, openClip, packetsIn } from '@mediamill/lab/support/video-frames'
import { AV_PKT_FLAG_KEY } from 'node-av/constants'
import { processVideo } from '../process.ts'
import { sharedTestFolder } from '../video-fixture.ts'
import { join, makeSegments } from './segments-fixture.ts'

const folder = await sharedTestFolder()

const WIDTH = 192
const HEIGHT = 128

/** Paints a still image. Details that a keyframe loses stay lost until the next keyframe. */
const standing: Paint = (x, y) => {
  const grain = ((x * 7919 + y * 104_729 + ((x * y) >> 2) * 31) & 255) % 40
  return [60 + (x >> 1) + grain, 90 + (y >> 1), 160 - grain]
}

function errorOf(frame: Shown | undefined, source: Shown | undefined): number {
  assert.ok(frame && source)
  let sum = 0
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const [made, wanted] = [frame.at(x, y), source.at(x, HEIGHT - 1 - y)]
      for (const channel of [0, 1, 2] as const) sum += (made[channel] - wanted[channel]) ** 2
    }
  }
  return sum / (WIDTH * HEIGHT * 3)
}

async function keyframesOf(file: string): Promise<number[]> {
  await using media = await openClip(file)
  const isKeyframe = Array.from(packetsIn(media), (packet) => packet.hasFlags(AV_PKT_FLAG_KEY))
  return [...isKeyframe.keys()].filter((index) => isKeyframe[index])
}

test('in a still video, the first keyframe of a later segment has the same quality as the second keyframe of the unsplit video', async () => {
  const size = { width: WIDTH, height: HEIGHT }
  const file = await folder.clip({
    container: 'mp4',
    ...size,
    paint: standing,
    frames: 300,
    encoder: { g: '50', qp: '4' },
  })
  const options = { operations: [{ type: 'flip', vertical: true }] }
  const video = { folder, file, format: 'MP4' as const, options }
  const { plan, segments } = await makeSegments(video, 6)
  const joined = await join(video, plan, segments)
  const one = await folder.run(processVideo, file, 'MP4', options)
  assert.deepEqual(await keyframesOf(one.file), [0, 250])
  assert.deepEqual(await keyframesOf(joined.file), [0, 150])
  const source = await framesOf(file)
  // Checks the first and a late frame of a group. An encoder's very first group has about 1.5 times the error.
  const errors = (frames: Shown[], from: number) => [from, from + 40].map((at) => errorOf(frames[at], source[at]))
  const [made, wanted] = [errors(await framesOf(joined.file), 150), errors(await framesOf(one.file), 250)]
  const far = made.map((error, index) => error / (wanted[index] ?? 0))
  assert.ok(Math.max(...far) < 1.15, `${far.map((each) => each.toFixed(3)).join(' and ')} of one piece`)
})
