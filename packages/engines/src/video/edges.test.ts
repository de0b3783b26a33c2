import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import type { ExpectedImage } from '@mediamill/lab/support/expected-image'
import { evened, expectedImage } from '@mediamill/lab/support/expected-image'
import type { ClipOptions, Rgb } from '@mediamill/lab/support/video-clip'
import type { Shown } from '@mediamill/lab/support/video-frames'
import { framesOf } from '@mediamill/lab/support/video-frames'
import { AVCOL_PRI_BT2020, AVCOL_SPC_BT2020_NCL, AVCOL_TRC_ARIB_STD_B67, AVCOL_TRC_SMPTE2084 } from 'node-av/constants'
import sharp from 'sharp'
import { processVideo } from './process.ts'
import { screenshotVideo } from './screenshot.ts'
import { sharedTestFolder } from './video-fixture.ts'

type Source = { file: string; format: VideoSourceFormat; frame: ExpectedImage }

const MARK = { width: 15, height: 11, at: (): Rgb => [0, 0, 0] }
const folder = await sharedTestFolder()
const path = folder.path('mark.png')
const { size } = await sharp({ create: { ...MARK, channels: 3, background: '#000' } })
  .png()
  .toFile(path)
const mark = { url: 'https://example.com/mark.png', path, format: 'PNG' as const, size }

/**
 * Returns an image whose rows and columns each differ by 3 or 4 levels from its neighbors, so that a lost row is
 * noticed.
 */
const slope = (width: number, height: number): ExpectedImage => ({
  width,
  height,
  at(x, y) {
    const [right, down] = [x / (width - 1), y / (height - 1)]
    return [30 + 190 * right, 30 + 190 * down, 220 - 95 * right - 95 * down]
  },
})

async function source(width: number, height: number, more: Partial<ClipOptions> = {}): Promise<Source> {
  const frame = slope(width, height)
  const isEven = (width + height) % 2 === 0 && width % 2 === 0
  const coding = isEven
    ? ({ container: 'mp4', encoder: { crf: '3' } } as const)
    : ({ container: 'webm', video: 'libvpx-vp9', encoder: { crf: '4', b: '0', deadline: 'realtime' } } as const)
  const file = await folder.clip({ ...coding, width, height, frames: 1, paint: frame.at, ...more })
  return { file, format: isEven ? 'MP4' : 'WEBM', frame }
}

const watermark = (x: number, y: number) => ({ type: 'watermark', image_url: 'https://example.com/mark.png', x, y })
const border = (top: number, bottom: number, left: number, right: number) => {
  return { type: 'border', top, bottom, left, right, color: 'fff' }
}
const stretch = (width: number, height: number) => ({ type: 'resize', width, height, preserve_aspect_ratio: false })

// In levels of 255. A black line differs by more than 60. Half-size color, filters, and the codec differ by up to 12.
const MAX_EDGE_ERROR = 16
// An image shifted by a pixel differs by three or four levels in the mean. Codec errors cancel out.
const MAX_MEAN_ERROR = 2.9

const OPERATIONS = [
  stretch(80, 50),
  stretch(71, 50),
  { type: 'resize', width: 71, height: 71 },
  { type: 'resize', width: 61, height: 61, crop_center: true },
  { type: 'crop', x: 6, y: 4, width: 52, height: 32 },
  { type: 'crop', x: 5, y: 3, width: 51, height: 33 },
  border(4, 6, 8, 4),
  border(5, 4, 7, 6),
  { type: 'rotate', degrees: 90 },
  { type: 'rotate', degrees: 30 },
  { type: 'flip', horizontal: true },
  { type: 'flip', vertical: true },
  { type: 'grayscale' },
  watermark(7, 5),
]

async function assertDrawn({ file, format, frame }: Source, operations: Record<string, unknown>[]): Promise<void> {
  const done = await folder.run(processVideo, file, format, { operations, assets: [mark] })
  const [shown] = await framesOf(done.file)
  assert.ok(shown)
  const wanted = evened(expectedImage(frame, operations as { type: string }[], MARK))
  const what = `${frame.width}×${frame.height} ${JSON.stringify(operations)}`
  assert.deepEqual([shown.width, shown.height], [wanted.width, wanted.height], what)
  for (const { line, error, allowed } of errorsOf(shown, wanted)) {
    assert.ok(error <= allowed, `${what}: ${line} is off by ${error.toFixed(1)} levels`)
  }
}

type LineError = { line: string; error: number; allowed: number }

function* errorsOf(shown: Shown, wanted: ExpectedImage): Generator<LineError> {
  const { width, height } = wanted
  const columns = Array.from({ length: width }, (_, x) => x)
  const rows = Array.from({ length: height }, (_, y) => y)
  const pixels = rows.map((y) => columns.map((x) => wanted.at(x, y)))
  const at = (x: number, y: number) => pixels[y]?.[x] ?? [0, 0, 0]
  const differences = (places: (readonly [x: number, y: number])[]) =>
    places
      .filter(([x, y]) => isSmooth({ width, height, at }, x, y))
      .map(([x, y]) => difference(shown.at(x, y), at(x, y)))
  const edge = (line: string, places: (readonly [x: number, y: number])[]): LineError => {
    return { line, error: mean(differences(places).map(largest)), allowed: MAX_EDGE_ERROR }
  }
  for (const y of [0, 1, height - 2, height - 1]) {
    yield edge(
      `row ${y}`,
      columns.map((x) => [x, y]),
    )
  }
  for (const x of [0, 1, width - 2, width - 1]) {
    yield edge(
      `column ${x}`,
      rows.map((y) => [x, y]),
    )
  }
  const all = differences(rows.flatMap((y) => columns.map((x) => [x, y] as const)))
  const error = largest([
    mean(all.map(([red]) => red)),
    mean(all.map(([, green]) => green)),
    mean(all.map(([, , blue]) => blue)),
  ])
  if (all.length > 0.75 * width * height) yield { line: 'the whole', error, allowed: MAX_MEAN_ERROR }
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
const difference = (a: Rgb, b: Rgb): Rgb => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
const largest = (color: Rgb) => Math.max(...color.map(Math.abs))

/** Returns whether no sharp edge is within three pixels, where half-size color and the codec blur the image. */
function isSmooth({ width, height, at }: ExpectedImage, x: number, y: number): boolean {
  const within = (place: number, length: number) => Math.min(length - 1, Math.max(0, place))
  const [left, right] = [within(x - 3, width), within(x + 3, width)]
  const [top, bottom] = [within(y - 3, height), within(y + 3, height)]
  const around = [at(left, top), at(x, top), at(right, top), at(left, y), at(right, y), at(left, bottom), at(x, bottom)]
  return [...around, at(right, bottom)].every((color) => largest(difference(color, at(x, y))) <= 40)
}

test('each operation keeps the pixels at all four edges of a video correct, for sources of even and odd size [videos.process.1]', async () => {
  for (const [width, height] of [
    [64, 44],
    [63, 44],
    [64, 43],
    [63, 43],
  ] as const) {
    const drawn = await source(width, height)
    for (const operation of [...OPERATIONS, watermark(width - 14, height - 10)]) await assertDrawn(drawn, [operation])
  }
})

test('two operations in a row keep the pixels at all four edges of a video correct [videos.process.1]', async () => {
  for (const [width, height] of [
    [64, 44],
    [63, 43],
  ] as const) {
    const drawn = await source(width, height)
    for (const first of OPERATIONS) for (const second of OPERATIONS) await assertDrawn(drawn, [first, second])
  }
})

test('a high dynamic range video of odd size keeps the brightness of its last column and row', async () => {
  for (const transfer of [AVCOL_TRC_SMPTE2084, AVCOL_TRC_ARIB_STD_B67]) {
    const { file } = await source(63, 43, {
      container: 'matroska',
      pixels: 'yuv420p10le',
      paint: () => [140, 140, 140],
      prepare(context) {
        context.colorTrc = transfer
        context.colorPrimaries = AVCOL_PRI_BT2020
        context.colorSpace = AVCOL_SPC_BT2020_NCL
      },
    })
    const done = await folder.run(processVideo, file, 'MKV', { operations: [{ type: 'grayscale' }] })
    const shot = await folder.run(screenshotVideo, file, 'MKV', {
      parameters: { seconds: 0, output: { format: 'png' } },
    })
    const [shown] = await framesOf(done.file)
    assert.ok(shown)
    const still = await sharp(shot.file).extract({ left: 0, top: 0, width: 63, height: 43 }).raw().toBuffer()
    const [level] = shown.at(10, 10)
    for (const [x, y] of [
      [62, 10],
      [63, 10],
      [10, 42],
      [10, 43],
      [63, 43],
    ] as const) {
      assert.ok(
        largest(difference(shown.at(x, y), [level, level, level])) <= 6,
        `${shown.at(x, y)} at ${x}, ${y}, not ${level}`,
      )
    }
    for (const [x, y] of [
      [62, 10],
      [10, 42],
      [62, 42],
    ] as const) {
      const found = still[(y * 63 + x) * 3] ?? 0
      assert.ok(Math.abs(found - level) <= 6, `${found} at ${x}, ${y} of the still, not ${level}`)
    }
  }
})
