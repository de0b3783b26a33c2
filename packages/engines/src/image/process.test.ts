import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { OUTPUT_FORMATS } from '@mediamill/contract/domain/media'
import sharp from 'sharp'
import { pixelsOf, png, processed } from './process-fixture.ts'

// Each pixel identifies its original position: red its column, green its row.
const position = (x: number, y: number) => [x * 10, y * 10, 77]
const white = [255, 255, 255, 255]

test('the image engine writes each output format, and reports the metadata, size, and checksum of the result [images.process.1, requests.files.1]', async () => {
  const source = await png(20, 10, position)
  const names = { jpg: 'JPEG', png: 'PNG', webp: 'WEBP', gif: 'GIF', tif: 'TIFF' }
  for (const output of OUTPUT_FORMATS.image) {
    const { data, files, units, bytes } = await processed(source, [{ type: 'crop', x: 0, y: 0, width: 8, height: 6 }], {
      output,
    })
    assert.deepEqual(data, { width: 8, height: 6, format: names[output], size: bytes.length })
    assert.equal(files[0]?.sha256, createHash('sha256').update(bytes).digest('hex'))
    assert.equal(units, 1)
    const header = await sharp(bytes).metadata()
    assert.deepEqual(
      [header.format, header.width, header.height],
      [{ ...names, jpg: 'jpeg', tif: 'tiff' }[output].toLowerCase(), 8, 6],
    )
  }
})

test('a border enlarges the image and has the requested color; a transparent border is white in a jpg [operations.border.1]', async () => {
  const source = await png(4, 3, position)
  const border = (color: string) => [{ type: 'border', top: 1, bottom: 2, left: 3, right: 4, color }]
  const opaque = await pixelsOf((await processed(source, border('#f80'))).bytes)
  assert.deepEqual([opaque.width, opaque.height], [11, 6])
  assert.deepEqual(opaque.at(0, 0), [255, 136, 0, 255])
  assert.deepEqual(opaque.at(10, 5), [255, 136, 0, 255])
  assert.deepEqual(opaque.at(3, 1), [0, 0, 77, 255])
  assert.deepEqual(opaque.at(6, 3), [30, 20, 77, 255])
  const clear = await pixelsOf((await processed(source, border('ff880080'))).bytes)
  assert.deepEqual(clear.at(0, 0), [255, 136, 0, 128])
  assert.deepEqual(clear.at(3, 1), [0, 0, 77, 255])
  const wide = { type: 'border', top: 32, bottom: 0, left: 32, right: 0, color: '#00000000' }
  const onWhite = await processed(source, [wide], { output: 'jpg' })
  assert.deepEqual((await pixelsOf(onWhite.bytes)).at(4, 4), white)
})

test('a colored border on a gray image keeps its color, and the grays of the image do not change [operations.border.1]', async () => {
  const border = { type: 'border', top: 4, bottom: 4, left: 4, right: 4, color: '#d5202f' }
  const turn = { type: 'rotate', degrees: 90 }
  for (const depth of ['b-w', 'grey16'] as const) {
    const flat = sharp(Buffer.alloc(400, 100), { raw: { width: 20, height: 20, channels: 1 } })
    const source = { bytes: await flat.toColourspace(depth).png().toBuffer(), format: 'PNG' } as const
    for (const operations of [[border], [{ type: 'resize', width: 10, height: 10 }, turn, border]]) {
      const { at } = await pixelsOf((await processed(source, operations)).bytes)
      assert.deepEqual(
        [at(0, 0), at(9, 9)],
        [
          [213, 32, 47, 255],
          [100, 100, 100, 255],
        ],
      )
    }
  }
})

test('grayscale sets each pixel to the luma of its color [operations.grayscale.1]', async () => {
  const source = await png(
    3,
    1,
    (x) =>
      [
        [255, 0, 0],
        [0, 255, 0],
        [0, 0, 255],
      ][x] ?? [],
  )
  const { at } = await pixelsOf((await processed(source, [{ type: 'grayscale' }])).bytes)
  assert.deepEqual(
    [at(0, 0), at(1, 0), at(2, 0)],
    [
      [54, 54, 54, 255],
      [182, 182, 182, 255],
      [18, 18, 18, 255],
    ],
  )
})

test('gravity and scale of a watermark use the size of the image after the earlier operations [operations.watermark.6, operations.watermark.7]', async () => {
  const source = await png(100, 80, () => white)
  const mark = await png(20, 10, () => [255, 0, 0, 255])
  const anchored = { type: 'watermark', image_url: 'm', x: 5, y: 3, gravity: 'south_east', scale: 50 }
  const before = { type: 'resize', width: 50, height: 40 }
  const shown = await pixelsOf((await processed(source, [before, anchored], { marks: { m: mark } })).bytes)
  // The shorter side is 40, so the watermark has 20 × 10 pixels, from (25, 27) to (45, 37).
  assert.deepEqual(shown.at(25, 27), [255, 0, 0, 255])
  assert.deepEqual(shown.at(44, 36), [255, 0, 0, 255])
  assert.deepEqual(shown.at(24, 30), white)
  assert.deepEqual(shown.at(45, 30), white)
  assert.deepEqual(shown.at(30, 37), white)
  const large = await pixelsOf((await processed(source, [anchored], { marks: { m: mark } })).bytes)
  // The shorter side is 80, so the watermark has 40 × 20 pixels, from (55, 57) to (95, 77).
  assert.deepEqual(large.at(56, 58), [255, 0, 0, 255])
  assert.deepEqual(large.at(93, 75), [255, 0, 0, 255])
  assert.deepEqual(large.at(54, 60), white)
  assert.deepEqual(large.at(60, 77), white)
})

test('a resize that enlarges only one side does not shift or blur pixels along the other side [operations.resize.1]', async () => {
  // Stripes of two pixels across the side that is not enlarged. The other side is a ramp.
  const stripes = (position: number) => (position % 4 < 2 ? 0 : 200)
  const wide = await png(8, 12, (x, y) => [stripes(y), x * 20, 77, 255])
  const tall = await png(12, 8, (x, y) => [stripes(x), y * 20, 77, 255])
  const ramp = [0, 4, 15, 25, 35, 45, 55, 65, 75, 85, 95, 105, 115, 125, 136, 141]
  const stretch = (width: number, height: number) => [
    { type: 'resize', width, height, preserve_aspect_ratio: false },
    { type: 'rotate', degrees: 180 },
  ]
  for (const output of ['png', 'tif'] as const) {
    const wider = await pixelsOf((await processed(wide, stretch(16, 12), { output })).bytes)
    const taller = await pixelsOf((await processed(tall, stretch(12, 16), { output })).bytes)
    for (let along = 0; along < 16; along += 1) {
      for (let across = 0; across < 12; across += 1) {
        const expected = [stripes(11 - across), ramp[15 - along], 77, 255]
        assert.deepEqual(wider.at(along, across), expected, `${along}, ${across}`)
        assert.deepEqual(taller.at(across, along), expected, `${across}, ${along}`)
      }
    }
  }
})

test('a resize that enlarges one side and shrinks the other equals both resizes in turn [operations.resize.1]', async () => {
  const source = await png(8, 48, (x, y) => [y * 5, x * 20, 77, x * 30])
  const size = (width: number, height: number) => ({ type: 'resize', width, height, preserve_aspect_ratio: false })
  const both = await processed(source, [size(16, 12)])
  const inTurn = await processed(source, [size(8, 12), size(16, 12)])
  assert.deepEqual((await pixelsOf(both.bytes)).data, (await pixelsOf(inTurn.bytes)).data)
})
