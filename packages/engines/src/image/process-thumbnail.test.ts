import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { thumbnailSize } from '@mediamill/contract/domain/drawn/thumbnail'
import type { ImageOutputFormat, ImageSourceFormat } from '@mediamill/contract/domain/media'
import sharp from 'sharp'
import type { TestFile } from './process-fixture.ts'
import { pixelsOf, processed, rawOf } from './process-fixture.ts'

/** 2000 × 1500, which every format but none shows as it is: smooth, with edges. */
function drawing(channels: 3 | 4) {
  const [width, height] = [2000, 1500]
  const pixels = Buffer.alloc(width * height * channels)
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (at >> 11) & 0xff
  return sharp(pixels, { raw: { width, height, channels } })
}

/** A JPEG whose header tells other dots an inch across than down. */
async function unevenDots() {
  const bytes = await drawing(3).jpeg().withMetadata({ density: 300 }).toBuffer()
  const at = bytes.indexOf('JFIF\0', 0, 'latin1')
  bytes.writeUInt8(1, at + 7)
  bytes.writeUInt16BE(301, at + 8)
  bytes.writeUInt16BE(150, at + 10)
  return bytes
}

const P3 = { icc: 'p3' } as const
type Source = { format: ImageSourceFormat; bytes: () => Promise<Buffer> }
const SOURCES: Record<string, Source> = {
  jpeg: { format: 'JPEG', bytes: () => drawing(3).jpeg().toBuffer() },
  'jpeg with a profile': { format: 'JPEG', bytes: () => drawing(3).withIccProfile(P3.icc).jpeg().toBuffer() },
  'jpeg of uneven dots': { format: 'JPEG', bytes: unevenDots },
  'progressive jpeg': { format: 'JPEG', bytes: () => drawing(3).jpeg({ progressive: true }).toBuffer() },
  'webp with its dots': {
    format: 'WEBP',
    bytes: () =>
      drawing(3)
        .webp({ effort: 0 })
        .withExif({ IFD0: { XResolution: '181/1' } })
        .toBuffer(),
  },
  'png of many dots': { format: 'PNG', bytes: () => drawing(3).png().withMetadata({ density: 123.4 }).toBuffer() },
  'grey jpeg': { format: 'JPEG', bytes: () => drawing(3).toColourspace('b-w').jpeg().toBuffer() },
  'cmyk jpeg': { format: 'JPEG', bytes: () => drawing(3).toColourspace('cmyk').jpeg().toBuffer() },
  'png with alpha': { format: 'PNG', bytes: () => drawing(4).png().toBuffer() },
  'png with a profile': { format: 'PNG', bytes: () => drawing(4).withIccProfile(P3.icc).png().toBuffer() },
  'deep png': { format: 'PNG', bytes: () => drawing(3).toColourspace('rgb16').png().toBuffer() },
  'grey png': { format: 'PNG', bytes: () => drawing(3).toColourspace('b-w').png().toBuffer() },
  'palette png': { format: 'PNG', bytes: () => drawing(3).png({ palette: true, effort: 1 }).toBuffer() },
}

const FLIP = [{ type: 'flip', vertical: true }]
const TURN = [
  { type: 'resize', width: 1800, height: 1800 },
  { type: 'rotate', degrees: 90 },
]
/** PNG keeps most of its source, so it has both. */
const RUNS = { jpg: [TURN], png: [FLIP, TURN], webp: [FLIP], tif: [FLIP] } as const

async function makesTheSame(source: TestFile, operations: readonly object[], output: ImageOutputFormat) {
  const plain = await processed(source, [...operations], { output })
  const both = await processed(source, [...operations], { output, thumbnail: true })
  assert.ok(both.bytes.equals(plain.bytes), output)
  assert.deepEqual([both.data, both.files[0]?.sha256], [plain.data, plain.files[0]?.sha256])
  assert.equal(plain.thumbnail, undefined)
  assert.ok((both.thumbnail?.size ?? 0) > 0, output)
}

describe('with a thumbnail', () => {
  for (const [name, { format, bytes }] of Object.entries(SOURCES)) {
    test(`the result of a ${name} is the same to the byte as without [rulings 20]`, async () => {
      const source = { format, bytes: await bytes() }
      for (const [output, lists] of Object.entries(RUNS)) {
        for (const operations of lists) await makesTheSame(source, operations, output as ImageOutputFormat)
      }
    })
  }

  test('the result of a large jpeg, whose thumbnail is read from its file, is the same to the byte [rulings 20]', async () => {
    const large = drawing(3).resize(3300, 2475, { fit: 'fill', kernel: 'nearest' })
    await makesTheSame({ format: 'JPEG', bytes: await large.jpeg().toBuffer() }, FLIP, 'jpg')
  })
})

test('a picture of few bytes is its own thumbnail, unless it has more pixels than lists show of any [rulings 20]', async () => {
  const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#3a7' } })
  const noise = sharp(randomBytes(600 * 600 * 3), { raw: { width: 600, height: 600, channels: 3 } })
  const hasOne = async (image: ReturnType<typeof sharp>, output: ImageOutputFormat) => {
    const source = { bytes: await image.png().toBuffer(), format: 'PNG' } as const
    return (await processed(source, FLIP, { output, thumbnail: true })).thumbnail !== undefined
  }
  assert.deepEqual(
    [
      await hasOne(plain(1600, 1200), 'png'),
      await hasOne(noise, 'png'),
      await hasOne(plain(2000, 1500), 'png'),
      await hasOne(plain(1600, 1200), 'tif'),
    ],
    [false, true, true, true],
  )
})

test('a watermark’s picture, whose pixels are there, is encoded and made small as it is: the file is the same to the byte [rulings 20]', async () => {
  const bytes = await drawing(3).png().toBuffer()
  const red = sharp({ create: { width: 1200, height: 900, channels: 3, background: '#f00' } })
  const marks = { 'https://example.com/red.png': { bytes: await red.png().toBuffer(), format: 'PNG' as const } }
  const operations = [{ type: 'watermark', image_url: 'https://example.com/red.png', x: 0, y: 0 }]
  for (const output of ['jpg', 'webp', 'tif'] as const) {
    const plain = await processed({ bytes, format: 'PNG' }, operations, { output, marks })
    const both = await processed({ bytes, format: 'PNG' }, operations, { output, marks, thumbnail: true })
    assert.ok(both.bytes.equals(plain.bytes), output)
    assert.ok((both.thumbnail?.size ?? 0) > 0, output)
  }
})

test('a thumbnail has 256 pixels on its longest side, at least one on the other, and is never larger than the picture', () => {
  const sizes = [
    [2400, 1600],
    [1, 5000],
    [100_000, 3],
    [256, 256],
    [20, 10],
  ] as const
  assert.deepEqual(
    sizes.map(([width, height]) => Object.values(thumbnailSize({ width, height }))),
    [
      [256, 171],
      [1, 256],
      [256, 1],
      [256, 256],
      [20, 10],
    ],
  )
})

describe('the thumbnail of a WebP that is drawn from its JPEG source again', () => {
  /** Four quarters of different colours, so that each turn and flip shows. */
  const COLORS = [
    [220, 30, 30],
    [30, 200, 30],
    [30, 30, 220],
    [230, 220, 40],
  ] as const
  const photo = async () => {
    const picture = rawOf(40, 30, (x, y) => COLORS[(y < 15 ? 0 : 2) + (x < 20 ? 0 : 1)] ?? [0, 0, 0])
    return { bytes: await picture.resize(2400, 1800, { kernel: 'nearest' }).jpeg().toBuffer(), format: 'JPEG' as const }
  }
  const lists: Record<string, object[]> = {
    'as it is': [{ type: 'orient' }],
    turned: [{ type: 'rotate', degrees: 90 }],
    'flipped and turned': [
      { type: 'flip', horizontal: true },
      { type: 'rotate', degrees: 270 },
    ],
    'turned by another angle': [{ type: 'rotate', degrees: 20 }],
    'smaller, turned': [
      { type: 'resize', width: 1900, height: 1900 },
      { type: 'rotate', degrees: 90 },
    ],
    'cut from a smaller one': [
      { type: 'resize', width: 2200, height: 2200 },
      { type: 'crop', x: 100, y: 50, width: 2100, height: 1600 },
    ],
    'cut first': [{ type: 'crop', x: 300, y: 0, width: 2100, height: 1700 }],
    'with a border': [{ type: 'border', top: 300, bottom: 10, left: 200, right: 90, color: '123456' }],
    'under a look': [{ type: 'filter', name: 'kelvin' }],
  }
  for (const [name, operations] of Object.entries(lists)) {
    test(`${name}, looks as its result does, in every corner [rulings 20]`, async () => {
      const done = await processed(await photo(), operations, { output: 'webp', thumbnail: true })
      const small = await pixelsOf(done.thumbnailBytes ?? assert.fail('none was made'))
      const same = await pixelsOf(
        await sharp(done.bytes).resize(small.width, small.height, { fit: 'fill' }).png().toBuffer(),
      )
      const { width, height } = thumbnailSize(done.data as { width: number; height: number })
      assert.deepEqual([small.width, small.height], [width, height])
      for (const [x, y] of [
        [0.08, 0.08],
        [0.92, 0.08],
        [0.08, 0.92],
        [0.92, 0.92],
        [0.35, 0.35],
        [0.65, 0.65],
      ] as const) {
        const [one, other] = [small, same].map(({ at }) => at(Math.floor(x * width), Math.floor(y * height)))
        const apart = Math.max(...(one ?? []).map((value, index) => Math.abs(value - (other?.[index] ?? 0))))
        assert.ok(apart <= 24, `at ${x}, ${y}: ${String(one)} and ${String(other)}`)
      }
    })
  }
})
