import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { mock, test } from 'node:test'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import type { ClipOptions, Paint } from '@mediamill/lab/support/video-clip'
import { makeClip } from '@mediamill/lab/support/video-clip'
import { AV_NOPTS_VALUE, AV_PIX_FMT_YUV420P10LE } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { CodecContext, Packet } from 'node-av/lib'
import { findFrame } from './find-frame.ts'
import { Decoder } from './libav/decoder.ts'
import { newFrame } from './libav/libav.ts'
import type { Media } from './libav/media.ts'
import { openMedia } from './libav/media.ts'
import { sharedTestFolder } from './video-fixture.ts'

const folder = await sharedTestFolder()

const MAX_PIXELS = 1_000_000
const FORMATS = { mp4: 'MP4', mov: 'MOV', matroska: 'MKV', webm: 'WEBM', mpegts: 'MPEGTS' } as const

/** A moving grid and a jumping square, so that no frame predicts the next frame. */
const moving: Paint = (x, y, index) => {
  const level = ((x + index * 3) ^ (y + index)) & 255
  const isInside = Math.abs(x - ((index * 37) % 96)) + Math.abs(y - ((index * 23) % 64)) < 12
  return isInside ? [255 - level, 40, (index * 16) & 255] : [level, (level * 3) & 255, 90]
}

function hashOf({ data, linesize, width, height, format }: Frame): string {
  const hash = createHash('md5')
  const bytes = format === AV_PIX_FMT_YUV420P10LE ? 2 : 1
  for (const [plane, rows] of (data ?? []).entries()) {
    const [across, down] = plane === 0 ? [width, height] : [width / 2, height / 2]
    for (let row = 0; row < down; row += 1) {
      const at = row * (linesize[plane] ?? 0)
      hash.update(rows.subarray(at, at + across * bytes))
    }
  }
  return hash.digest('hex')
}

async function all(media: Media): Promise<{ time: bigint; hash: string }[]> {
  using decoder = await Decoder.open('video', media.video, { threads: 1, maxPixels: MAX_PIXELS })
  using packet = new Packet()
  packet.alloc()
  using frame = newFrame()
  const seen: { time: bigint; hash: string }[] = []
  const see = (decoded: Frame) => {
    assert.notEqual(decoded.bestEffortTimestamp, AV_NOPTS_VALUE)
    seen.push({ time: decoded.bestEffortTimestamp, hash: hashOf(decoded) })
  }
  while ((await media.context.readFrame(packet)) >= 0) {
    if (packet.streamIndex === media.video.index) decoder.decode(packet, frame, see)
    packet.unref()
  }
  decoder.decode(null, frame, see)
  return seen
}

const open = async (path: string, format: VideoSourceFormat) =>
  await openMedia({ path, format, size: (await stat(path)).size }, undefined, { isHeaderEnough: true })

type Looked = Partial<ClipOptions> & { change?: (file: Buffer) => void }

async function lookAt(name: string, { change, ...options }: Looked): Promise<number> {
  const container = options.container ?? 'mp4'
  const path = folder.path(`${name}.${container}`)
  const made = { container, frames: 100, paint: moving, ...options }
  await makeClip(path, made)
  if (change !== undefined) {
    const file = await readFile(path)
    change(file)
    await writeFile(path, file)
  }
  await using whole = await open(path, FORMATS[container as keyof typeof FORMATS])
  const frames = await all(whole)
  const { num, den } = whole.video.timeBase
  const start = (Number(whole.video.startTime) * num) / den
  let decoded = 0
  for (const seconds of [0, 1, 2, 3]) {
    const until = start + seconds + 1e-6
    const wanted = frames.findLast(({ time }) => (Number(time) * num) / den <= until) ?? frames[0]
    await using media = await open(path, FORMATS[container as keyof typeof FORMATS])
    const received = mock.method(CodecContext.prototype, 'receiveFrameSync')
    using frame = await findFrame(media, seconds, MAX_PIXELS)
    decoded += received.mock.calls.filter(({ result }) => result === 0).length
    received.mock.restore()
    assert.equal(hashOf(frame), wanted?.hash, `${name} at ${seconds} s`)
  }
  return decoded
}

/** Milliseconds of 23 irregular frames per second, none exactly at a full second. */
const UNEVEN = Array.from({ length: 92 }, (_, index) => Math.round(index * 43.4 + ((index * 7) % 5) * 6))

const group = (more: string) => ({ 'x264-params': `keyint=60:min-keyint=60:scenecut=0:${more}` })

test('a screenshot finds a frame by its time in H.264 with B-frames without decoding unreferenced frames', async () => {
  const between = group('bframes=3:b-adapt=0:b-pyramid=normal')
  // The wanted frames are 25, 50, and 15 frames after a keyframe. Half of the frames in between are referenced.
  assert.ok((await lookAt('between', { encoder: between })) <= 60)
  assert.ok((await lookAt('between', { encoder: between, container: 'matroska' })) <= 60)
  assert.ok((await lookAt('uneven', { encoder: between, times: UNEVEN })) <= 60)
})

test('a screenshot decodes every frame of layered HEVC, because higher layers can refer to lower layers', async () => {
  const coded = 'keyint=40:min-keyint=40:scenecut=0:bframes=4:log-level=none'
  const layered = { video: 'libx265', encoder: { 'x265-params': `${coded}:temporal-layers=3` } }
  assert.ok((await lookAt('layers', layered)) >= 74)
  assert.ok((await lookAt('layer', { video: 'libx265', encoder: { 'x265-params': coded } })) <= 60)
})

test('a screenshot finds the same frame as full decoding, pixel by pixel, in every encoding', async () => {
  for (const [name, options] of Object.entries<Partial<ClipOptions>>({
    flat: { encoder: group('bframes=0') },
    deep: { encoder: group('bframes=8:b-adapt=0:b-pyramid=normal:ref=6') },
    strict: { encoder: group('bframes=3:b-pyramid=strict:b-adapt=0') },
    alone: { encoder: group('bframes=3:b-pyramid=none:b-adapt=0'), sound: ['aac'] },
    open: { encoder: { 'x264-params': 'keyint=20:open-gop=1:bframes=4:b-adapt=0' } },
    moved: { encoder: group('bframes=3:open-gop=1'), container: 'mov' },
    fields: { encoder: group('bframes=3:tff=1'), interlaced: true },
    uneven: { encoder: group('bframes=3'), times: UNEVEN, container: 'matroska' },
    ten: { encoder: group('bframes=3'), pixels: 'yuv420p10le' },
    stream: { encoder: group('bframes=3'), container: 'mpegts' },
    cut: { encoder: group('bframes=3'), muxer: { movflags: 'frag_keyframe+empty_moov' } },
    hevc: { video: 'libx265', encoder: { 'x265-params': 'keyint=40:bframes=4:log-level=none' } },
    leading: { video: 'libx265', encoder: { 'x265-params': 'keyint=20:open-gop=1:bframes=4:log-level=none' } },
    vp9: { video: 'libvpx-vp9', container: 'webm', encoder: { g: '40', 'auto-alt-ref': '1' } },
    mpeg4: { video: 'mpeg4', encoder: { bf: '2', g: '30' } },
  })) {
    assert.ok((await lookAt(name, options)) > 0, name)
  }
})

/** Clears the flag of an H.264 header (High profile) that announces the fields about frame order. */
function endHeaderEarly(file: Buffer): void {
  const header = file.indexOf(Buffer.from([0x67, 0x64, 0x00]))
  assert.notEqual(header, -1)
  const at = header + 8
  // In clips of this size with at most eight reference frames, the flag is at this bit.
  assert.equal((file[at] ?? 0) & 2, 2)
  file[at] = (file[at] ?? 0) - 2
}

/** Paints noise at the start, which x264 encodes without B-frames. */
const lateOrder: Paint = (x, y, index) => {
  const level =
    index < 30
      ? Math.imul((x >> 4) * 7919 + (y >> 4) * 104_729 + index * 1_299_709, 2_654_435_761) >>> 24
      : (x + index * 3) ^ (y + index)
  return [level & 255, (level * 3) & 255, 90]
}

test('a screenshot finds the right frame in a Matroska file that is reordered only after its first frames, with and without a header that declares the reordering', async () => {
  const late = 'b-bias=-100:rc-lookahead=9:sync-lookahead=0:zones=10,1000,crf=23,b-bias=100'
  const encoder = group(`bframes=7:b-adapt=1:b-pyramid=normal:ref=8:${late}`)
  await lookAt('told', { encoder, paint: lateOrder, container: 'matroska' })
  await lookAt('untold', { encoder, paint: lateOrder, container: 'matroska', change: endHeaderEarly })
})

/** Removes the distance between decoding and display, as in files converted from AVI. */
function showAsDecoded(file: Buffer): void {
  const table = file.indexOf('ctts') + 8
  assert.notEqual(table, 7)
  const entries = file.readUInt32BE(table)
  for (let entry = 0; entry < entries; entry += 1) file.writeUInt32BE(0, table + 8 + entry * 8)
}

test('if a file stores decoding times as display times, a screenshot finds the same frame as a decoder that skips no frames', async () => {
  for (const [name, coded, isHeaderShort] of [
    ['as-decoded', 'bframes=3:b-adapt=0', false],
    ['untold-as-decoded', 'bframes=16:b-adapt=0:ref=8', true],
  ] as const) {
    const path = folder.path(`${name}.mp4`)
    await makeClip(path, { container: 'mp4', frames: 100, rate: 7, paint: moving, encoder: group(coded) })
    const file = await readFile(path)
    showAsDecoded(file)
    if (isHeaderShort) endHeaderEarly(file)
    await writeFile(path, file)
    for (let seconds = 1; seconds < 14; seconds += 1) {
      await using media = await open(path, 'MP4')
      using frame = await findFrame(media, seconds, MAX_PIXELS)
      const found = hashOf(frame)
      await using again = await open(path, 'MP4')
      // For FLV, the engine skips no frames, so the frame is certainly right.
      using wanted = await findFrame({ ...again, format: 'FLV' }, seconds, MAX_PIXELS)
      assert.equal(found, hashOf(wanted), `${name} at ${seconds} s`)
    }
  }
})
