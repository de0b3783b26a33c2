import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import type { ClipOptions, Paint, Rgb } from '@mediamill/lab/support/video-clip'
import { counting, quarters } from '@mediamill/lab/support/video-clip'
import type { Shown } from '@mediamill/lab/support/video-frames'
import { framesOf } from '@mediamill/lab/support/video-frames'
import { processVideo } from './process.ts'
import { readVideo } from './read.ts'
import { screenshotVideo } from './screenshot.ts'
import { sharedTestFolder } from './video-fixture.ts'

const folder = await sharedTestFolder()

type Case = { format: VideoSourceFormat; codec: string; audio: string | null; made?: string | null; clip: ClipOptions }

const of = (
  format: VideoSourceFormat,
  container: ClipOptions['container'],
  [video, codec]: [encoder: string, codec: string],
  sounds: [encoder: string, codec: string, made?: string] | [],
  more: Partial<ClipOptions> = {},
): Case => ({
  format,
  codec,
  audio: sounds[1] ?? null,
  made: sounds[2] ?? sounds[1] ?? null,
  clip: { container, video, sound: sounds[0] === undefined ? [] : [sounds[0]], ...more },
})

/** The usual codecs of each container: libav's encoder, then the codec, then the result's audio codec if it differs. */
const CASES: Case[] = [
  of('MP4', 'mp4', ['libx264', 'h264'], ['aac', 'aac']),
  of('MP4', 'mp4', ['libx265', 'hevc'], ['libmp3lame', 'mp3'], { encoder: { 'x265-params': 'log-level=none' } }),
  of('MP4', 'mp4', ['libsvtav1', 'av1'], ['libopus', 'opus', 'aac']),
  of('MP4', 'mp4', ['mpeg4', 'mpeg4'], ['ac3', 'ac3']),
  of('MOV', 'mov', ['prores_ks', 'prores'], ['pcm_s16le', 'pcm_s16le', 'aac'], { pixels: 'yuv422p10le' }),
  of('MOV', 'mov', ['mjpeg', 'mjpeg'], ['alac', 'alac'], { pixels: 'yuvj420p' }),
  of('MKV', 'matroska', ['libx265', 'hevc'], ['flac', 'flac', 'aac'], {
    pixels: 'yuv420p10le',
    encoder: { 'x265-params': 'log-level=none' },
  }),
  of('MKV', 'matroska', ['libx264', 'h264'], ['eac3', 'eac3'], { pixels: 'yuv422p' }),
  of('MKV', 'matroska', ['libtheora', 'theora'], ['libvorbis', 'vorbis', 'aac']),
  of('WEBM', 'webm', ['libvpx', 'vp8'], ['libvorbis', 'vorbis', 'aac']),
  of('WEBM', 'webm', ['libvpx-vp9', 'vp9'], ['libopus', 'opus', 'aac']),
  of('AVI', 'avi', ['mpeg4', 'mpeg4'], ['libmp3lame', 'mp3']),
  of('AVI', 'avi', ['msmpeg4v2', 'msmpeg4v2'], ['mp2', 'mp2', 'aac']),
  of('AVI', 'avi', ['mjpeg', 'mjpeg'], ['adpcm_ms', 'adpcm_ms', 'aac'], { pixels: 'yuvj422p' }),
  of('FLV', 'flv', ['flv', 'flv1'], ['libmp3lame', 'mp3'], { sampleRate: 44_100 }),
  of('FLV', 'flv', ['libx264', 'h264'], ['aac', 'aac']),
  of('MPEG', 'mpeg', ['mpeg1video', 'mpeg1video'], ['mp2', 'mp2', 'aac']),
  of('MPEG', 'mpeg', ['mpeg2video', 'mpeg2video'], ['ac3', 'ac3']),
  of('MPEG', 'mpeg1video', ['mpeg1video', 'mpeg1video'], []),
  of('MPEGTS', 'mpegts', ['mpeg2video', 'mpeg2video'], ['mp2', 'mp2', 'aac']),
  of('MPEGTS', 'mpegts', ['libx264', 'h264'], ['aac', 'aac']),
  of('MPEGTS', 'mpegts', ['libx265', 'hevc'], ['eac3', 'eac3'], { encoder: { 'x265-params': 'log-level=none' } }),
]

const FRAMES = 30

/** A spot changes in each frame, because encoders skip equal frames. */
const paint: Paint = (x, y, index) =>
  Math.abs(x - 48) < 6 && Math.abs(y - 32) < 6 ? counting(x, y, index % 24) : quarters(96, 64)(x, y, index)

for (const { format, codec, audio, made, clip } of CASES) {
  test(`the video engine reads, renders, and processes ${format} with ${codec} and ${audio ?? 'no audio'} [sources.formats.5, videos.data.2]`, async () => {
    const file = await folder.clip({ frames: FRAMES, paint, ...clip })
    const read = await folder.run(readVideo, file, format)
    const { size, bitrate, duration, ...metadata } = read.data
    assert.deepEqual(metadata, {
      codec,
      width: 96,
      height: 64,
      frame_rate: 25,
      audio_codec: audio,
      format,
      rotation: 0,
      audio_channels: audio === null ? null : 2,
      audio_sample_rate: audio === null ? null : (clip.sampleRate ?? 48_000),
    })
    // The duration may include encoder delay and a last audio packet that ends after the video.
    assert.ok(Math.abs(Number(duration) - FRAMES / 25) < 0.15, `lasts ${duration}`)
    assert.ok(Number(size) > 0 && Math.abs(Number(bitrate) - (Number(size) * 8) / Number(duration)) < 1000)

    const shot = await folder.run(screenshotVideo, file, format, {
      parameters: { seconds: 1, output: { format: 'png' } },
    })
    assert.deepEqual([shot.data['width'], shot.data['height'], shot.data['seconds']], [96, 64, 1])

    const done = await folder.run(processVideo, file, format, { operations: [{ type: 'flip', horizontal: true }] })
    const frames = await framesOf(done.file)
    assert.equal(frames.length, FRAMES)
    for (const place of [0, 15, FRAMES - 1]) assertFlipped(frames[place])
    assert.deepEqual([done.data['codec'], done.data['audio_codec']], ['h264', made])
    assert.ok(Math.abs(Number(done.data['duration']) - FRAMES / 25) < 0.1, `lasts ${done.data['duration']}`)
  })
}

/** The flipped frame has green and red above yellow and blue. */
function assertFlipped(shown: Shown | undefined): void {
  assert.ok(shown)
  for (const [x, y, wanted] of [
    [20, 16, [30, 200, 40]],
    [76, 16, [220, 30, 30]],
    [20, 48, [230, 220, 40]],
    [76, 48, [30, 40, 210]],
  ] as [number, number, Rgb][]) {
    const found = shown.at(x, y)
    assert.ok(Math.hypot(...wanted.map((part, at) => part - (found[at] ?? 0))) < 50, `${found} instead of ${wanted}`)
  }
}
