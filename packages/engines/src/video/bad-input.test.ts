import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import { failure } from '@mediamill/lab/support/failure'
import type { ClipOptions } from '@mediamill/lab/support/video-clip'
import { makeClip } from '@mediamill/lab/support/video-clip'
import { processVideo } from './process.ts'
import { readVideo } from './read.ts'
import { screenshotVideo } from './screenshot.ts'
import { sharedTestFolder } from './video-fixture.ts'

const folder = await sharedTestFolder()
await makeClip(folder.path('whole.mp4'), {
  container: 'mp4',
  frames: 100,
  sound: ['aac'],
  muxer: { movflags: '+faststart' },
})
await makeClip(folder.path('whole.mkv'), { container: 'matroska', frames: 100, sound: ['aac'] })
await makeClip(folder.path('subtitled.mkv'), { container: 'matroska', frames: 100, subtitleTo: 4 })
await makeClip(folder.path('whole.avi'), { container: 'avi', frames: 100, sound: ['libmp3lame'] })

const TASKS = { process: processVideo, read: readVideo, screenshot: screenshotVideo }

async function outcomes(bytes: Buffer, format: VideoSourceFormat, operations: object[] = [{ type: 'grayscale' }]) {
  const file = folder.path('bad')
  await writeFile(file, bytes)
  const found: Record<string, RequestFailure | 'done'> = {}
  for (const [name, task] of Object.entries(TASKS)) {
    const options = {
      parameters: { seconds: 0, output: { format: 'png' } },
      ...(name === 'process' && { operations: operations as Record<string, unknown>[] }),
    }
    found[name] = await folder.run(task, file, format, options).then(
      () => 'done' as const,
      (error: unknown) => {
        assert.ok(error instanceof RequestFailure, String(error))
        assert.doesNotMatch(error.message, /libav|ffmpeg|\/tmp|undefined|NaN/)
        return error
      },
    )
  }
  return found
}

const codesOf = (found: Record<string, RequestFailure | 'done'>) =>
  Object.values(found).map((each) => (each === 'done' ? 'done' : each.code))

const ALL_FAIL = ['processing_failed', 'processing_failed', 'processing_failed']

test('the video engine rejects processing of a video truncated in the middle, but reads its metadata and its first frames [sources.formats.3]', async () => {
  for (const [name, format] of [
    ['whole.mp4', 'MP4'],
    ['whole.mkv', 'MKV'],
    ['subtitled.mkv', 'MKV'],
    ['whole.avi', 'AVI'],
  ] as const) {
    const bytes = await readFile(folder.path(name))
    const found = await outcomes(bytes.subarray(0, bytes.length * 0.6), format)
    assert.deepEqual(codesOf(found), ['processing_failed', 'done', 'done'], format)
    assert.match((found['process'] as RequestFailure).message, /incomplete: only [\d.]+ s of 4/)
  }
})

test('a second audio track that is longer than the video does not make the video incomplete', async () => {
  for (const [container, format] of [
    ['mp4', 'MP4'],
    ['matroska', 'MKV'],
    ['avi', 'AVI'],
  ] as const) {
    const codec = container === 'avi' ? 'libmp3lame' : 'aac'
    const file = await folder.clip({ container, sound: [codec, codec], soundTo: [0.4, 4] })
    const { data } = await folder.run(processVideo, file, format, { operations: [{ type: 'grayscale' }] })
    assert.ok(Number(data['duration']) < 0.6, `${format}: ${data['duration']} s`)
  }
})

test('the video engine rejects a broadcast whose video or audio continues with another codec or in another track', async () => {
  const part = (options: Partial<ClipOptions>) =>
    folder.clip({ container: 'mpegts', frames: 50, sound: ['mp2'], ...options })
  const first = await readFile(await part({}))
  const joined = async (options: Partial<ClipOptions>) => {
    const file = folder.path('joined.ts')
    await writeFile(file, Buffer.concat([first, await readFile(await part(options))]))
    return folder.run(processVideo, file, 'MPEGTS', { operations: [{ type: 'grayscale' }] })
  }
  const changes: [string, Partial<ClipOptions>][] = [
    ['video', { video: 'mpeg2video' }],
    ['audio', { sound: ['ac3'] }],
    ['video', { muxer: { mpegts_start_pid: '600' } }],
  ]
  for (const [name, options] of changes) {
    await assert.rejects(joined(options), failure(new RegExp(`^The ${name} of the source continues with another`)))
  }
  const { data } = await joined({ width: 128, muxer: { mpegts_pmt_start_pid: '4097' } })
  assert.ok(Number(data['duration']) > 3.9, `${data['duration']} s`)
})

test('a subtitle that ends long after the video does not make a complete MKV incomplete', async () => {
  const file = await folder.clip({ container: 'matroska', frames: 50, subtitleTo: 12 })
  const { data } = await folder.run(processVideo, file, 'MKV', { operations: [{ type: 'grayscale' }] })
  assert.equal(data['duration'], 2)
})

test('the video engine rejects a file that ends within its last packet [sources.formats.3]', async () => {
  const bytes = await readFile(folder.path('whole.mp4'))
  for (const missing of [1, 3, 20]) {
    const found = await outcomes(bytes.subarray(0, -missing), 'MP4')
    assert.deepEqual(codesOf(found), ['processing_failed', 'done', 'done'], `${missing} bytes less`)
    assert.match((found['process'] as RequestFailure).message, /incomplete/)
  }
})

test('the video engine rejects a video without its index, and bytes that are not a video [sources.formats.3]', async () => {
  const bytes = await readFile(folder.path('whole.mp4'))
  const moov = bytes.indexOf('moov')
  assert.deepEqual(codesOf(await outcomes(bytes.subarray(0, moov - 4), 'MP4')), ALL_FAIL)
  assert.deepEqual(
    codesOf(await outcomes(Buffer.concat([bytes.subarray(0, 32), Buffer.alloc(50_000, 'x')]), 'MP4')),
    ALL_FAIL,
  )
  for (const format of ['MP4', 'MOV', 'WEBM', 'MKV', 'AVI', 'FLV', 'MPEG', 'MPEGTS'] as const) {
    const noise = Buffer.from(
      Array.from({ length: 40_000 }, (_, index) => (index * 7919 + (index >> 3) * 104_729) & 255),
    )
    for (const code of codesOf(await outcomes(noise, format))) {
      assert.ok(code === 'processing_failed' || code === 'unsupported_media', `${format}: ${code}`)
    }
  }
})

test('the video engine processes a video with damage in its middle, and rejects a video whose frames are all damaged [sources.formats.3]', async () => {
  const bytes = await readFile(folder.path('whole.mp4'))
  const spot = Buffer.from(bytes)
  const data = spot.indexOf('mdat') + 4
  spot.fill(0x55, data + 3000, data + 3100)
  assert.deepEqual(codesOf(await outcomes(spot, 'MP4')), ['done', 'done', 'done'])
  const all = Buffer.from(bytes)
  all.fill(0x55, data)
  assert.deepEqual(codesOf(await outcomes(all, 'MP4')), ['processing_failed', 'done', 'processing_failed'])
})

test('the video engine rejects an audio file with or without a cover image [sources.formats.2]', async () => {
  await makeClip(folder.path('cover.mp4'), { container: 'mp4', frames: 20, sound: ['aac'], cover: true })
  const covered = await folder.run(readVideo, folder.path('cover.mp4'), 'MP4')
  assert.deepEqual(
    [covered.data['codec'], covered.data['width']],
    ['h264', 96],
    'the cover is not taken for the picture',
  )
  await makeClip(folder.path('sound.mkv'), { container: 'matroska', frames: 20, sound: ['aac'] })
  // With an unknown type of the video track, the file has only audio.
  const bytes = await readFile(folder.path('sound.mkv'))
  const video = bytes.indexOf(Buffer.from([0x83, 0x81, 0x01]))
  assert.notEqual(video, -1)
  bytes[video + 2] = 0x11
  const found = await outcomes(bytes, 'MKV')
  assert.deepEqual(codesOf(found), Array(3).fill('unsupported_media'))
  assert.match((found['read'] as RequestFailure).message, /no video track/)
})

test('the video engine rejects an MP4 whose only track is audio [sources.formats.2]', async () => {
  const bytes = await readFile(folder.path('whole.mp4'))
  bytes.write('none', bytes.indexOf('vide'))
  bytes.write('none', bytes.indexOf('avc1', bytes.indexOf('stsd')))
  assert.deepEqual(codesOf(await outcomes(bytes, 'MP4')), Array(3).fill('unsupported_media'))
})

test('the video engine reads the metadata of a copy-protected video, and rejects its processing with the reason', async () => {
  const muxer = {
    encryption_scheme: 'cenc-aes-ctr',
    encryption_key: '76a6c65c5ea762046bd749a2e632ccbb',
    encryption_kid: 'a7e61c373e219033c21091fa607bf3b8',
  }
  await makeClip(folder.path('locked.mp4'), { container: 'mp4', frames: 20, muxer })
  const found = await outcomes(await readFile(folder.path('locked.mp4')), 'MP4')
  assert.deepEqual(codesOf(found), ['processing_failed', 'done', 'processing_failed'])
  assert.match((found['process'] as RequestFailure).message, /encrypted/)
})

test('the video engine rejects a video with an extreme size in its header before allocating memory, and the error states the size [limits.media.1]', async () => {
  const bytes = await readFile(folder.path('whole.mkv'))
  // PixelWidth and PixelHeight (0xB0, 0xBA) with one byte each: 96 and 64.
  const at = bytes.indexOf(Buffer.from([0xb0, 0x81, 96]))
  assert.notEqual(at, -1)
  const found = await outcomes(bytes, 'MKV', [
    { type: 'resize', width: 20_000, height: 20_000, preserve_aspect_ratio: false },
  ])
  assert.match(
    (found['process'] as RequestFailure).message,
    /20000 × 20000 pixels \(400 megapixels\); the limit is 100/,
  )
  assert.equal((found['process'] as RequestFailure).operation, 0)
  await assert.rejects(
    folder.run(processVideo, folder.path('whole.mkv'), 'MKV', {
      operations: [{ type: 'flip', horizontal: true }],
      limits: { maxFramePixels: 96 * 64 - 1 },
    }),
    /source video is 96 × 64 pixels/,
  )
  await assert.rejects(
    folder.run(processVideo, folder.path('whole.mkv'), 'MKV', {
      operations: [{ type: 'resize', width: 9000, height: 9000, preserve_aspect_ratio: false }],
    }),
    /mp4 file holds at most/,
  )
})

test('the video engine rejects a header that declares four gigapixels or a duration of years [limits.media.1]', async () => {
  await makeClip(folder.path('wide.mkv'), {
    container: 'matroska',
    video: 'mpeg4',
    width: 320,
    height: 288,
    frames: 20,
  })
  const bytes = await readFile(folder.path('wide.mkv'))
  // PixelWidth and PixelHeight with two bytes each: 320 and 288.
  const at = bytes.indexOf(Buffer.from([0xb0, 0x82, 0x01, 0x40]))
  assert.notEqual(at, -1)
  bytes.writeUInt16BE(65_535, at + 2)
  bytes.writeUInt16BE(65_535, bytes.indexOf(Buffer.from([0xba, 0x82, 0x01, 0x20])) + 2)
  assert.deepEqual(codesOf(await outcomes(bytes, 'MKV')), ['done', 'done', 'done'])
  const { data } = await folder.run(screenshotVideo, folder.path('bad'), 'MKV', {
    parameters: { seconds: 0, output: { format: 'png' } },
  })
  assert.deepEqual([data['width'], data['height']], [320, 288], 'the pictures themselves know better')
  const long = await readFile(folder.path('whole.mp4'))
  for (let header = long.indexOf('mvhd'); header !== -1; header = long.indexOf('mvhd', header + 4)) {
    long.writeUInt32BE(2 ** 31, header + 20)
  }
  for (const box of ['tkhd', 'mdhd']) {
    for (let header = long.indexOf(box); header !== -1; header = long.indexOf(box, header + 4)) {
      long.writeUInt32BE(2 ** 31, header + (box === 'tkhd' ? 24 : 20))
    }
  }
  for (const code of codesOf(await outcomes(long, 'MP4'))) assert.ok(code === 'done' || code === 'processing_failed')
})

test('the video engine stops writing a result at its size limit, and the message names the limit [limits.media.1]', async () => {
  await assert.rejects(
    folder.run(processVideo, folder.path('whole.mp4'), 'MP4', {
      operations: [{ type: 'resize', width: 1920, height: 1080, preserve_aspect_ratio: false }],
      limits: { maxResultBytes: 2000 },
    }),
    failure(/larger than 2 KB/),
  )
})

test('if the supervisor limits the size of a file to that of a result, the message names the limit [limits.media.1]', {
  skip: spawnSync('prlimit', ['--version']).error === undefined ? false : 'prlimit is not installed',
}, async () => {
  const limitFiles = (size: string) =>
    spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${size}:`], { encoding: 'utf8' })
  limitFiles('2000')
  try {
    await assert.rejects(
      folder.run(processVideo, folder.path('whole.mp4'), 'MP4', {
        operations: [{ type: 'grayscale' }],
        limits: { maxResultBytes: 2000 },
      }),
      failure(/larger than 2 KB/),
    )
  } finally {
    limitFiles('unlimited')
  }
})

test('a playlist disguised as a video opens no other file', async () => {
  const other = folder.path('whole.mp4')
  for (const text of [
    `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nfile://${other}\n#EXT-X-ENDLIST\n`,
    `ffconcat version 1.0\nfile '${other}'\n`,
    `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n`,
  ]) {
    for (const format of ['MP4', 'MPEGTS', 'AVI', 'MKV'] as const) {
      for (const code of codesOf(await outcomes(Buffer.from(text), format))) {
        assert.ok(code === 'processing_failed' || code === 'unsupported_media', `${format}: ${code}`)
      }
    }
  }
})
