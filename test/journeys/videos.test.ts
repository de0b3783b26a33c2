import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { startService } from '../support/service.ts'
import { startSourceServer } from '../support/source-server.ts'
import { makeClip, type Rgb } from '../support/video-clip.ts'
import { framesOf } from '../support/video-frames.ts'

const folder = await mkdtemp(join(tmpdir(), 'mediamill-videos-'))
const sources = await startSourceServer()
const service = await startService({ allowed: [sources.host] })
after(async () => {
  await service[Symbol.asyncDispose]()
  await sources[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

await makeClip(join(folder, 'clip.mp4'), { container: 'mp4', sound: ['aac'], frames: 50 })
sources.files.set('/clip.mp4', await readFile(join(folder, 'clip.mp4')))
sources.files.set(
  '/mark.png',
  await sharp({ create: { width: 20, height: 20, channels: 3, background: '#ffffff' } })
    .png()
    .toBuffer(),
)

const source = sources.url('/clip.mp4')

test('a video is processed from the call to the file behind the link, and billed by its started minutes [4.2]', async () => {
  const operations = [
    { type: 'crop', x: 0, y: 0, width: 60, height: 40 },
    { type: 'watermark', image_url: sources.url('/mark.png'), x: 0, y: 0 },
  ]
  const request = await service.finish('/v1/videos/process', { source, operations })
  assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
  const { size, bitrate, ...facts } = request.result.data
  assert.deepEqual(facts, {
    duration: 2,
    codec: 'h264',
    width: 60,
    height: 40,
    frame_rate: 25,
    audio_codec: 'aac',
    format: 'MP4',
  })
  assert.equal(request.price.micro_usd, 20_000)
  const file = join(folder, 'result.mp4')
  await writeFile(file, Buffer.from(await (await fetch(request.result.files[0].url)).arrayBuffer()))
  const frames = await framesOf(file)
  assert.equal(frames.length, 50)
  assert.ok(isNear(frames[25]?.at(10, 10), [255, 255, 255]), String(frames[25]?.at(10, 10)))
  assert.ok(isNear(frames[25]?.at(35, 10), [220, 30, 30]), String(frames[25]?.at(35, 10)))
})

test('the facts of a video are told, and a picture of a moment is made [4.2]', async () => {
  const read = await service.finish('/v1/videos/read', { source })
  assert.equal(read.status, 'succeeded', JSON.stringify(read.error))
  assert.deepEqual([read.result.data.width, read.result.data.audio_channels, read.result.files ?? []], [96, 2, []])
  const shot = await service.finish('/v1/videos/screenshot', { source, seconds: 1, output: { format: 'png' } })
  assert.equal(shot.status, 'succeeded', JSON.stringify(shot.error))
  assert.deepEqual([shot.result.data.width, shot.result.data.seconds, shot.result.data.format], [96, 1, 'PNG'])
})

const isNear = (found: Rgb | undefined, wanted: Rgb) =>
  found !== undefined && found.every((part, index) => Math.abs(part - (wanted[index] ?? 0)) <= 12)
