import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failure } from '@mediamill/lab/support/failure'
import { naming } from '@mediamill/lab/support/message'
import sharp from 'sharp'
import { gifOf } from './gif-fixture.ts'
import { assertNear, isNear, pixelsOf, png, processed, rawOf } from './process-fixture.ts'

// Red and green above, blue and white below, so that the colors identify the orientation.
const CORNERS = { topLeft: [255, 0, 0], topRight: [0, 255, 0], bottomLeft: [0, 0, 255], bottomRight: [255, 255, 255] }
const corners = (x: number, y: number) =>
  y < 8 ? (x < 16 ? CORNERS.topLeft : CORNERS.topRight) : x < 16 ? CORNERS.bottomLeft : CORNERS.bottomRight

async function cornersOf(bytes: Buffer) {
  const { at, width, height } = await pixelsOf(bytes)
  const name = (x: number, y: number) => {
    const found = Object.entries(CORNERS).find(([, color]) => isNear(at(x, y), color, 39))
    return found?.[0] ?? at(x, y).join()
  }
  return [name(3, 3), name(width - 4, 3), name(3, height - 4), name(width - 4, height - 4)]
}

test('orient rotates the stored pixels upright for each EXIF orientation, even before a resize [operations.orient.1]', async () => {
  // The stored corners in displayed order, by EXIF orientation (Exif 2.32).
  const upright: Record<number, string[]> = {
    1: ['topLeft', 'topRight', 'bottomLeft', 'bottomRight'],
    2: ['topRight', 'topLeft', 'bottomRight', 'bottomLeft'],
    3: ['bottomRight', 'bottomLeft', 'topRight', 'topLeft'],
    4: ['bottomLeft', 'bottomRight', 'topLeft', 'topRight'],
    5: ['topLeft', 'bottomLeft', 'topRight', 'bottomRight'],
    6: ['bottomLeft', 'topLeft', 'bottomRight', 'topRight'],
    7: ['bottomRight', 'topRight', 'bottomLeft', 'topLeft'],
    8: ['topRight', 'bottomRight', 'topLeft', 'bottomLeft'],
  }
  for (const [orientation, expected] of Object.entries(upright)) {
    const stored = await rawOf(32, 16, corners)
      .withMetadata({ orientation: Number(orientation) })
      .jpeg({ quality: 100 })
      .toBuffer()
    const source = { bytes: stored, format: 'JPEG' as const }
    assert.deepEqual(await cornersOf((await processed(source, [{ type: 'orient' }])).bytes), expected, orientation)
    const smaller = [{ type: 'orient' }, { type: 'resize', width: 16, height: 16 }]
    assert.deepEqual(await cornersOf((await processed(source, smaller)).bytes), expected, `${orientation}, resized`)
    assert.deepEqual(await cornersOf((await processed(source, [{ type: 'flip' }])).bytes), upright[1], 'stored')
  }
})

test('the new corners of a rotated image are transparent, and white in a jpg [operations.rotate.2]', async () => {
  const source = await png(40, 40, () => [10, 20, 30])
  for (const output of ['png', 'webp', 'gif', 'tif', 'jpg'] as const) {
    const { at, width, height } = await pixelsOf(
      (await processed(source, [{ type: 'rotate', degrees: 45 }], { output })).bytes,
    )
    assert.deepEqual([width, height], [57, 57])
    const [r = 0, , b = 0, alpha = 0] = at(2, 2)
    assert.ok(output === 'jpg' ? r > 250 && b > 250 && alpha === 255 : alpha === 0, output)
    assertNear(at(28, 28), [10, 20, 30, 255], output, 4)
  }
})

test('gif and tif keep the transparency of the source after remove_background [operations.remove_background.2]', async () => {
  const source = await png(
    3,
    1,
    (x) =>
      [
        [255, 0, 0, 255],
        [0, 0, 255, 255],
        [0, 0, 255, 0],
      ][x] ?? [],
  )
  for (const output of ['gif', 'tif'] as const) {
    const { at } = await pixelsOf(
      (await processed(source, [{ type: 'remove_background', tolerance: 0 }], { output })).bytes,
    )
    assert.deepEqual([at(0, 0), at(1, 0), at(2, 0)[3]], [[255, 255, 255, 255], [0, 0, 255, 255], 0])
  }
})

test('sepia and exposure produce the pixel values that their strength defines [operations.sepia.1, operations.exposure.1]', async () => {
  const source = await png(1, 1, () => [100, 150, 210])
  const color = async (operation: object) =>
    (await pixelsOf((await processed(source, [operation])).bytes)).at(0, 0).slice(0, 3)
  // Red in full sepia: 0.393 × 100 + 0.769 × 150 + 0.189 × 210 = 194.3. Half sepia is the mean of both colors.
  assert.deepEqual(await color({ type: 'sepia', threshold: 100 }), [194, 173, 135])
  assert.deepEqual(await color({ type: 'sepia', threshold: 50 }), [147, 162, 172])
  assert.deepEqual(await color({ type: 'sepia', threshold: 0 }), [100, 150, 210])
  // Linear light: 0.127, 0.305, 0.645. With g = 1.64/0.64, g × light / (1 + (g - 1) × light) is 0.272, 0.529, 0.823.
  assert.deepEqual(await color({ type: 'exposure', brightness: 50 }), [142, 192, 234])
  // For a value of 0 to 1, the result is ((1 + tanh(2 × (2 × value^0.896 - 1)) / tanh(2)) / 2)^(1 / 0.896).
  assert.deepEqual(await color({ type: 'exposure', contrast: 100 }), [82, 181, 242])
  // With g = 0.41 / 0.91, the same formula returns the linear light 0.0616, 0.165, and 0.450.
  assert.deepEqual(await color({ type: 'exposure', brightness: -50 }), [70, 113, 179])
})

test('outputs are in sRGB and have no metadata, even if the source is gray, 16-bit, CMYK, or wide-gamut [images.process.2]', async () => {
  const gradient = rawOf(64, 8, (x) => [x * 4, x * 4, x * 4])
  const colored = rawOf(8, 8, () => [200, 40, 40])
  const sources = {
    gray: await gradient.clone().toColourspace('b-w').png().toBuffer(),
    deep: await gradient.clone().toColourspace('rgb16').png().toBuffer(),
    wide: await colored
      .clone()
      .withIccProfile('p3')
      .withExif({ IFD0: { Copyright: 'me' } })
      .png()
      .toBuffer(),
    cmyk: await colored.clone().toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer(),
  }
  for (const [name, bytes] of Object.entries(sources)) {
    const format = name === 'cmyk' ? 'JPEG' : 'PNG'
    for (const operations of [[{ type: 'flip' }], [{ type: 'resize', width: 4, height: 4 }]]) {
      const result = await processed({ bytes, format }, operations)
      const { at, width } = await pixelsOf(result.bytes)
      const header = await sharp(result.bytes).metadata()
      assert.deepEqual(
        [header.space, header.exif, header.icc, header.depth],
        ['srgb', undefined, undefined, 'uchar'],
        name,
      )
      if (name === 'wide' || name === 'cmyk') {
        const off = [200, 40, 40].map((part, index) => Math.abs(part - (at(1, 0)[index] ?? 0)))
        assert.ok(Math.max(...off) <= (name === 'wide' ? 2 : 25), `${name}: ${at(1, 0).join()}`)
      } else if (width === 64) {
        for (let x = 0; x < 64; x += 1) assert.deepEqual(at(x, 0), [x * 4, x * 4, x * 4, 255], name)
      }
    }
  }
})

test('the image engine rotates a watermark image upright by its EXIF orientation, and draws the first frame of an animated watermark [operations.watermark.4]', async () => {
  const source = await png(40, 40, () => [0, 0, 0])
  const at = async (bytes: Buffer, format: 'JPEG' | 'GIF') => {
    const marks = { m: { bytes, format } }
    return pixelsOf((await processed(source, [{ type: 'watermark', image_url: 'm', x: 0, y: 0 }], { marks })).bytes)
  }
  const turned = await at(
    await rawOf(32, 16, corners).withMetadata({ orientation: 6 }).jpeg({ quality: 100 }).toBuffer(),
    'JPEG',
  )
  assert.ok((turned.at(12, 28)[1] ?? 0) > 200 && (turned.at(28, 4)[0] ?? 9) === 0, 'green lies below on the right')
  const strip = rawOf(4, 8, (_, y) => (y < 4 ? [255, 0, 0, 255] : [0, 255, 0, 255]))
  const { data, info } = await strip.raw().toBuffer({ resolveWithObject: true })
  const animated = await sharp(data, { raw: { ...info, channels: 4, pageHeight: 4 }, animated: true })
    .gif({ delay: [10, 10] })
    .toBuffer()
  const first = await at(animated, 'GIF')
  assert.deepEqual(
    [first.at(0, 0), first.at(0, 4)],
    [
      [255, 0, 0, 255],
      [0, 0, 0, 255],
    ],
  )
})

test('a GIF as watermark image has the size of its logical screen, and is transparent outside its first frame [operations.watermark.4]', async () => {
  const source = await png(40, 40, () => [0, 0, 250])
  const part = { width: 8, height: 6, left: 4, top: 5, pixel: () => 1 }
  const beyond = { ...part, left: 15 }
  const bytes = gifOf(
    { width: 20, height: 30 },
    [
      [0, 0, 0],
      [255, 0, 0],
    ],
    [part, beyond],
  )
  const place = { type: 'watermark', image_url: 'm', gravity: 'south_east', x: 0, y: 0 }
  const { at } = await pixelsOf((await processed(source, [place], { marks: { m: { bytes, format: 'GIF' } } })).bytes)
  const [ground, red] = [
    [0, 0, 250, 255],
    [255, 0, 0, 255],
  ]
  assert.deepEqual(
    [at(20, 10), at(23, 15), at(24, 15), at(31, 20), at(32, 20), at(39, 39)],
    [ground, ground, red, red, ground, ground],
  )
})

test('an image is checked by its header before any pixel is decoded, and the error names the operation [errors.failures.2]', async () => {
  const small = await png(4, 4, () => [0, 0, 0])
  const watermark = [{ type: 'flip' }, { type: 'watermark', image_url: 'm', x: 0, y: 0 }]
  const whole = await rawOf(64, 64, (x, y) => [x, y, x ^ y])
    .png()
    .toBuffer()
  const cut = { bytes: whole.subarray(0, whole.length - 100), format: 'PNG' as const }
  await assert.rejects(
    processed(small, watermark, { marks: { m: cut } }),
    failure(/^The watermark image is damaged/, 1),
  )
  const limits = { maxFramePixels: 100 }
  await assert.rejects(processed(cut, [{ type: 'flip' }], { limits }), failure(/source image is 64 × 64 pixels/))
  await assert.rejects(
    processed(small, watermark, { marks: { m: cut }, limits }),
    failure(/watermark image is 64 × 64/, 1),
  )
  await assert.rejects(
    processed(small, [{ type: 'flip' }], { limits: { maxResultBytes: 10 } }),
    failure(/the limit is 10 bytes/),
  )
})

test('the image engine rejects a watermark image in a format that watermarks do not support', async () => {
  const bytes = await rawOf(4, 4, () => [1, 2, 3])
    .tiff()
    .toBuffer()
  const watermark = [{ type: 'flip' }, { type: 'watermark', image_url: 'm', x: 0, y: 0 }]
  await assert.rejects(
    processed(await png(4, 4, () => [0, 0, 0]), watermark, { marks: { m: { bytes, format: 'TIFF' } } }),
    { code: 'unsupported_media', message: naming('watermark', 'JPEG, PNG, GIF, or WebP'), operation: 1 },
  )
})

test('the image engine opens a file only as its detected format, and never an SVG [sources.formats.1, sources.formats.2]', async () => {
  const svg = {
    bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    format: 'PNG' as const,
  }
  await assert.rejects(processed(svg, [{ type: 'flip' }]), { code: 'processing_failed' })
  const gif = {
    bytes: await rawOf(4, 4, () => [1, 2, 3])
      .gif()
      .toBuffer(),
    format: 'PNG' as const,
  }
  await assert.rejects(processed(gif, [{ type: 'flip' }]), { code: 'processing_failed' })
})
