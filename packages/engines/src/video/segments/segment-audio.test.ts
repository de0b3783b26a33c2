import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import type { ClipOptions } from '@mediamill/lab/support/video-clip'
import { noise } from '@mediamill/lab/support/video-clip'
import type { SegmentsPlan } from '@mediamill/media/plan/video-segments'
import { segmentsOf } from '@mediamill/media/plan/video-segments'
import { processVideo } from '../process.ts'
import type { BenchDone, RunOptions } from '../video-fixture.ts'
import { sharedTestFolder } from '../video-fixture.ts'
import { join, makeSegments, packetsOf } from './segments-fixture.ts'

const folder = await sharedTestFolder()

const flip = { operations: [{ type: 'flip', vertical: true }] }

async function inSegments(drawn: Partial<ClipOptions>, format: VideoSourceFormat = 'MP4', options: RunOptions = flip) {
  const file = await folder.clip({
    container: 'mp4',
    sound: ['aac'],
    width: 96,
    height: 64,
    frames: 225,
    encoder: { g: '12' },
    ...drawn,
  })
  const video = { folder, file, format, options }
  return { video, ...(await makeSegments(video, 2)) }
}

async function assertSame({ video, plan, segments }: Awaited<ReturnType<typeof inSegments>>): Promise<BenchDone> {
  const joined = await join(video, plan, segments)
  assert.equal(joined.data['reason'], undefined)
  const one = await folder.run(processVideo, video.file, video.format, video.options)
  assert.deepEqual((await packetsOf(joined.file)).times, (await packetsOf(one.file)).times)
  return joined
}

const hasAudioSegment = (plan: SegmentsPlan) => segmentsOf(plan).some(({ kind }) => kind === 'audio')

test('each segment of an MP4 includes its audio, so there is no separate audio segment', async () => {
  const made = await inSegments({ sound: ['aac'] })
  assert.equal(hasAudioSegment(made.plan), false)
  await assertSame(made)
})

test('audio is a separate segment if the audio is encoded, or if the source is neither an MP4 nor a MOV', async () => {
  for (const [drawn, format] of [
    [{ container: 'mov', sound: ['pcm_s16le'] }, 'MOV'],
    [{ container: 'matroska', sound: ['aac'] }, 'MKV'],
  ] as const) {
    const made = await inSegments({ ...drawn, sound: [...drawn.sound] }, format)
    assert.equal(hasAudioSegment(made.plan), true, format)
    await assertSame(made)
  }
})

test('audio that starts several segments later than the video keeps its time', async () => {
  const made = await inSegments({ soundFrom: 5 })
  assert.equal(hasAudioSegment(made.plan), false)
  await assertSame(made)
})

test('audio that would start after max_duration is dropped', async () => {
  const made = await inSegments({ soundFrom: 5 }, 'MP4', { ...flip, parameters: { max_duration: 4 } })
  const joined = await assertSame(made)
  assert.equal(joined.data['audio_codec'], null)
})

test('the video engine does not treat a video as damaged if its audio track is longer than its video track', async () => {
  await assertSame(await inSegments({ container: 'matroska', soundTo: 12 }, 'MKV'))
})

test('a split fragmented MP4 has the same audio as an unsplit video', async () => {
  await assertSame(await inSegments({ muxer: { movflags: 'frag_keyframe+empty_moov' } }))
})

test('processing all segments of a video requests less than 1.6 times the bytes of the source', async () => {
  const large = { width: 320, height: 200, encoder: { g: '12', qp: '1', preset: 'ultrafast' }, paint: noise }
  const { video, segments } = await inSegments(large)
  const { size } = await stat(video.file)
  assert.ok(size > 8_000_000, `${size} bytes`)
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0)
  assert.ok(bytes < size * 1.6, `${bytes} of ${size}`)
})

test('the video engine rejects joining segments if the audio of a segment does not continue the audio of the previous segment', async () => {
  const { video, plan, segments } = await inSegments({})
  const [first, second, ...others] = segments
  assert.ok(first && second)
  const audio = { ...(second.data['sound'] as object), first: 1 }
  for (const other of [
    { ...second.data, sound: audio },
    { ...second.data, sound: undefined },
  ]) {
    const joined = await join(video, plan, [first, { ...second, data: other }, ...others])
    assert.equal(joined.data['is_made'], false)
    assert.match(String(joined.data['reason']), /audio/)
  }
})
