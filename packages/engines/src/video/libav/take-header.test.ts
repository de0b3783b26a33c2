import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import type { ClipOptions } from '@mediamill/lab/support/video-clip'
import { openClip } from '@mediamill/lab/support/video-frames'
import { AV_PIX_FMT_NONE } from 'node-av/constants'
import { sharedTestFolder } from '../video-fixture.ts'
import { readH264Header } from './h264-header.ts'
import type { Media } from './media.ts'
import { openMedia } from './media.ts'

const folder = await sharedTestFolder()

function metadata({ context, video, audio, turn, startUs, durationSeconds }: Media) {
  const { codecpar, avgFrameRate, rFrameRate, sampleAspectRatio, startTime, duration, timeBase } = video
  const pair = ({ num, den }: { num: number; den: number }) => `${num}/${den}`
  return {
    size: [codecpar.width, codecpar.height],
    aspects: [pair(codecpar.sampleAspectRatio), pair(sampleAspectRatio)],
    rates: [pair(avgFrameRate), pair(rFrameRate), pair(timeBase)],
    times: [startTime, duration, context.duration, context.startTime, startUs],
    delay: codecpar.videoDelay,
    sound: audio && [audio.codecpar.codecId, audio.codecpar.sampleRate, audio.codecpar.channels, audio.startTime],
    turn,
    durationSeconds,
  }
}

async function openBoth(name: string, options: Partial<ClipOptions>) {
  const container = name.endsWith('mov') ? 'mov' : name.endsWith('mkv') ? 'matroska' : 'mp4'
  const file = await folder.clip({ container, frames: 30, ...options })
  const format = { mov: 'MOV', matroska: 'MKV', mp4: 'MP4' } as const
  const input = { path: file, format: format[container], size: (await stat(file)).size }
  await using whole = await openMedia(input)
  await using quick = await openMedia(input, undefined, { isHeaderEnough: true })
  return { whole: metadata(whole), quick: metadata(quick), pixels: quick.video.codecpar.format }
}

const SEEN: Record<string, Partial<ClipOptions>> = {
  'plain.mp4': {},
  'sound.mp4': { sound: ['aac'] },
  'moved.mov': { sound: ['aac'], matrix: [0, 1, -1, 0] },
  'flat.mp4': { encoder: { bf: '0' } },
  'base.mp4': { encoder: { profile: 'baseline' } },
  'deep.mp4': { encoder: { bf: '5', 'x264-params': 'b-pyramid=normal:ref=4' }, sound: ['aac'] },
  'odd.mp4': { width: 98, height: 70 },
  'wide.mp4': { pixelAspect: { num: 16, den: 11 } },
  'own.mp4': { pixelAspect: { num: 7, den: 5 } },
  'fields.mp4': { interlaced: true, height: 68, encoder: { 'x264-params': 'tff=1' } },
  'ten.mp4': { pixels: 'yuv420p10le' },
  'two.mp4': { pixels: 'yuv422p', height: 70 },
  'late.mp4': { sound: ['aac'], times: Array.from({ length: 20 }, (_, index) => 500 + index * 40) },
  'uneven.mp4': { times: [0, 10, 90, 100, 300, 320, 900, 910, 1500, 1600] },
}

test('the H.264 header of an MP4 gives the same values as a decoded frame, without decoding a frame', async () => {
  for (const [name, options] of Object.entries(SEEN)) {
    const { whole, quick, pixels } = await openBoth(name, options)
    assert.deepEqual(quick, whole, name)
    assert.equal(pixels, AV_PIX_FMT_NONE, name)
  }
})

test('the pixel aspect comes from the H.264 header of an MP4, even if the header has only the number of a standard aspect', async () => {
  const aspects = '1/1 12/11 10/11 16/11 40/33 24/11 20/11 32/11 80/33 18/11 15/11 64/33 160/99 4/3 3/2 2/1 7/5'
  for (const aspect of aspects.split(' ')) {
    const [num = 0, den = 0] = aspect.split('/').map(Number)
    const { quick } = await openBoth('aspect.mp4', { frames: 2, width: 32, height: 32, pixelAspect: { num, den } })
    assert.deepEqual(quick.aspects, [aspect, aspect])
  }
})

test('the video engine decodes a frame if the header does not contain all values', async () => {
  for (const [name, options] of Object.entries<Partial<ClipOptions>>({
    'other.mkv': {},
    'full.mp4': { pixels: 'yuv444p' },
    'cut.mp4': { muxer: { movflags: 'frag_keyframe+empty_moov' } },
    'four.mp4': { video: 'mpeg4' },
    'covered.mp4': { cover: true },
  })) {
    const { whole, quick, pixels } = await openBoth(name, options)
    assert.deepEqual(quick, whole, name)
    assert.notEqual(pixels, AV_PIX_FMT_NONE, name)
  }
})

test('the video engine reads the frame order from an H.264 header with or without color fields', async () => {
  for (const [name, options] of Object.entries<Partial<ClipOptions>>({
    'ordered.mp4': {},
    'colored.mp4': { encoder: { 'x264-params': 'colorprim=bt709:transfer=bt709:colormatrix=bt709' } },
  })) {
    await using media = await openClip(await folder.clip({ container: 'mp4', frames: 2, ...options }))
    assert.equal(readH264Header(media.video.codecpar.extradata ?? Buffer.alloc(0))?.hasOutputOrder, true, name)
  }
})
