import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import type { ClipOptions, Paint } from '@mediamill/lab/support/video-clip'
import { noise } from '@mediamill/lab/support/video-clip'
import type { Shown } from '@mediamill/lab/support/video-frames'
import { framesOf } from '@mediamill/lab/support/video-frames'
import { AV_CODEC_FLAG_INTERLACED_DCT, AV_CODEC_FLAG_INTERLACED_ME } from 'node-av/constants'
import sharp from 'sharp'
import { processVideo } from '../process.ts'
import type { RunOptions } from '../video-fixture.ts'
import { sharedTestFolder } from '../video-fixture.ts'
import { inStretches, join, makeSegments, packetsOf, planOfClip, segmentOf } from './segments-fixture.ts'

const folder = await sharedTestFolder()

// With AVX-512, libx264 reads past rows of other widths, so encodings of flat images differ.
const WIDTH = 128
const HEIGHT = 64

/** The position of the moving edge identifies the frame. */
const moving: Paint = (x, y, index) => (x < index % WIDTH ? [210, 200, 60] : [30, 60 + y, 120])

const FLIP = [{ type: 'flip', vertical: true }]

const clip = (options: ClipOptions) =>
  folder.clip({ paint: moving, width: WIDTH, height: HEIGHT, frames: 90, ...options })

type EncodeStrategy = { format?: VideoSourceFormat; seconds?: number; options?: RunOptions }

async function bothOrders(
  file: string,
  { format = 'MP4', seconds = 0.8, options = { operations: FLIP } }: EncodeStrategy = {},
) {
  const video = { folder, file, format, options }
  const { plan, segments } = await makeSegments(video, seconds)
  assert.deepEqual(
    segments.filter(({ data }) => data['is_made'] !== true).map(({ data }) => data['reason']),
    [],
  )
  const joined = await join(video, plan, segments)
  assert.equal(joined.data['reason'], undefined)
  const stretched = await inStretches(video, seconds)
  return { plan, segments, joined, stretched, one: await folder.run(processVideo, file, format, options) }
}

function edgeOf({ at }: Shown, { width, height }: { width: number; height: number }): number {
  let edge = 0
  while (edge < width && at(edge, height >> 1)[0] > 120) edge += 1
  return edge
}

function distance(a: Shown, b: Shown): { mean: number; most: number } {
  const apart: number[] = []
  for (let y = 2; y < a.height; y += 6) {
    for (let x = 2; x < a.width; x += 3) {
      const [left, right] = [a.at(x, y), b.at(x, y)]
      for (const channel of [0, 1, 2] as const) apart.push(Math.abs(left[channel] - right[channel]))
    }
  }
  return { mean: apart.reduce((sum, each) => sum + each, 0) / apart.length, most: Math.max(...apart) }
}

type Both = Awaited<ReturnType<typeof bothOrders>>

// The maximum mean difference, and the maximum of one pixel, which may be in the ringing next to the edge.
const MEAN = 4
const MAX_ERROR = 80

async function assertAlike({ joined, stretched, one }: Both): Promise<void> {
  const packets = await packetsOf(joined.file)
  const { times, coded } = await packetsOf(stretched.file)
  assert.deepEqual(times, packets.times, 'packets')
  if (Number(joined.data['width']) % WIDTH === 0) assert.deepEqual(coded, packets.coded, 'pictures')
  assert.deepEqual({ ...stretched.data, size: 0, bitrate: 0 }, { ...joined.data, size: 0, bitrate: 0 })
  const [wanted, made] = [await framesOf(one.file), await framesOf(joined.file)]
  assert.deepEqual(
    made.map(({ seconds }) => seconds),
    wanted.map(({ seconds }) => seconds),
    'times',
  )
  const far = made.flatMap((frame, index) => {
    const other = wanted[index]
    if (other === undefined) return [`frame ${index} is too many`]
    const { mean, most } = distance(frame, other)
    return mean > MEAN || most > MAX_ERROR ? [`frame ${index} by ${mean.toFixed(1)}, ${most}`] : []
  })
  assert.deepEqual(far, [], 'frames')
  assert.deepEqual(
    made.map((frame) => edgeOf(frame, frame)),
    wanted.map((frame) => edgeOf(frame, frame)),
    'edges',
  )
  // The decoding times of the last frames depend on which frames refer to each other.
  const { video: _video, ...others } = (await packetsOf(one.file)).times
  const { video: _ofSegments, ...expected } = packets.times
  assert.deepEqual(others, expected)
  const { size: _size, bitrate: _bitrate, ...metadata } = one.data
  const { size: _joined, bitrate: _rate, ...of } = joined.data
  assert.deepEqual(of, metadata)
  assert.equal(joined.units, one.units)
}

const GROUPS = { g: '12' }
/** Paints noise that differs in each frame, so that encoded frames are large. */
const noisy =
  (amount: number): Paint =>
  (x, y, index) => {
    const [level] = noise(x, y, index)
    const [red, green, blue] = moving(x, y, index)
    return [red - (level % amount), green, blue + (level % amount)]
  }

const X265 = { 'x265-params': 'log-level=none:keyint=12:min-keyint=12:open-gop=1:bframes=3' }

const CASES: Record<string, [VideoSourceFormat, ClipOptions]> = {
  'MP4 with B-frames': ['MP4', { container: 'mp4', sound: ['aac'], encoder: { ...GROUPS, bf: '3' } }],
  'MP4 with open groups': [
    'MP4',
    { container: 'mp4', sound: ['libmp3lame'], encoder: { 'x264-params': 'open-gop=1:keyint=12:bframes=4:b-adapt=0' } },
  ],
  'HEVC with open groups': ['MP4', { container: 'mp4', video: 'libx265', sound: ['ac3'], encoder: X265 }],
  'HEVC in 10 bits': [
    'MKV',
    { container: 'matroska', video: 'libx265', sound: ['flac'], pixels: 'yuv420p10le', encoder: X265 },
  ],
  'H.264 in MKV without sound': ['MKV', { container: 'matroska', encoder: GROUPS }],
  'ProRes in MOV': ['MOV', { container: 'mov', video: 'prores_ks', sound: ['pcm_s16le'], pixels: 'yuv422p10le' }],
  'VP8 in WebM': ['WEBM', { container: 'webm', video: 'libvpx', sound: ['libvorbis'], encoder: GROUPS }],
  'VP9 in WebM': ['WEBM', { container: 'webm', video: 'libvpx-vp9', sound: ['libopus'], encoder: GROUPS }],
  AVI: ['AVI', { container: 'avi', video: 'mpeg4', sound: ['libmp3lame'], encoder: GROUPS }],
  'AVI with B-frames': ['AVI', { container: 'avi', sound: ['libmp3lame'], encoder: { ...GROUPS, bf: '2' } }],
  FLV: ['FLV', { container: 'flv', sound: ['aac'], encoder: { ...GROUPS, bf: '2' } }],
  'a transport stream': ['MPEGTS', { container: 'mpegts', sound: ['aac'], encoder: { ...GROUPS, bf: '2' } }],
  'a program stream': [
    'MPEG',
    // The frames are large, because a keyframe has its own time only if it fills a whole packet.
    {
      container: 'mpeg',
      video: 'mpeg2video',
      sound: ['mp2'],
      encoder: { ...GROUPS, bf: '2', qmin: '1', qmax: '1' },
      width: 192,
      height: 128,
      paint: noisy(24),
    },
  ],
}

for (const [name, [format, options]] of Object.entries(CASES)) {
  test(`a split video has the same frames, times, and audio as an unsplit video: ${name}`, async () => {
    const both = await bothOrders(await clip(options), { format })
    assert.ok(both.plan.cuts.length >= 2, `${both.plan.cuts.length} cuts`)
    await assertAlike(both)
  })
}

test('frames at uneven times keep their times across cuts', async () => {
  const times = Array.from({ length: 90 }, (_, index) => index * 40 + (index % 3) * 13 + (index > 50 ? 400 : 0))
  const both = await bothOrders(
    await clip({ container: 'mp4', times, sound: ['aac'], encoder: { ...GROUPS, bf: '3' } }),
  )
  await assertAlike(both)
})

test('the video engine corrects gaps in the timestamps equally in every segment', async () => {
  const of: ClipOptions = { container: 'mpegts', sound: ['aac'], encoder: GROUPS, frames: 60 }
  const first = await readFile(await clip(of))
  const second = await readFile(await clip({ ...of, muxer: { output_ts_offset: '4000' } }))
  const file = folder.path('jumps.ts')
  await writeFile(file, Buffer.concat([first, second]))
  const both = await bothOrders(file, { format: 'MPEGTS' })
  assert.ok(both.plan.jumps.length > 0, 'there are cuts behind the jump')
  await assertAlike(both)
})

test('the video engine deinterlaces frames at a cut with the same result as in an unsplit video', async () => {
  const prepare: ClipOptions['prepare'] = (context) =>
    context.setFlags(AV_CODEC_FLAG_INTERLACED_DCT, AV_CODEC_FLAG_INTERLACED_ME)
  const clipped = { container: 'mp4', video: 'mpeg2video', interlaced: true, encoder: { ...GROUPS, b: '4M' } } as const
  const both = await bothOrders(await clip({ ...clipped, prepare }))
  assert.equal(both.plan.isInterlaced, true)
  await assertAlike(both)
})

test('a rotated video, its watermark, and its border are the same in every segment', async () => {
  const mark = folder.path('mark.png')
  await sharp({ create: { width: 20, height: 20, channels: 3, background: '#ff0040' } })
    .png()
    .toFile(mark)
  const { size } = await stat(mark)
  const operations = [
    { type: 'watermark', image_url: 'https://example.com/mark.png', x: 4, y: 30 },
    { type: 'rotate', degrees: 90 },
  ]
  const assets = [{ url: 'https://example.com/mark.png', path: mark, format: 'PNG' as const, size }]
  const file = await clip({ container: 'mp4', sound: ['aac'], encoder: GROUPS, matrix: [0, 1, -1, 0] })
  await assertAlike(await bothOrders(file, { options: { operations, assets } }))
})

test('max_duration ends the last segment exactly where it would end an unsplit video', async () => {
  const file = await clip({ container: 'mp4', sound: ['aac'], encoder: GROUPS })
  const both = await bothOrders(file, { options: { operations: FLIP, parameters: { max_duration: 3 } } })
  assert.equal(both.joined.data['duration'], 3)
  await assertAlike(both)
})

for (const [container, format] of [
  ['mp4', 'MP4'],
  ['matroska', 'MKV'],
] as const) {
  test(`max_duration ends AC-3 audio at the same time in split and unsplit videos: ${format}`, async () => {
    const file = await clip({ container, sound: ['ac3'], encoder: GROUPS })
    const options = { operations: FLIP, parameters: { max_duration: 3 } }
    await assertAlike(await bothOrders(file, { format, options }))
  })
}

test('the last segment of a video is complete if another track is longer', async () => {
  const file = await clip({ container: 'matroska', sound: ['aac', 'aac'], soundTo: [3.6, 12], encoder: GROUPS })
  await assertAlike(await bothOrders(file, { format: 'MKV' }))
})

test('the video engine requests only the bytes of the source that a segment needs', async () => {
  const large = { width: 320, height: 200, frames: 150, paint: noisy(150) }
  const file = await clip({ container: 'mp4', ...large, encoder: { g: '12', qp: '1', preset: 'ultrafast' } })
  const video = { folder, file, format: 'MP4' as const, options: { operations: FLIP } }
  const plan = await planOfClip(video, 0.9)
  assert.ok(plan)
  const { size } = await stat(file)
  assert.ok(size > 8_000_000, `${size} bytes`)
  const { bytes, data } = await segmentOf(video, plan, 2)
  assert.equal(data['is_made'], true)
  assert.ok(bytes < size * 0.5, `${bytes} of ${size}`)
})

test('a video stays unsplit if it has no index, has no timestamps, is too short, or is copied without encoding', async () => {
  const options = { operations: FLIP }
  const plan = async (file: string, format: VideoSourceFormat, more: RunOptions = options) =>
    await planOfClip({ folder, file, format, options: more }, 0.8)
  const avi = await clip({ container: 'avi', video: 'mpeg4', encoder: GROUPS })
  const bytes = await readFile(avi)
  const bare = folder.path('no-index.avi')
  await writeFile(bare, bytes.subarray(0, bytes.lastIndexOf('idx1')))
  assert.equal(await plan(bare, 'AVI'), undefined)
  assert.equal(await plan(await clip({ container: 'mpeg1video', video: 'mpeg1video' }), 'MPEG'), undefined)
  assert.equal(await plan(await clip({ container: 'mp4', frames: 30, encoder: GROUPS }), 'MP4'), undefined)
  const plain = await clip({ container: 'mp4', encoder: GROUPS })
  assert.equal(await plan(plain, 'MP4', { operations: [{ type: 'flip' }] }), undefined)
  assert.notEqual(await plan(plain, 'MP4'), undefined)
})

test('the video engine rejects a segment whose plan is invalid', async () => {
  const file = await clip({ container: 'mp4', sound: ['aac'], encoder: GROUPS })
  const video = { folder, file, format: 'MP4' as const, options: { operations: FLIP } }
  const plan = await planOfClip(video, 0.8)
  assert.ok(plan)
  const [first = 0, ...others] = plan.cuts
  const wrong = {
    'another size': { ...plan, size: plan.size + 1 },
    'another further file': { ...plan, assets: ['0'.repeat(64)] },
    'a cut between two frames': { ...plan, cuts: [first + 1, ...others] },
    'another time base': { ...plan, time_base: { num: 1, den: plan.time_base.den * 2 } },
  }
  for (const [name, each] of Object.entries(wrong)) {
    for (const segment of [0, 1]) {
      const { data, files } = await segmentOf(video, each, segment)
      assert.deepEqual([data['is_made'], typeof data['reason'], files], [false, 'string', []], `${name}: ${segment}`)
    }
  }
})

test('the video engine rejects joining segments if a segment does not start where the previous segment ends', async () => {
  const file = await clip({ container: 'mp4', encoder: GROUPS })
  const { plan, segments } = await bothOrders(file)
  const video = { folder, file, format: 'MP4' as const, options: {} }
  const [first, second, ...others] = segments
  assert.ok(first && second)
  const swapped = await join(video, plan, [second, first, ...others])
  assert.equal(swapped.data['is_made'], false)
  const larger = await folder.run(processVideo, file, 'MP4', {
    operations: [{ type: 'resize', width: 48, height: 32 }],
  })
  const mixed = await join(video, plan, [first, { ...second, files: larger.files }, ...others])
  assert.equal(mixed.data['is_made'], false)
})
