import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OUTPUT_FORMATS } from '@mediamill/contract/domain/media'
import { LOOK_NAMES } from '@mediamill/contract/drawing/looks'
import sharp from 'sharp'
import type { TestFile } from './process-fixture.ts'
import { assertNear, pixelsOf, png, processed, rawOf } from './process-fixture.ts'

type Pixel = number[]
type Expected = { width: number; height: number; pixel: (x: number, y: number) => Pixel }

const [WIDTH, HEIGHT] = [7, 5]
// No two pixels are equal, and none equals its mirror image.
const paint = (x: number, y: number): Pixel => [x * 30, y * 45, (x * 5 + y * 11) % 256]
const opaque = (x: number, y: number) => [...paint(x, y), 255]

async function assertPixels(bytes: Buffer, { width, height, pixel }: Expected, what: string, tolerance = 0) {
  const found = await pixelsOf(bytes)
  assert.deepEqual([found.width, found.height], [width, height], what)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      assertNear(found.at(x, y), pixel(x, y), `${what} at ${x}, ${y}`, tolerance)
    }
  }
}

const run = async (source: TestFile, operations: object[], marks: Record<string, TestFile> = {}) =>
  (await processed(source, operations, { marks })).bytes

function quarterTurned(degrees: number): Expected {
  const turn = ((degrees % 360) + 360) % 360
  const [width, height] = turn % 180 === 0 ? [WIDTH, HEIGHT] : [HEIGHT, WIDTH]
  const from: Record<number, (x: number, y: number) => Pixel> = {
    0: (x, y) => opaque(x, y),
    90: (x, y) => opaque(y, HEIGHT - 1 - x),
    180: (x, y) => opaque(WIDTH - 1 - x, HEIGHT - 1 - y),
    270: (x, y) => opaque(WIDTH - 1 - y, x),
  }
  return { width, height, pixel: from[turn] ?? opaque }
}

test('quarter turns from -360 to 360 move every pixel correctly, and flips are applied after the rotation [operations.rotate.1]', async () => {
  const source = await png(WIDTH, HEIGHT, paint)
  for (const degrees of [-360, -270, -180, -90, 0, 90, 180, 270, 360]) {
    const turned = quarterTurned(degrees)
    const { width, height, pixel } = turned
    for (const horizontal of [false, true]) {
      for (const vertical of [false, true]) {
        const operation = { type: 'rotate', degrees, flip_horizontal: horizontal, flip_vertical: vertical }
        const mirrored = (x: number, y: number) => pixel(horizontal ? width - 1 - x : x, vertical ? height - 1 - y : y)
        await assertPixels(
          await run(source, [operation]),
          { width, height, pixel: mirrored },
          JSON.stringify(operation),
        )
      }
    }
  }
})

test('no row or column of an image is outside the canvas after a rotation by any angle [operations.rotate.2]', async () => {
  for (const [width, height, lost] of [
    [17, 17, 0.02],
    [1, 50, 0.04],
    [5, 1, 0.25],
  ] as const) {
    const source = await png(width, height, () => [200, 30, 60])
    for (const degrees of [1, 85, 89, 133, 177, 179, 181, 269]) {
      const { data } = await pixelsOf((await processed(source, [{ type: 'rotate', degrees }])).bytes)
      let shown = 0
      for (let at = 3; at < data.length; at += 4) shown += (data[at] ?? 0) / 255
      assert.ok(shown >= width * height * (1 - lost), `${width} × ${height} by ${degrees}°: ${shown} pixels`)
    }
  }
})

test('a rotated image is at the exact center of its canvas [operations.rotate.2]', async () => {
  for (const [width, height] of [
    [5, 1],
    [17, 17],
    [24, 13],
  ] as const) {
    const source = await png(width, height, () => [200, 30, 60])
    for (const degrees of [1, 30, 45, 60, 100, 120, 150, 200, 330, 359]) {
      const { data } = await pixelsOf((await processed(source, [{ type: 'rotate', degrees }])).bytes)
      const alphas = data.filter((_, index) => index % 4 === 3)
      const difference = Math.max(...alphas.map((alpha, index) => Math.abs(alpha - (alphas.at(-1 - index) ?? 0))))
      assert.ok(difference <= 2, `${width} × ${height} by ${degrees}°: opposite pixels differ by ${difference}`)
    }
  }
})

test('rotate turns the image clockwise by any angle about its center on a larger canvas; adding 360° to the angle changes nothing [operations.rotate.2]', async () => {
  // A dot right of the center. A clockwise rotation moves it down.
  const dot = (x: number, y: number) => (Math.hypot(x - 90, y - 50) < 6 ? [255, 0, 0] : [0, 0, 90])
  const source = await png(101, 101, dot)
  for (const degrees of [1, 45, 135, 359, -1, -45, -359]) {
    const bytes = await run(source, [{ type: 'rotate', degrees }])
    const { at, width, height } = await pixelsOf(bytes)
    const radians = (degrees * Math.PI) / 180
    const side = Math.round(101 * (Math.abs(Math.cos(radians)) + Math.abs(Math.sin(radians))))
    assert.deepEqual([width, height], [side, side], `${degrees}`)
    const middle = (side - 1) / 2
    const place = [middle + 40 * Math.cos(radians), middle + 40 * Math.sin(radians)].map(Math.round)
    assert.deepEqual(at(place[0] ?? 0, place[1] ?? 0), [255, 0, 0, 255], `${degrees}`)
    assert.deepEqual(at(Math.round(middle), Math.round(middle)), [0, 0, 90, 255], `${degrees}`)
    assert.equal(at(0, 0)[3], 0, `${degrees}`)
    const around = await run(source, [{ type: 'rotate', degrees: degrees > 0 ? degrees - 360 : degrees + 360 }])
    assert.ok((await pixelsOf(around)).data.equals((await pixelsOf(bytes)).data), `${degrees}`)
  }
})

test('flip mirrors the image in each requested direction, and changes nothing if no direction is requested [operations.flip.1]', async () => {
  const source = await png(WIDTH, HEIGHT, paint)
  for (const horizontal of [false, true]) {
    for (const vertical of [false, true]) {
      const pixel = (x: number, y: number) => opaque(horizontal ? WIDTH - 1 - x : x, vertical ? HEIGHT - 1 - y : y)
      const operation = { type: 'flip', horizontal, vertical }
      await assertPixels(
        await run(source, [operation]),
        { width: WIDTH, height: HEIGHT, pixel },
        JSON.stringify(operation),
      )
    }
  }
})

test('orient makes an image upright once, and a second orient changes nothing [operations.orient.1]', async () => {
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const stored = rawOf(WIDTH, HEIGHT, paint).withMetadata({ orientation })
    const source = { bytes: await stored.png().toBuffer(), format: 'PNG' as const }
    const orient = { type: 'orient' }
    const once = await pixelsOf(await run(source, [orient]))
    const twice = await pixelsOf(await run(source, [orient, { type: 'grayscale' }, orient]))
    const gray = await pixelsOf(await run(source, [orient, { type: 'grayscale' }]))
    assert.deepEqual([once.width, once.height], orientation < 5 ? [WIDTH, HEIGHT] : [HEIGHT, WIDTH])
    assert.ok(twice.data.equals(gray.data), `${orientation}`)
    assert.ok(once.data.equals((await pixelsOf(await run(source, [orient, orient]))).data), `${orientation}`)
  }
})

const THIRDS = [
  [220, 0, 0],
  [0, 200, 0],
  [0, 0, 210],
]
const thirds = (x: number) => THIRDS[Math.floor(x / 30)] ?? []

test('resize fits the image inside the box, stretches the image to the box, or crops the image around its center, for smaller and larger boxes [operations.resize.1, operations.resize.2]', async () => {
  const source = await png(90, 30, thirds)
  const at = async (operation: object, places: [number, number, number][]) => {
    const found = await pixelsOf(await run(source, [{ type: 'resize', ...operation }]))
    for (const [x, y, third] of places) {
      const off = (THIRDS[third] ?? []).map((part, channel) => Math.abs(part - (found.at(x, y)[channel] ?? 0)))
      assert.ok(Math.max(...off) <= 2, `${JSON.stringify(operation)} at ${x}, ${y}: ${found.at(x, y).join()}`)
    }
    return [found.width, found.height]
  }
  const middles = (width: number, y: number): [number, number, number][] =>
    [0, 1, 2].map((third) => [Math.floor((width * (third * 2 + 1)) / 6), y, third])
  assert.deepEqual(await at({ width: 45, height: 45 }, middles(45, 7)), [45, 15])
  assert.deepEqual(await at({ width: 900, height: 900 }, middles(900, 150)), [900, 300])
  const stretch = { preserve_aspect_ratio: false }
  assert.deepEqual(await at({ width: 30, height: 90, ...stretch }, middles(30, 80)), [30, 90])
  assert.deepEqual(await at({ width: 270, height: 9, ...stretch }, middles(270, 4)), [270, 9])
  const fill = { crop_center: true }
  // Only the middle third of the image remains. At its edges, the resize filter blends colors.
  assert.deepEqual(
    await at({ width: 30, height: 30, ...fill }, [
      [3, 15, 1],
      [26, 15, 1],
    ]),
    [30, 30],
  )
  assert.deepEqual(
    await at({ width: 120, height: 120, ...fill }, [
      [14, 60, 1],
      [105, 60, 1],
    ]),
    [120, 120],
  )
  assert.deepEqual(await at({ width: 90, height: 10, ...fill }, middles(90, 5)), [90, 10])
  assert.deepEqual(await at({ width: 1, height: 1, ...fill }, []), [1, 1])
})

test('a thumbnail without height keeps proportions and drops metadata [operations.thumbnail.1]', async () => {
  const stored = rawOf(90, 30, thirds)
    .withExif({ IFD0: { Copyright: 'me' } })
    .withIccProfile('p3')
  const source = { bytes: await stored.png().toBuffer(), format: 'PNG' as const }
  for (const output of OUTPUT_FORMATS.image) {
    const { bytes, data } = await processed(source, [{ type: 'thumbnail', width: 45, quality: 70 }], { output })
    assert.deepEqual([data['width'], data['height']], [45, 15])
    const header = await sharp(bytes).metadata()
    assert.deepEqual([header.exif, header.xmp, header.iptc, header.icc], Array(4).fill(undefined), output)
  }
})

test('a crop that extends past the image is trimmed at its right and bottom edges; border accepts widths of 0 and 2000 [operations.crop.1, operations.border.1]', async () => {
  const source = await png(WIDTH, HEIGHT, paint)
  const moved = (x: number, y: number) => opaque(x + 3, y + 1)
  const crop = { type: 'crop', x: 3, y: 1, width: 2, height: 3 }
  await assertPixels(await run(source, [crop]), { width: 2, height: 3, pixel: moved }, 'inside')
  const past = { ...crop, width: 20_000, height: 20_000 }
  await assertPixels(await run(source, [past]), { width: 4, height: 4, pixel: moved }, 'trimmed')
  const sides = { top: 0, bottom: 0, left: 0, right: 0 }
  for (const side of ['top', 'bottom', 'left', 'right'] as const) {
    const { bytes, data } = await processed(source, [{ type: 'border', ...sides, [side]: 2000, color: '#0a0' }])
    const upright = side === 'top' || side === 'bottom'
    assert.deepEqual([data['width'], data['height']], upright ? [WIDTH, HEIGHT + 2000] : [WIDTH + 2000, HEIGHT])
    const { at } = await pixelsOf(bytes)
    const [left, top] = [side === 'left' ? 2000 : 0, side === 'top' ? 2000 : 0]
    assert.deepEqual(at(left, top), opaque(0, 0), side)
    assert.deepEqual(at(left + WIDTH - 1, top + HEIGHT - 1), opaque(WIDTH - 1, HEIGHT - 1), side)
    const outer = { top: [0, 0], bottom: [0, HEIGHT + 1999], left: [0, 0], right: [WIDTH + 1999, 0] }[side]
    assert.deepEqual(at(outer[0] ?? 0, outer[1] ?? 0), [0, 170, 0, 255], side)
  }
  await assertPixels(
    await run(source, [{ type: 'border', ...sides, color: '#0a0' }]),
    { width: WIDTH, height: HEIGHT, pixel: opaque },
    'none',
  )
})

test('a filter or sepia with strength 0 changes no pixel, and with strength 100 changes pixels [operations.sepia.1, operations.filter.1]', async () => {
  const source = await png(WIDTH, HEIGHT, paint)
  const same = { width: WIDTH, height: HEIGHT, pixel: opaque }
  await assertPixels(await run(source, [{ type: 'sepia', threshold: 0 }]), same, 'sepia')
  await assertPixels(await run(source, [{ type: 'exposure' }]), same, 'exposure')
  for (const name of LOOK_NAMES) {
    await assertPixels(await run(source, [{ type: 'filter', name, strength: 0 }]), same, name)
    const full = await pixelsOf(await run(source, [{ type: 'filter', name, strength: 100 }]))
    const before = await pixelsOf(source.bytes)
    assert.ok(!full.data.equals(before.data), name)
    assert.ok((await pixelsOf(await run(source, [{ type: 'filter', name }]))).data.equals(full.data), name)
  }
  const ends = await png(
    3,
    1,
    (x) =>
      [
        [0, 0, 0],
        [118, 118, 118],
        [255, 255, 255],
      ][x] ?? [],
  )
  const [black, white] = [
    [0, 0, 0, 255],
    [255, 255, 255, 255],
  ]
  // Two stops change middle gray, 0.18 of white's light, to 0.72 or 0.045. Contrast does not change middle gray.
  for (const [operation, middle] of [
    [{ brightness: 100 }, 221],
    [{ brightness: -100 }, 60],
    [{ contrast: 100 }, 118],
    [{ contrast: -100 }, 118],
  ] as const) {
    const { at } = await pixelsOf(await run(ends, [{ type: 'exposure', ...operation }]))
    assert.deepEqual([at(0, 0), at(1, 0), at(2, 0)], [black, [middle, middle, middle, 255], white])
  }
})

test('compress accepts quality 1 to 100 in every format: 1 gives a small file of low quality, and 100 a large, nearly unchanged file [operations.compress.1]', async () => {
  // The image is gray, because a jpg stores color at half size at any quality.
  const grain = (x: number, y: number) => Array<number>(3).fill((x * 37 + y * 91) % 256)
  const source = await png(64, 64, grain)
  const errorOf = async (bytes: Buffer) => {
    const { data } = await pixelsOf(bytes)
    const { data: before } = await pixelsOf(source.bytes)
    return data.reduce((sum, value, at) => sum + Math.abs(value - (before[at] ?? 0)), 0) / data.length
  }
  for (const output of OUTPUT_FORMATS.image) {
    const compressed = (quality: number) => processed(source, [{ type: 'compress', quality }], { output })
    const [least, most] = [await compressed(1), await compressed(100)]
    assert.deepEqual([least.data['width'], most.data['height']], [64, 64])
    const [worst, best] = [await errorOf(least.bytes), await errorOf(most.bytes)]
    if (output === 'jpg' || output === 'webp') {
      assert.ok(least.bytes.length * 3 < most.bytes.length, output)
      assert.ok(best * 2 < worst, `${output}: ${best} ${worst}`)
    } else {
      assert.equal(least.bytes.length, most.bytes.length, output)
      if (output !== 'gif') assert.equal(worst, 0, output)
    }
  }
})

test('the image engine writes each format at its maximum side length, and rejects a side one pixel longer with the limit in the message [limits.media.4]', async () => {
  const row = async (width: number): Promise<TestFile> => {
    const data = Buffer.alloc(width * 3, 200)
    return {
      bytes: await sharp(data, { raw: { width, height: 1, channels: 3 } })
        .png()
        .toBuffer(),
      format: 'PNG',
    }
  }
  const grow = { type: 'border', top: 0, bottom: 0, left: 0, right: 2000, color: '#c8c8c8' }
  for (const [output, side] of [
    ['webp', 16_383],
    ['jpg', 65_500],
    ['gif', 65_535],
  ] as const) {
    const { data, bytes } = await processed(await row(side - 2000), [grow], { output })
    assert.equal(data['width'], side)
    const { width, at } = await pixelsOf(bytes)
    assert.deepEqual([width, (at(side - 1, 0)[0] ?? 0) > 190], [side, true])
    await assert.rejects(processed(await row(side - 1999), [grow], { output }), {
      code: 'processing_failed',
      operation: 0,
      message: new RegExp(`${output} file holds at most ${side.toLocaleString('en')} per side`),
    })
  }
})

test('the image engine rejects a JPEG over the decoder limit with an error that names the limit, and does not call the file damaged [limits.media.4]', async () => {
  const bytes = await rawOf(16, 16, paint).jpeg().toBuffer()
  bytes.writeUInt16BE(65_501, bytes.indexOf(Buffer.of(0xff, 0xc0)) + 7)
  await assert.rejects(processed({ bytes, format: 'JPEG' }, [{ type: 'flip' }]), {
    code: 'processing_failed',
    message: /limit of 65,500 pixels per side/,
  })
})

test('the image engine draws a watermark at any position, tiled or not, and draws diagonal lines over the watermark [operations.watermark.1, operations.watermark.2, operations.watermark.3]', async () => {
  const [width, height] = [23, 17]
  const ground = [90, 120, 150]
  const source = await png(width, height, () => ground)
  const overlay = (x: number, y: number) => [200, x * 60, y * 80, 100 + ((x + y) % 3) * 60]
  const marks = { m: await png(4, 3, overlay) }
  const alongX = { tile_spacing_x: 6 }
  const cases: [object, (copy: number) => [number, number] | undefined][] = [
    [{ x: 5, y: 4 }, (copy) => (copy === 0 ? [5, 4] : undefined)],
    [{ x: -2, y: -1 }, (copy) => (copy === 0 ? [-2, -1] : undefined)],
    [{ x: 21, y: 16 }, (copy) => (copy === 0 ? [21, 16] : undefined)],
    [{ x: -20_000, y: 20_000 }, () => undefined],
    [{ x: 1, y: 2, ...alongX }, (copy) => (copy < 4 ? [1 + 6 * copy, 2] : undefined)],
    [{ x: 1, y: 2, ...alongX, tile_spacing_y: 0 }, (copy) => (copy < 4 ? [1 + 6 * copy, 2] : undefined)],
    [{ x: 1, y: 2, tile_spacing_y: 5 }, (copy) => (copy < 3 ? [1, 2 + 5 * copy] : undefined)],
    // Copies repeat only to the right and down from the start. Fractions of a pixel are rounded.
    [{ x: 9, y: 8, tile_spacing_x: 4.5, tile_spacing_y: 4.5 }, (copy) => grid(copy, 4, [9, 8], [4.5, 4.5])],
    [{ x: -3, y: -2, tile_spacing_x: 2, tile_spacing_y: 1 }, (copy) => grid(copy, 13, [-3, -2], [2, 1])],
    [{ x: 0, y: 0, tile_spacing_x: 0.25, tile_spacing_y: 20_000 }, (copy) => (copy < 23 ? [copy, 0] : undefined)],
    [{ x: 0, y: 0, tile_spacing_x: 1e-300, tile_spacing_y: 20_000 }, (copy) => (copy < 23 ? [copy, 0] : undefined)],
  ]
  for (const [placement, copies] of cases) {
    const frame = Array.from({ length: width * height }, () => [...ground])
    for (let copy = 0; copy < 1000; copy += 1) {
      const [left, top] = copies(copy) ?? []
      if (left === undefined || top === undefined) break
      for (let y = Math.max(0, top); y < Math.min(height, top + 3); y += 1) {
        for (let x = Math.max(0, left); x < Math.min(width, left + 4); x += 1) {
          const [r = 0, g = 0, b = 0, alpha = 0] = overlay(x - left, y - top)
          const below = frame[y * width + x] ?? []
          frame[y * width + x] = [r, g, b].map(
            (part, channel) => (part * alpha + (below[channel] ?? 0) * (255 - alpha)) / 255,
          )
        }
      }
    }
    const watermark = { type: 'watermark', image_url: 'm', ...placement }
    const pixel = (x: number, y: number) => [...(frame[y * width + x] ?? []), 255]
    await assertPixels(await run(source, [watermark], marks), { width, height, pixel }, JSON.stringify(placement), 3)
  }
  const lines = { diagonal_lines_color: '#f00', diagonal_lines_opacity: 100 }
  const lined = await pixelsOf(await run(source, [{ type: 'watermark', image_url: 'm', x: 10, y: 7, ...lines }], marks))
  assert.deepEqual(lined.at(11, 8), [255, 0, 0, 255], 'the lines cross above the mark')
  const half = { ...lines, diagonal_lines_opacity: 50 }
  const weak = await pixelsOf(await run(source, [{ type: 'watermark', image_url: 'm', x: 200, y: 0, ...half }], marks))
  assert.ok(Math.abs((weak.at(11, 8)[0] ?? 0) - (90 + 255) / 2) <= 2, weak.at(11, 8).join())
  const none = { ...lines, diagonal_lines_opacity: 0 }
  const unseen = await pixelsOf(
    await run(source, [{ type: 'watermark', image_url: 'm', x: 200, y: 0, ...none }], marks),
  )
  assert.ok(unseen.data.equals((await pixelsOf(source.bytes)).data))
})

function grid(
  copy: number,
  columns: number,
  start: readonly [number, number],
  step: readonly [number, number],
): [number, number] | undefined {
  const top = start[1] + Math.round(Math.floor(copy / columns) * step[1])
  return top >= 17 ? undefined : [start[0] + Math.round((copy % columns) * step[0]), top]
}

test('the image engine accepts a JPEG, PNG, GIF, or WebP watermark of any size [operations.watermark.1]', async () => {
  const source = await png(20, 12, () => [0, 0, 0])
  const drawn = () => rawOf(64, 48, (x) => (x < 32 ? [250, 10, 10] : [10, 10, 250]))
  const files: TestFile[] = [
    { bytes: await drawn().jpeg({ quality: 100 }).toBuffer(), format: 'JPEG' },
    { bytes: await drawn().png().toBuffer(), format: 'PNG' },
    { bytes: await drawn().gif().toBuffer(), format: 'GIF' },
    { bytes: await drawn().webp({ quality: 100 }).toBuffer(), format: 'WEBP' },
  ]
  for (const file of files) {
    const { at } = await pixelsOf(
      await run(source, [{ type: 'watermark', image_url: 'm', x: -22, y: -20 }], { m: file }),
    )
    // The watermark is larger than the image. Its halves meet at x = 32 - 22 = 10.
    assertNear(at(2, 2), [250, 10, 10, 255], file.format, 8)
    assertNear(at(17, 10), [10, 10, 250, 255], file.format, 8)
  }
})
