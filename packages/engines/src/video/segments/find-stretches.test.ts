import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { framesOf } from '@mediamill/lab/support/video-frames'
import type { JobOf } from '../../protocol/messages.ts'
import { openMedia } from '../libav/media.ts'
import { makeVideo } from '../make-video.ts'
import { prepare } from '../prepare.ts'
import { processVideo } from '../process.ts'
import { draw } from '../tracks/drawing.ts'
import { PlanMismatchError } from '../tracks/segment-window.ts'
import { sharedTestFolder } from '../video-fixture.ts'
import { inStretches, join, makeSegments, packetsOf, planOfClip } from './segments-fixture.ts'

const folder = await sharedTestFolder()

const operations = [{ type: 'flip', vertical: true }]

const clip = (container: 'mp4' | 'mpegts') =>
  folder.clip({
    container,
    width: 128,
    height: 64,
    frames: 90,
    encoder: { g: '12' },
    paint: (x, y, index) => (x < index ? [210, 200, 60] : [30, 60 + y, 120]),
  })

test('a video is encoded in segments only if the video is longer than the parameter longer_than, even on a single worker', async () => {
  const file = await clip('mp4')
  const codedBy = async (cuts: object) => {
    const { file: made } = await folder.run(processVideo, file, 'MP4', { parameters: { operations, ...cuts } })
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
    { folder, file, format: 'MP4', options: { parameters: { operations, longer_than: 3.6 } } },
    0.8,
  )
  assert.equal(plan, undefined)
})

test('the video engine processes a damaged video in segments, and the result keeps most of the video', async () => {
  const file = await clip('mpegts')
  const whole = await readFile(file)
  whole.fill(0, whole.length >> 1, (whole.length >> 1) + 400)
  await writeFile(file, whole)
  const { data } = await inStretches({ folder, file, format: 'MPEGTS', options: { operations } }, 0.8)
  assert.ok(Number(data['duration']) > 3, `${data['duration']} s`)
})

const MS = 40

/** Asserts that processing a clip unsplit and split gives equal packets. */
async function madeAlike(
  times: number[],
  encoder: Record<string, string>,
  seconds: number,
  container: 'mp4' | 'matroska' = 'mp4',
) {
  const paint = (x: number, y: number, index: number) => [x < index ? 210 : 30, 60 + y, 120] as const
  const file = await folder.clip({ container, width: 128, height: 64, times, encoder, paint })
  const video = {
    folder,
    file,
    format: container === 'mp4' ? ('MP4' as const) : ('MKV' as const),
    options: { operations },
  }
  const stretched = await inStretches(video, seconds)
  const { plan, segments } = await makeSegments(video, seconds)
  const joined = await join(video, plan, segments)
  assert.equal(joined.data['reason'], undefined)
  assert.deepEqual(await packetsOf(stretched.file), await packetsOf(joined.file))
  assert.deepEqual(
    (await framesOf(stretched.file)).map((frame) => Math.round(frame.seconds * 1000)),
    times,
  )
  return { plan, duration: stretched.data['duration'] }
}

test('the video engine processes a video whose first segment is one frame of several seconds', async () => {
  const times = [0, ...Array.from({ length: 75 }, (_, index) => 3000 + index * MS)]
  const { plan } = await madeAlike(times, { g: '1' }, 3)
  assert.equal(plan.cuts[0], (3 * plan.time_base.den) / plan.time_base.num)
})

test('a frame with a stated duration longer than the video does not lengthen the video', async () => {
  // An MP4 stores intervals between decoding times, so libav assigns the gap to a frame that is displayed later.
  const times = Array.from({ length: 90 }, (_, index) => index * MS + (index < 51 ? 0 : 4000))
  const { duration } = await madeAlike(times, { g: '12', bf: '3', 'x264-params': 'b-adapt=0' }, 1)
  assert.equal(duration, (90 * MS + 4000) / 1000)
})

test('if each slide of a video lasts several seconds, every segment gets the same video header', async () => {
  const lengths = [1, 9, 2, 11, 3, 14, 1, 1, 12, 6, 9, 2, 20, 3, 5, 14]
  const times = lengths.map((_, index) => 1000 * lengths.slice(0, index).reduce((sum, seconds) => sum + seconds, 0))
  const { plan } = await madeAlike(times, { g: '1' }, 5)
  assert.ok(plan.cuts.length > 2, `${plan.cuts.length} cuts`)
})

test('players show every slide of a video whose last slides are shorter than the first slides', async () => {
  // libav ends a track at the second keyframe that, by its decoding interval, lasts until the end of the track.
  const lengths = [1, 1, 2, 9, 6, 4, 2, 2, ...Array.from({ length: 12 }, () => 0.04), 0.1, 0.1, 0.1, 0.1, 0.1]
  const times = lengths.map((_, index) =>
    Math.round(1000 * lengths.slice(0, index).reduce((sum, seconds) => sum + seconds, 0)),
  )
  for (const container of ['mp4', 'matroska'] as const) {
    const { plan } = await madeAlike(times, { g: '1' }, 0.1, container)
    assert.ok(plan.cuts.length > 5, `${plan.cuts.length} cuts`)
  }
})

test('the video engine rejects segments that require different video headers, because a file has only one header', async () => {
  const file = await clip('mp4')
  const makeIn = async (groupFrames: number[]) =>
    await folder.run(
      async (job: JobOf<'videos/process'>) => {
        await using media = await openMedia(job.input)
        const { plan } = prepare(media, job)
        const drawing = await draw(plan, job.parameters.operations, job)
        const cuts = [BigInt(media.video.timeBase.den)]
        const making = { drawing, maxSeconds: undefined, onShare: () => undefined, stretches: { cuts, groupFrames } }
        await makeVideo(job, folder.path('made.mp4'), { copying: { video: false, audio: false }, ...making })
        return { data: {}, files: [], units: 1 }
      },
      file,
      'MP4',
      { operations },
    )
  await makeIn([50, 40])
  await assert.rejects(makeIn([50, 2]), PlanMismatchError)
})
