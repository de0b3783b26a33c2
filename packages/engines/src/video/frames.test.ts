import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import type { ClipOptions, Rgb } from '@mediamill/lab/support/video-clip'
import type { Shown } from '@mediamill/lab/support/video-frames'
import { framesOf } from '@mediamill/lab/support/video-frames'
import {
  AVCOL_PRI_BT709,
  AVCOL_PRI_BT2020,
  AVCOL_SPC_BT709,
  AVCOL_SPC_BT2020_CL,
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_SMPTE170M,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_BT709,
  AVCOL_TRC_LOG,
  AVCOL_TRC_LOG_SQRT,
  AVCOL_TRC_SMPTE2084,
} from 'node-av/constants'
import sharp from 'sharp'
import { openMedia } from './libav/media.ts'
import { processVideo } from './process.ts'
import { readVideo } from './read.ts'
import { screenshotVideo } from './screenshot.ts'
import { sharedTestFolder } from './video-fixture.ts'

const RED: Rgb = [220, 30, 30]
const GREEN: Rgb = [30, 200, 40]
const BLUE: Rgb = [30, 40, 210]
const YELLOW: Rgb = [230, 220, 40]

const folder = await sharedTestFolder()

const clip = (options: ClipOptions) => folder.clip({ frames: 4, ...options })

/** Changes pixels outside the tested area, so that the video is encoded and not copied. */
const touch = [{ type: 'border', top: 0, bottom: 2, left: 0, right: 0, color: '000000' }]

async function process(file: string, format: VideoSourceFormat): Promise<Shown[]> {
  return await framesOf((await folder.run(processVideo, file, format, { operations: touch })).file)
}

async function screenshot(file: string, format: VideoSourceFormat, output: 'png' | 'jpg' = 'png'): Promise<Shown> {
  const parameters = { seconds: 0, output: { format: output } }
  const shot = await folder.run(screenshotVideo, file, format, { parameters })
  const { data, info } = await sharp(shot.file).raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number): Rgb => {
    const place = (y * info.width + x) * 3
    return [data[place] ?? 0, data[place + 1] ?? 0, data[place + 2] ?? 0]
  }
  return { seconds: 0, width: info.width, height: info.height, at }
}

function assertNear(found: Rgb, wanted: Rgb, within = 30): void {
  assert.ok(Math.hypot(...wanted.map((part, at) => part - (found[at] ?? 0))) < within, `${found} instead of ${wanted}`)
}

test('the video engine applies and reports the container’s rotation and flip before the first operation [videos.data.2]', async () => {
  // Matrix, rotation, and displayed corners from the top left. The stored frame is red, green above blue, yellow.
  const cases = [
    [[1, 0, 0, 1], 0, [RED, GREEN, BLUE, YELLOW]],
    [[0, 1, -1, 0], 90, [BLUE, RED, YELLOW, GREEN]],
    [[-1, 0, 0, -1], 180, [YELLOW, BLUE, GREEN, RED]],
    [[0, -1, 1, 0], 270, [GREEN, YELLOW, RED, BLUE]],
    [[-1, 0, 0, 1], 0, [GREEN, RED, YELLOW, BLUE]],
    [[0, 1, 1, 0], 270, [RED, BLUE, GREEN, YELLOW]],
    [[1, 0, 0, -1], 180, [BLUE, YELLOW, RED, GREEN]],
    [[0, -1, -1, 0], 90, [YELLOW, GREEN, BLUE, RED]],
  ] as const
  for (const [matrix, rotation, [topLeft, topRight, bottomLeft, bottomRight]] of cases) {
    const file = await clip({ container: 'mp4', matrix })
    const isTurned = matrix[0] === 0
    const [width, height] = isTurned ? [64, 96] : [96, 64]
    const { data } = await folder.run(readVideo, file, 'MP4')
    assert.deepEqual([data['width'], data['height'], data['rotation']], [width, height, rotation], String(matrix))
    const shown = (await process(file, 'MP4'))[1]
    assert.ok(shown)
    assert.deepEqual([shown.width, shown.height], [width, height + 2])
    for (const frame of [shown, await screenshot(file, 'MP4')]) {
      assertNear(frame.at(10, 10), topLeft)
      assertNear(frame.at(width - 10, 10), topRight)
      assertNear(frame.at(10, height - 10), bottomLeft)
      assertNear(frame.at(width - 10, height - 10), bottomRight)
    }
  }
})

test('the video engine scales non-square pixels to square pixels, even in rotated videos, and ignores absurd pixel ratios [videos.data.3]', async () => {
  for (const [pixelAspect, matrix, size] of [
    [{ num: 16, den: 11 }, [1, 0, 0, 1], [140, 64]],
    [{ num: 4, den: 3 }, [0, 1, -1, 0], [64, 128]],
    [{ num: 1, den: 2 }, [1, 0, 0, 1], [48, 64]],
    [{ num: 1000, den: 1 }, [1, 0, 0, 1], [96, 64]],
  ] as const) {
    const file = await clip({ container: 'mov', pixelAspect, matrix })
    const { data } = await folder.run(readVideo, file, 'MOV')
    assert.deepEqual([data['width'], data['height']], size)
    const { width, height } = await screenshot(file, 'MOV')
    assert.deepEqual([width, height], size)
    const [, shown] = await process(file, 'MOV')
    assert.deepEqual([shown?.width, shown?.height], [size[0], size[1] + 2])
  }
})

test('the video engine keeps colors of 8 and 10 bits, full and subsampled chroma, and limited and full range', async () => {
  for (const [pixels, video] of [
    ['yuv420p', 'libx264'],
    ['yuvj420p', 'libx264'],
    ['yuv422p', 'libx264'],
    ['yuv444p', 'libx264'],
    ['yuv420p10le', 'libx264'],
    ['yuv422p10le', 'libx264'],
    ['yuv444p10le', 'prores_ks'],
  ] as const) {
    const file = await clip({ container: 'mov', pixels, video })
    const [, shown] = await process(file, 'MOV')
    assert.ok(shown)
    for (const frame of [shown, await screenshot(file, 'MOV'), await screenshot(file, 'MOV', 'jpg')]) {
      assertNear(frame.at(20, 16), RED)
      assertNear(frame.at(70, 16), GREEN)
      assertNear(frame.at(20, 48), BLUE)
      assertNear(frame.at(70, 48), YELLOW)
    }
  }
})

test('gray keeps its brightness in a screenshot and gets no tint', async () => {
  for (const level of [40, 113, 200]) {
    const file = await clip({ container: 'mov', paint: () => [level, level, level], encoder: { crf: '1' } })
    for (const format of ['png', 'jpg'] as const) {
      const found = (await screenshot(file, 'MOV', format)).at(20, 20)
      assert.ok(
        Math.max(...found.map((part) => Math.abs(part - level))) <= 1,
        `${found} instead of ${level} in ${format}`,
      )
    }
  }
})

/** The left part has the signal level `code` of 255, and the right part half of it. */
const hdr = (transfer: typeof AVCOL_TRC_SMPTE2084, code: number): ClipOptions => ({
  container: 'matroska',
  video: 'libx264',
  pixels: 'yuv420p10le',
  paint: (x) => (x < 48 ? [code, code, code] : [code / 2, code / 2, code / 2]),
  prepare(context) {
    context.colorTrc = transfer
    context.colorPrimaries = AVCOL_PRI_BT2020
    context.colorSpace = AVCOL_SPC_BT2020_NCL
  },
})

test('the video engine converts high dynamic range to SDR, and labels the result as SDR', async () => {
  // Reference white is 58 % of the signal in PQ, and 75 % in HLG (ITU-R BT.2408). In SDR, it is nearly white.
  for (const [transfer, code] of [
    [AVCOL_TRC_SMPTE2084, 148],
    [AVCOL_TRC_ARIB_STD_B67, 191],
  ] as const) {
    const file = await clip(hdr(transfer, code))
    const done = await folder.run(processVideo, file, 'MKV', { operations: [{ type: 'flip' }] })
    const [, shown] = await framesOf(done.file)
    assert.ok(shown)
    const [white, dark] = [shown.at(20, 30), shown.at(76, 30)]
    assert.ok(white[1] > 150 && white[1] <= 255, `paper white is ${white}`)
    assert.ok(dark[1] < white[1] - 60 && dark[1] > 5, `half the signal is ${dark}`)
    assert.ok(Math.max(...white) - Math.min(...white) < 12, 'a gray stays gray')
    await using media = await openMedia({ path: done.file, format: 'MP4', size: Number(done.data['size']) })
    const { colorTrc, colorPrimaries, colorSpace, format } = media.video.codecpar
    assert.deepEqual(
      [colorTrc, colorPrimaries, colorSpace, format],
      [AVCOL_TRC_BT709, AVCOL_PRI_BT709, AVCOL_SPC_BT709, 0],
    )
    assertNear((await screenshot(file, 'MKV')).at(20, 30), white)
  }
})

test('the video engine uses the matrix of a BT.2020 video, even if it is the matrix of an SDR video', async () => {
  const file = await clip({
    container: 'matroska',
    video: 'libx264',
    paint: (x) => (x < 48 ? [100, 180, 80] : [190, 90, 80]),
    prepare(context) {
      context.colorPrimaries = AVCOL_PRI_BT2020
      context.colorSpace = AVCOL_SPC_SMPTE170M
    },
  })
  const [shown] = await process(file, 'MKV')
  assert.ok(shown)
  // Both colors on a BT.709 display with gamma 2.4 (ITU-R BT.1886).
  assertNear(shown.at(20, 30), [0, 187, 54], 6)
  assertNear(shown.at(76, 30), [228, 60, 74], 6)
})

test('the video engine processes a video with BT.2020 constant luminance, and a gray stays gray', async () => {
  const file = await clip({
    container: 'matroska',
    video: 'libx264',
    paint: () => [128, 128, 128],
    prepare(context) {
      context.colorSpace = AVCOL_SPC_BT2020_CL
    },
  })
  const [shown] = await process(file, 'MKV')
  assert.ok(shown)
  assertNear(shown.at(20, 30), [128, 128, 128], 6)
  assertNear((await screenshot(file, 'MKV')).at(20, 30), [128, 128, 128], 6)
})

test('the video engine processes videos whose color tags have a logarithmic transfer or unknown numbers', async () => {
  const cases: [video: string, tags: Partial<Record<'colorSpace' | 'colorPrimaries' | 'colorTrc', number>>][] = [
    ['libx264', { colorTrc: AVCOL_TRC_LOG }],
    ['libx264', { colorTrc: AVCOL_TRC_LOG_SQRT }],
    ['mpeg2video', { colorTrc: 127 }],
    ['mpeg2video', { colorPrimaries: 127 }],
    ['mpeg2video', { colorSpace: 127 }],
  ]
  for (const [video, tags] of cases) {
    const file = await clip({ container: 'mpegts', video, prepare: (context) => void Object.assign(context, tags) })
    const [shown] = await process(file, 'MPEGTS')
    assert.ok(shown)
    for (const frame of [shown, await screenshot(file, 'MPEGTS')]) {
      assertNear(frame.at(20, 16), RED)
      assertNear(frame.at(70, 48), YELLOW)
    }
  }
})

test('the video engine deinterlaces frames: moving objects have no comb-shaped edges', async () => {
  // Odd lines show the moving bar 8 pixels further than even lines.
  const file = await clip({
    container: 'mpegts',
    video: 'mpeg2video',
    frames: 10,
    width: 256,
    paint: (x, y, index) => (Math.abs(x - 20 - 16 * index - (y % 2) * 8) < 6 ? [255, 255, 255] : [0, 0, 0]),
    encoder: { flags: '+ildct+ilme', b: '8000000' },
    interlaced: true,
  })
  const combs = (shown: Shown) => {
    let found = 0
    for (let y = 8; y < 56; y += 1) {
      for (let x = 4; x < 252; x += 1) {
        const [above, here, below] = [shown.at(x, y - 1)[1], shown.at(x, y)[1], shown.at(x, y + 1)[1]]
        if (Math.abs(above - here) > 100 && Math.abs(here - below) > 100 && Math.abs(above - below) < 40) found += 1
      }
    }
    return found
  }
  const source = (await framesOf(file, 'MPEGTS'))[5]
  const shown = (await process(file, 'MPEGTS'))[5]
  assert.ok(source && shown)
  assert.ok(combs(source) > 300, `the source has ${combs(source)}`)
  assert.ok(combs(shown) < combs(source) / 5, `${combs(shown)} of ${combs(source)} are left`)
  const still = await screenshot(file, 'MPEGTS')
  assert.ok(combs(still) < combs(source) / 5, `${combs(still)} of ${combs(source)} are left in a screenshot`)
})

test('the video engine scales frames of different sizes to the size of the first frame', async () => {
  const small = await clip({ container: 'mpegts', frames: 30, sound: ['aac'] })
  const large = await clip({ container: 'mpegts', frames: 30, sound: ['aac'], width: 192, height: 128 })
  const file = folder.path('resized.ts')
  await writeFile(file, Buffer.concat([await readFile(small), await readFile(large)]))
  const frames = await process(file, 'MPEGTS')
  assert.ok(frames.length >= 58, `${frames.length} frames`)
  for (const shown of [frames[2], frames.at(-1)]) {
    assert.ok(shown)
    assert.deepEqual([shown.width, shown.height], [96, 66])
    assertNear(shown.at(20, 16), RED)
    assertNear(shown.at(70, 48), YELLOW)
  }
})

test('garbage collection after a video job never frees the same memory twice', () => {
  // `open2Sync` with a dictionary would end this process with a segmentation fault.
  const script = `
    import { openTestFolder } from '${join(import.meta.dirname, 'video-fixture.ts')}'
    import { processVideo } from '${join(import.meta.dirname, 'process.ts')}'
    import { screenshotVideo } from '${join(import.meta.dirname, 'screenshot.ts')}'
    await using folder = await openTestFolder()
    const file = await folder.clip({ container: 'matroska', sound: ['flac'] })
    for (let round = 0; round < 3; round += 1) {
      await folder.run(processVideo, file, 'MKV', { operations: [{ type: 'grayscale' }] })
      await folder.run(screenshotVideo, file, 'MKV', { parameters: { seconds: 0, output: { format: 'jpg' } } })
      for (let times = 0; times < 3; times += 1) { gc(); await new Promise(setImmediate) }
    }
    console.log('whole')`
  const args = ['--expose-gc', '--input-type=module', '-e', script]
  assert.equal(execFileSync(globalThis.process.execPath, args, { encoding: 'utf8' }).trim(), 'whole')
})
