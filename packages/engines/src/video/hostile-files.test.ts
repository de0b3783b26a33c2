import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import { makeClip } from '@mediamill/lab/support/video-clip'
import { AV_PIX_FMT_NONE } from 'node-av/constants'
import { Dictionary, FormatContext, InputFormat, Packet } from 'node-av/lib'
import { Decoder } from './libav/decoder.ts'
import { newFrame } from './libav/libav.ts'
import type { Media } from './libav/media.ts'
import { inputOptions, openMedia } from './libav/media.ts'
import { processVideo } from './process.ts'
import { screenshotVideo } from './screenshot.ts'
import { sharedTestFolder } from './video-fixture.ts'

const folder = await sharedTestFolder()
await makeClip(folder.path('ffv1.mkv'), { container: 'matroska', video: 'ffv1', frames: 3 })
await makeClip(folder.path('clip.mp4'), { container: 'mp4', frames: 3 })

async function opens(file: string, demuxer: string | undefined, options: Record<string, string | number>) {
  const context = new FormatContext()
  context.allocContext()
  const format = demuxer === undefined ? null : InputFormat.findInputFormat(demuxer)
  const result = await context.openInput(file, format, Dictionary.fromObject(options))
  if (result >= 0) await context.closeInput()
  return result >= 0
}

// libav can decode FFV1 in Matroska. Only the list of allowed decoders excludes it.
test('the video engine opens only decoders on the list of allowed decoders, even if libav supports others', async () => {
  for (const task of [processVideo, screenshotVideo]) {
    await assert.rejects(
      folder.run(task, folder.path('ffv1.mkv'), 'MKV', {
        operations: [{ type: 'grayscale' }],
        parameters: { seconds: 0, output: { format: 'png' } },
      }),
      { name: 'RequestFailure', code: 'unsupported_media', message: /ffv1/i },
    )
  }
})

test('libav opens only decoders on the list of allowed decoders to read a video header, even if the header omits values', async () => {
  const path = folder.path('ffv1.mkv')
  await using media = await openMedia({ path, format: 'MKV', size: 1 })
  assert.equal(media.video.codecpar.format, AV_PIX_FMT_NONE)
})

test('the video engine reads only the allowed number of streams from a file with more streams', async () => {
  const path = await folder.clip({
    container: 'matroska',
    frames: 2,
    sound: Array.from({ length: 70 }, () => 'aac' as const),
  })
  await using media = await openMedia({ path, format: 'MKV', size: 1 })
  assert.equal(media.context.streams.length, 64)
})

// The plan checks the size in the container's header, but each JPEG frame states its own size.
test('frames above the size limit are not decoded, even if the header states a smaller size', async () => {
  for (const [name, width] of [
    ['small.avi', 96],
    ['large.avi', 960],
  ] as const) {
    await makeClip(folder.path(name), { container: 'avi', video: 'mjpeg', pixels: 'yuvj420p', frames: 2, width })
  }
  await using small = await openMedia({ path: folder.path('small.avi'), format: 'AVI', size: 1 })
  assert.equal(await framesOf(small, 960 * 64), 2)
  assert.equal(await framesOf(small, 960 * 64 - 1), 0)
})

async function framesOf(small: Media, maxPixels: number): Promise<number> {
  await using large = await openMedia({ path: folder.path('large.avi'), format: 'AVI', size: 1 })
  using decoder = await Decoder.open('video', small.video, { threads: 1, maxPixels })
  using packet = new Packet()
  packet.alloc()
  using frame = newFrame()
  while ((await large.context.readFrame(packet)) >= 0) {
    decoder.decode(packet, frame, ({ width }) => assert.equal(width, 960))
    packet.unref()
  }
  decoder.decode(null, frame, () => {})
  return decoder.frames
}

test('the video engine rejects a list of other files that is disguised as a video', async () => {
  const path = folder.path('listed.mp4')
  await writeFile(path, `ffconcat version 1.0\nfile 'clip.mp4'\n`)
  const opening = openMedia({ path, format: 'MP4', size: 1 }).then((media) => media[Symbol.asyncDispose]())
  await assert.rejects(opening, { name: 'RequestFailure', code: 'processing_failed' })
})

test('libav opens a file only as its detected format, even if libav alone would detect another format', async () => {
  const clip = folder.path('clip.mp4')
  assert.equal(await opens(clip, undefined, inputOptions('mov', 'file')), true)
  assert.equal(await opens(clip, undefined, inputOptions('matroska', 'file')), false)
  const list = folder.path('list.mp4')
  await writeFile(list, `ffconcat version 1.0\nfile 'clip.mp4'\n`)
  assert.equal(await opens(list, undefined, {}), true, 'libav alone falls for it')
  assert.equal(await opens(list, undefined, inputOptions('mov', 'file')), false)
})

test('a file that refers to a network URL cannot make the video engine connect to a host, even if the format of the file is allowed', async () => {
  await using server = await startSourceServer()
  const list = folder.path('network.mp4')
  await writeFile(list, `ffconcat version 1.0\nfile '${server.url('/clip.mp4')}'\n`)
  const open = (options: Record<string, string | number>) => opens(list, 'concat', { ...options, safe: 0 })
  await open({ protocol_whitelist: 'file,http,tcp' })
  assert.equal(server.calls.length > 0, true, 'libav can call the server')
  server.calls.length = 0
  assert.equal(await open(inputOptions('concat,mov', 'file')), false)
  assert.equal(server.calls.length, 0)
})

test('a file that the video engine reads through the worker cannot make the engine open a second file, even if the format of the first file is allowed', async () => {
  const list = folder.path('local.mp4')
  await writeFile(list, `ffconcat version 1.0\nfile 'clip.mp4'\n`)
  assert.equal(await opens(list, 'concat', inputOptions('concat,mov', 'file')), true)
  assert.equal(await opens(list, 'concat', inputOptions('concat,mov', 'none')), false)
})
