import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Paint, Rgb } from '@mediamill/lab/support/video-clip'
import { counting, makeClip, quarters } from '@mediamill/lab/support/video-clip'
import type { Shown } from '@mediamill/lab/support/video-frames'
import { framesOf } from '@mediamill/lab/support/video-frames'
import { rawOf } from '../image/process-fixture.ts'
import type { AdditionalInput } from '../protocol/messages.ts'
import { processVideo } from './process.ts'
import { sharedTestFolder } from './video-fixture.ts'

const RED: Rgb = [220, 30, 30]
const GREEN: Rgb = [30, 200, 40]
const BLUE: Rgb = [30, 40, 210]
const YELLOW: Rgb = [230, 220, 40]
const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]
const PALETTE = [RED, GREEN, BLUE, YELLOW, WHITE, BLACK]

const folder = await sharedTestFolder()
await makeClip(folder.path('clip.mp4'), { container: 'mp4', frames: 6, encoder: { crf: '5' } })

async function draw(operations: Record<string, unknown>[], assets: AdditionalInput[] = []): Promise<Shown> {
  const { file, data } = await folder.run(processVideo, folder.path('clip.mp4'), 'MP4', { operations, assets })
  const frames = await framesOf(file)
  assert.equal(frames.length, 6)
  const [, , third] = frames
  assert.ok(third)
  assert.deepEqual([third.width, third.height], [data['width'], data['height']])
  return third
}

/** Asserts that each pixel is nearest to the wanted color of the palette. The codec and half-size color are lossy. */
function assertPixels(shown: Shown, pixels: readonly (readonly [x: number, y: number, wanted: Rgb])[]): void {
  for (const [x, y, wanted] of pixels) {
    const found = shown.at(x, y)
    const distance = (color: Rgb) => Math.hypot(...color.map((part, index) => part - (found[index] ?? 0)))
    const nearest = [...PALETTE, wanted].toSorted((a, b) => distance(a) - distance(b))[0]
    const message = `at ${x}, ${y}: ${found.join(' ')} instead of ${wanted.join(' ')}`
    assert.deepEqual(nearest, wanted, message)
    assert.ok(distance(wanted) < 60, message)
  }
}

const sizeOf = ({ width, height }: Shown) => [width, height]

test('crop accepts odd positions and sizes, and enlarges an odd result by one pixel [operations.crop.1, videos.process.1]', async () => {
  const shown = await draw([{ type: 'crop', x: 45, y: 29, width: 31, height: 21 }])
  assert.deepEqual(sizeOf(shown), [32, 22])
  assertPixels(shown, [
    [0, 0, RED],
    [1, 1, RED],
    [5, 1, GREEN],
    [1, 5, BLUE],
    [5, 5, YELLOW],
    [30, 20, YELLOW],
    [31, 21, YELLOW],
  ])
})

test('border adds borders of odd width to a video; a transparent border color is composited on white [operations.border.1]', async () => {
  const shown = await draw([{ type: 'border', top: 3, bottom: 4, left: 5, right: 6, color: '#0000ff80' }])
  const pale: Rgb = [127, 127, 255]
  assert.deepEqual(sizeOf(shown), [108, 72])
  assertPixels(shown, [
    [1, 36, pale],
    [50, 0, pale],
    [103, 36, pale],
    [50, 69, pale],
    [8, 6, RED],
    [98, 64, YELLOW],
  ])
})

test('resize fits the video inside a box, covers the box and crops the edges, or stretches the video to the box [operations.resize.1, operations.resize.2]', async () => {
  const inside = await draw([{ type: 'resize', width: 48, height: 48 }])
  assert.deepEqual(sizeOf(inside), [48, 32])
  assertPixels(inside, [
    [10, 8, RED],
    [40, 8, GREEN],
    [10, 26, BLUE],
    [40, 26, YELLOW],
  ])
  const filled = await draw([{ type: 'resize', width: 32, height: 64, crop_center: true }])
  assert.deepEqual(sizeOf(filled), [32, 64])
  assertPixels(filled, [
    [4, 4, RED],
    [28, 60, YELLOW],
  ])
  const stretched = await draw([{ type: 'resize', width: 40, height: 100, preserve_aspect_ratio: false }])
  assert.deepEqual(sizeOf(stretched), [40, 100])
  assertPixels(stretched, [
    [4, 90, BLUE],
    [36, 10, GREEN],
  ])
})

test('rotate turns the video clockwise by quarter turns; flips are applied after the rotation [operations.rotate.1]', async () => {
  const quarter = await draw([{ type: 'rotate', degrees: 90 }])
  assert.deepEqual(sizeOf(quarter), [64, 96])
  assertPixels(quarter, [
    [8, 8, BLUE],
    [56, 8, RED],
    [8, 88, YELLOW],
    [56, 88, GREEN],
  ])
  assertPixels(await draw([{ type: 'rotate', degrees: -90 }]), [
    [8, 8, GREEN],
    [56, 8, YELLOW],
  ])
  assertPixels(await draw([{ type: 'rotate', degrees: 180, flip_horizontal: true }]), [
    [8, 8, BLUE],
    [88, 8, YELLOW],
  ])
})

test('rotate by any angle enlarges the canvas of a video, and makes the new corners white [operations.rotate.2]', async () => {
  const shown = await draw([{ type: 'rotate', degrees: 30 }])
  // 96 cos 30° + 64 sin 30° = 115, and 96 sin 30° + 64 cos 30° = 103. Each side increases by 1 to be even.
  assert.deepEqual(sizeOf(shown), [116, 104])
  assertPixels(shown, [
    [2, 2, WHITE],
    [112, 2, WHITE],
    [2, 100, WHITE],
    [112, 100, WHITE],
    [57, 20, RED],
    [85, 60, GREEN],
    [30, 42, BLUE],
    [57, 82, YELLOW],
  ])
})

test('flip mirrors a video in both directions [operations.flip.1]', async () => {
  assertPixels(await draw([{ type: 'flip', horizontal: true }]), [
    [8, 8, GREEN],
    [88, 60, BLUE],
  ])
  assertPixels(await draw([{ type: 'flip', vertical: true }]), [
    [8, 8, BLUE],
    [88, 60, GREEN],
  ])
})

test('grayscale removes the color of a video [operations.grayscale.1]', async () => {
  const shown = await draw([{ type: 'grayscale' }])
  for (const [x, y] of [
    [8, 8],
    [88, 8],
    [8, 60],
    [88, 60],
  ] as const) {
    const [red, green, blue] = shown.at(x, y)
    assert.ok(Math.max(red, green, blue) - Math.min(red, green, blue) <= 3, `${red} ${green} ${blue}`)
  }
  assert.ok(shown.at(88, 60)[0] > shown.at(8, 60)[0] + 60, 'yellow is brighter than blue')
})

test('each operation runs on the result of the previous operation [operations.list.1]', async () => {
  const shown = await draw([
    { type: 'crop', x: 0, y: 0, width: 48, height: 32 },
    { type: 'border', top: 0, bottom: 0, left: 16, right: 0, color: '00ff00' },
    { type: 'rotate', degrees: 90 },
  ])
  assert.deepEqual(sizeOf(shown), [32, 64])
  assertPixels(shown, [
    [16, 8, [0, 255, 0]],
    [16, 40, RED],
  ])
})

async function mark(name: string, width: number, height: number, paint: (x: number, y: number) => readonly number[]) {
  const path = folder.path(name)
  const { size } = await rawOf(width, height, paint).png().toFile(path)
  return { url: `https://example.com/${name}`, path, format: 'PNG', size } as const
}

test('the video engine draws a watermark at odd positions, half transparent, clipped at the edges [operations.watermark.1]', async () => {
  const solid = await mark('solid.png', 15, 11, () => [255, 255, 255, 255])
  const shown = await draw([{ type: 'watermark', image_url: solid.url, x: 7, y: 5 }], [solid])
  assertPixels(shown, [
    [9, 7, WHITE],
    [20, 14, WHITE],
    [3, 10, RED],
    [26, 10, RED],
    [14, 19, RED],
  ])
  const half = await mark('half.png', 40, 40, () => [0, 0, 0, 128])
  const darker = await draw([{ type: 'watermark', image_url: half.url, x: 76, y: 44 }], [half])
  assertPixels(darker, [
    [90, 60, [115, 110, 20]],
    [70, 60, YELLOW],
  ])
  const outside = await draw([{ type: 'watermark', image_url: solid.url, x: -20, y: 0 }], [solid])
  assertPixels(outside, [[2, 2, RED]])
})

test('gravity and scale place and size a watermark relative to the video frame', async () => {
  const solid = await mark('anchored.png', 32, 16, () => [255, 255, 255, 255])
  const anchored = { type: 'watermark', image_url: solid.url, x: 4, y: 4, gravity: 'south_east', scale: 25 }
  // The frame is 96 × 64, so the watermark is 16 × 8, from (76, 52) to (92, 60).
  assertPixels(await draw([anchored], [solid]), [
    [78, 54, WHITE],
    [90, 58, WHITE],
    [72, 56, YELLOW],
    [94, 62, YELLOW],
  ])
})

test('the video engine tiles a watermark right and down, and draws its diagonal lines from corner to corner [operations.watermark.2, operations.watermark.3]', async () => {
  const dot = await mark('dot.png', 8, 8, () => [255, 255, 255, 255])
  const tiling = { type: 'watermark', image_url: dot.url, x: 4, y: 4, tile_spacing_x: 40, tile_spacing_y: 24 }
  const tiled = await draw([tiling], [dot])
  assertPixels(tiled, [
    [8, 8, WHITE],
    [48, 8, WHITE],
    [88, 8, WHITE],
    [8, 32, WHITE],
    [88, 56, WHITE],
    [24, 8, RED],
    [8, 20, RED],
  ])
  const none = await mark('none.png', 2, 2, () => [0, 0, 0, 0])
  const lines = { type: 'watermark', image_url: none.url, x: 0, y: 0, diagonal_lines_color: '#000000' }
  const large = await draw([{ type: 'resize', width: 960, height: 640 }, lines], [none])
  assertPixels(large, [
    [480, 320, BLACK],
    [240, 160, BLACK],
    [240, 480, BLACK],
    [240, 300, RED],
  ])
})

test('the video engine draws a watermark on a rotated, cropped frame of odd size at its position in the cropped frame [operations.list.1, operations.watermark.1]', async () => {
  const solid = await mark('corner.png', 12, 12, () => [255, 255, 255, 255])
  const shown = await draw(
    [
      { type: 'crop', x: 1, y: 1, width: 61, height: 41 },
      { type: 'watermark', image_url: solid.url, x: 49, y: 29 },
      { type: 'rotate', degrees: 90 },
    ],
    [solid],
  )
  // The watermark fills the lower right corner, which a quarter turn moves to the lower left.
  assert.deepEqual(sizeOf(shown), [42, 62])
  assertPixels(shown, [
    [2, 58, WHITE],
    [9, 51, WHITE],
    [2, 44, BLUE],
    [20, 56, GREEN],
  ])
})

test('the video engine draws several watermarks in order between other operations [operations.list.1]', async () => {
  const white = await mark('white.png', 10, 10, () => [255, 255, 255, 255])
  const black = await mark('black.png', 10, 10, () => [0, 0, 0, 255])
  const shown = await draw(
    [
      { type: 'watermark', image_url: white.url, x: 10, y: 10 },
      { type: 'watermark', image_url: black.url, x: 15, y: 10 },
      { type: 'flip', horizontal: true },
      { type: 'watermark', image_url: white.url, x: 10, y: 10 },
    ],
    [white, black],
  )
  assertPixels(shown, [
    [15, 15, WHITE],
    [83, 15, WHITE],
    [75, 15, BLACK],
    [60, 15, RED],
  ])
})

test('if the operations of a video have no effect, every packet is copied unchanged', async () => {
  const striped: Paint = (x, y) => (x % 7 === 0 ? [255, 255, 255] : quarters(96, 64)(x, y, 0))
  await makeClip(folder.path('striped.mp4'), { container: 'mp4', frames: 12, paint: striped, sound: ['aac'] })
  const operations = [
    { type: 'rotate', degrees: 360 },
    { type: 'flip' },
    { type: 'crop', x: 0, y: 0, width: 500, height: 500 },
  ]
  const { file, data } = await folder.run(processVideo, folder.path('striped.mp4'), 'MP4', { operations })
  const [before, after] = [await framesOf(folder.path('striped.mp4')), await framesOf(file)]
  assert.equal(after.length, 12)
  assert.deepEqual(data['duration'], 0.48)
  for (const [index, shown] of after.entries()) {
    for (const x of [0, 1, 6, 7, 50]) assert.deepEqual(shown.at(x, 33), before[index]?.at(x, 33))
  }
})

test('if the operations of a video have no effect, every frame of any container is kept, whether packets are copied or encoded', async () => {
  for (const [container, format, video] of [
    ['mpegts', 'MPEGTS', 'libx264'],
    ['matroska', 'MKV', 'libx264'],
    ['flv', 'FLV', 'libx264'],
    ['avi', 'AVI', 'libx264'],
    ['matroska', 'MKV', 'libx265'],
  ] as const) {
    const file = folder.path(`no-op.${container}.${video}`)
    const encoder: Record<string, string> = video === 'libx265' ? { 'x265-params': 'log-level=none' } : { bf: '2' }
    await makeClip(file, { container, video, encoder, frames: 20, sound: ['aac'], paint: counting })
    const { file: made, data } = await folder.run(processVideo, file, format, { operations: [{ type: 'flip' }] })
    const levels = (frames: readonly Shown[]) => frames.map(({ at }) => at(40, 30)[1])
    const [before, after] = [levels(await framesOf(file, format)), levels(await framesOf(made))]
    assert.equal(after.length, 20, `${format} ${video}`)
    for (const [index, level] of after.entries()) {
      assert.ok(Math.abs(level - (before[index] ?? 0)) <= 3, `${format} ${video}, frame ${index}`)
    }
    assert.deepEqual([data['codec'], data['audio_codec']], ['h264', 'aac'])
  }
})
