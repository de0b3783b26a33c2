import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImageOutputFormat } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import { failure } from '@mediamill/lab/support/failure'
import { describeWeights, weightOf } from '../steps/image-steps.ts'
import type { ImageSource } from './image.ts'
import { planImage } from './image.ts'
import { checkMark } from './image-budget.ts'

const limits = { maxFramePixels: 100_000_000, maxSourcePixels: 400_000_000 }
const photo: ImageSource = { format: 'JPEG', width: 400, height: 300, orientation: 1, frames: 1 }

type Options = { source?: Partial<ImageSource>; format?: ImageOutputFormat; marks?: Map<string, Size> }

function plan(operations: object[], { source = {}, format = 'png', marks = new Map() }: Options = {}) {
  return planImage(operationsSchema('image').parse(operations), { ...photo, ...source }, { format, limits, marks })
}
const sizeOf = (operations: object[], options?: Options) => Object.values(plan(operations, options).size)
test('a resize can fit inside, stretch, or fill its box, and can enlarge the image [operations.resize.1, operations.resize.2]', () => {
  const resize = (width: number, height: number, how = {}) => sizeOf([{ type: 'resize', width, height, ...how }])
  assert.deepEqual(resize(200, 200), [200, 150])
  assert.deepEqual(resize(4000, 900), [1200, 900])
  assert.deepEqual(resize(1, 20_000), [1, 1])
  assert.deepEqual(resize(77, 200, { preserve_aspect_ratio: false }), [77, 200])
  assert.deepEqual(resize(77, 200, { crop_center: true }), [77, 200])
  assert.deepEqual(resize(500, 20, { preserve_aspect_ratio: false, crop_center: true }), [500, 20])
})

test('a thumbnail has the requested width in proportion, and fits inside a box if height is set [operations.thumbnail.1]', () => {
  assert.deepEqual(sizeOf([{ type: 'thumbnail', width: 100 }]), [100, 75])
  assert.deepEqual(sizeOf([{ type: 'thumbnail', width: 4000, height: 30 }]), [40, 30])
})

test('a rotation enlarges the image to fit, and a quarter turn swaps its sides [operations.rotate.2]', () => {
  const rotate = (degrees: number) => sizeOf([{ type: 'rotate', degrees }])
  for (const degrees of [90, -90, 270, -270]) assert.deepEqual(rotate(degrees), [300, 400])
  for (const degrees of [0, 180, -180, 360, -360]) assert.deepEqual(rotate(degrees), [400, 300])
  // 400 cos 30° + 300 sin 30° = 496.4, 400 sin 30° + 300 cos 30° = 459.8
  for (const degrees of [30, -30, 210, -210]) assert.deepEqual(rotate(degrees), [496, 460])
})

test('orient swaps the sides if the EXIF orientation is a quarter turn; a second orient changes nothing [operations.orient.1]', () => {
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8] as const) {
    const expected = orientation >= 5 ? [300, 400] : [400, 300]
    assert.deepEqual(sizeOf([{ type: 'orient' }], { source: { orientation } }), expected)
    assert.deepEqual(sizeOf([{ type: 'orient' }, { type: 'orient' }], { source: { orientation } }), expected)
  }
})

test('a border adds its widths to the image, and a crop is trimmed to the image [operations.border.1, operations.crop.1]', () => {
  const border = { type: 'border', top: 1, bottom: 20, left: 300, right: 2000, color: '#000' }
  assert.deepEqual(sizeOf([border]), [2700, 321])
  // If the code subtracted one of two equal widths instead of adding it, the size would not change.
  const around = (widths: object) =>
    sizeOf([{ type: 'border', top: 0, bottom: 0, left: 0, right: 0, color: '#000', ...widths }])
  assert.deepEqual(
    [around({ top: 2, bottom: 2 }), around({ left: 2, right: 2 })],
    [
      [400, 304],
      [404, 300],
    ],
  )
  assert.deepEqual(
    [around({ top: 2, left: 2 }), around({ bottom: 2, right: 2 })],
    [
      [402, 302],
      [402, 302],
    ],
  )
  assert.deepEqual(sizeOf([{ type: 'crop', x: 399, y: 100, width: 50, height: 50 }]), [1, 50])
})

test('a crop outside the image fails with the index of its operation and the size of the image [operations.crop.1, errors.failures.2]', () => {
  const flip = { type: 'flip', horizontal: true }
  for (const [x, y] of [
    [400, 0],
    [0, 300],
  ]) {
    assert.throws(
      () => plan([flip, { type: 'crop', x, y, width: 5, height: 5 }]),
      failure(/outside the image, which is 400 × 300 pixels/, 1),
    )
  }
})

test('the planner accepts a source at the pixel limits, and rejects one pixel more [limits.media.2]', () => {
  const flip = [{ type: 'flip' }]
  plan(flip, { source: { width: 10_000, height: 10_000 } })
  assert.throws(
    () => plan(flip, { source: { width: 10_001, height: 10_000 } }),
    failure(/10001 × 10000 pixels .* the limit is 100 megapixels/),
  )
  plan(flip, { source: { format: 'GIF', width: 1000, height: 1000, frames: 400 }, format: 'jpg' })
  assert.throws(
    () => plan(flip, { source: { format: 'GIF', width: 1000, height: 1000, frames: 401 }, format: 'jpg' }),
    failure(/401 frames .* the limit is 400 megapixels/),
  )
})

test('an intermediate image at the pixel limit is accepted, and a larger image fails with the index of its operation [limits.media.1]', () => {
  const down = { type: 'resize', width: 10, height: 10 }
  const up = (width: number) => ({ type: 'resize', width, height: 10_000, preserve_aspect_ratio: false })
  plan([down, up(10_000), down])
  assert.throws(
    () => plan([down, up(10_001), down]),
    failure(/operations\[1\] \(resize\) .* 10001 × 10000 .* limit is 100 megapixels/, 1),
  )
  const animation = { source: { format: 'GIF', frames: 100 }, format: 'gif' } as const
  plan([{ type: 'resize', width: 2000, height: 2000, preserve_aspect_ratio: false }], animation)
  assert.throws(
    () => plan([{ type: 'resize', width: 2001, height: 2000, preserve_aspect_ratio: false }], animation),
    failure(/100 frames of 2001 × 2000/, 0),
  )
})

test('a watermark image at the pixel limit of a frame is accepted, and one pixel more fails with the index of its operation [operations.watermark.1]', () => {
  checkMark({ width: 10_000, height: 10_000 }, limits, 3)
  assert.throws(
    () => checkMark({ width: 10_001, height: 10_000 }, limits, 3),
    failure(/watermark image is 10001 × 10000 .* the limit is 100 megapixels/, 3),
  )
})

test('an image enlarged beyond the limit before a crop fails with the index of its operation', () => {
  const fill = (width: number) => [{ type: 'resize', width, height: 1, crop_center: true }]
  const source = { width: 1, height: 1000 }
  plan(fill(10_000), { source })
  assert.throws(() => plan(fill(10_001), { source }), failure(/before trimming it; the limit is 10000000 per side/, 0))
})

test('a result that is too large for its output format fails before the source is decoded [limits.media.4]', () => {
  const wide = (width: number) => [{ type: 'resize', width, height: 1, preserve_aspect_ratio: false }]
  const frames = (width: number) =>
    Array.from({ length: 17 }, () => ({ type: 'border', top: 0, bottom: 0, left: 2000, right: 2000, color: '#fff' }))
      .concat(wide(width) as never[])
      .toReversed()
  plan(wide(16_383), { format: 'webp' })
  assert.throws(() => plan(wide(16_384), { format: 'webp' }), failure(/a webp file holds at most 16,383 per side/, 0))
  assert.throws(() => plan(frames(1000), { format: 'jpg' }), failure(/a jpg file/, 17))
  assert.throws(() => plan(frames(1000), { format: 'gif' }), failure(/a gif file/, 17))
  assert.equal(plan(frames(1000), { format: 'png' }).size.width, 69_000)
})

test('overlapping watermark copies count toward the work limit only if their spacing is not a whole number', () => {
  const marks = new Map([['m', { width: 1000, height: 1000 }]])
  const tiled = (step: number) => [
    { type: 'watermark', image_url: 'm', x: 0, y: 0, tile_spacing_x: step, tile_spacing_y: step },
  ]
  plan(tiled(1), { marks })
  plan(tiled(0.5), { marks })
  plan(tiled(20.5), { marks })
  assert.throws(() => plan(tiled(1.5), { marks }), failure(/a wider tile spacing/, 0))
  // The limit is 2,000 megapixels: 20 overlapping copies on the largest image, but not 21.
  const laid = (width: number, height: number) =>
    plan([{ type: 'watermark', image_url: 'm', x: 0, y: 0, tile_spacing_x: 2.5, tile_spacing_y: 2.5 }], {
      source: { width: 10_000, height: 10_000 },
      marks: new Map([['m', { width, height }]]),
    })
  laid(10, 12)
  assert.throws(() => laid(17, 7), failure(/to 2100 megapixels/, 0))
})

test('the total cost of operations is limited: on the largest image, 20 cheap or 10 expensive operations are accepted [limits.media.3]', () => {
  const largest = { source: { width: 10_000, height: 10_000 } }
  const times = (count: number, operation: { type: string }) => Array.from({ length: count }, () => operation)
  const cutout = { type: 'remove_background', tolerance: 10, blur: 10 }
  plan(times(20, { type: 'grayscale' }), largest)
  plan(times(10, cutout), largest)
  assert.throws(() => plan(times(11, cutout), largest), failure(/2200 megapixels .* limit is 2000 megapixels/, 10))
  plan([...times(2, { type: 'grayscale' }), ...times(9, cutout)], largest)
  assert.throws(() => plan([...times(3, { type: 'grayscale' }), ...times(9, cutout)], largest), failure(/2100/, 11))
})

test('the error for too much work names the operations whose pixels count twice toward the work limit [limits.media.3]', () => {
  const largest = { source: { width: 10_000, height: 10_000 } }
  const cutouts = Array.from({ length: 11 }, () => ({ type: 'remove_background', tolerance: 10 }))
  assert.throws(
    () => plan(cutouts, largest),
    failure(/\(resizes, rotations other than quarter turns, filters, and cutouts count twice/, 10),
  )
  assert.equal(describeWeights(), 'resizes, rotations other than quarter turns, filters, and cutouts count twice')
})

test('a rotation counts twice toward the work limit, unless its angle is a multiple of 90° [limits.media.3]', () => {
  const weights = [90, 180, 1, 45.5].map((degrees) => weightOf({ step: 'turn', degrees }))
  assert.deepEqual(weights, [1, 1, 2, 2])
})

test('encoding a gif counts toward the total cost [limits.media.3]', () => {
  const largest = { source: { width: 10_000, height: 10_000 }, format: 'gif' } as const
  const gray = (count: number) => Array.from({ length: count }, () => ({ type: 'grayscale' }))
  plan(gray(17), largest)
  assert.throws(
    () => plan(gray(18), largest),
    failure(/needs 2100 megapixels .* is 2000 megapixels. Writing 10000 × 10000 .* as gif /),
  )
  plan(gray(18), { ...largest, format: 'png' })
  const animated = { source: { format: 'GIF', width: 5_000, height: 5_000, frames: 4 }, format: 'gif' } as const
  plan(gray(17), animated)
  assert.throws(
    () => plan(gray(18), animated),
    failure(/needs 2100 megapixels .* Writing 5000 × 5000 pixels in 4 frames as gif /),
  )
})

test('the image planner processes animation frames one by one only if both the source and the output are a GIF or WebP [images.process.3]', () => {
  const frames = (format: ImageSource['format'], output: ImageOutputFormat) =>
    plan([{ type: 'flip' }], { source: { format, frames: 7 }, format: output }).frames
  assert.deepEqual(
    [frames('GIF', 'gif'), frames('GIF', 'webp'), frames('WEBP', 'gif'), frames('WEBP', 'webp')],
    [7, 7, 7, 7],
  )
  const two = plan([{ type: 'flip' }], { source: { format: 'GIF', frames: 2 }, format: 'gif' })
  assert.equal(two.frames, 2, 'two frames are an animation')
  assert.deepEqual(
    [frames('GIF', 'png'), frames('WEBP', 'jpg'), frames('TIFF', 'gif'), frames('GIF', 'tif')],
    [1, 1, 1, 1],
  )
})

test('the image is encoded with the quality of the last compress or thumbnail operation that has a quality [operations.compress.1]', () => {
  const compress = { type: 'compress', quality: 30 }
  const thumbnail = { type: 'thumbnail', width: 10, quality: 50 }
  assert.equal(plan([{ type: 'flip' }]).quality, undefined)
  assert.equal(plan([compress, { type: 'flip' }]).quality, 30)
  assert.equal(plan([compress, thumbnail]).quality, 50)
  assert.equal(plan([thumbnail, compress, { type: 'thumbnail', width: 10 }]).quality, 30)
})

test('planning an image loads no native library', () => {
  plan([{ type: 'resize', width: 10, height: 10 }])
  const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] }
  assert.ok(sharedObjects.length > 0)
  assert.deepEqual(
    sharedObjects.filter((file) => /sharp|vips/.test(file)),
    [],
  )
})
