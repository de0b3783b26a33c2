import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failure } from '@mediamill/lab/support/failure'
import { createRandom } from '@mediamill/lab/support/random'
import sharp from 'sharp'
import { assertNear, pixelsOf, processed, rawOf } from './process-fixture.ts'
import { linearGrayProfile } from './sources/gray-profile-fixture.ts'
import type { TiffParts } from './tiff-fixture.ts'
import { tiffFile } from './tiff-fixture.ts'

const SIZE = { width: 37, height: 22 }
/** Returns the color of one of four rectangles. Pixels that share a subsampled color are in the same rectangle. */
const colorAt = (x: number, y: number) =>
  y < 12 ? (x < 20 ? [200, 60, 40] : [30, 140, 90]) : x < 20 ? [40, 90, 210] : [250, 240, 20]
const PLACES = [
  [3, 4],
  [36, 1],
  [5, 21],
  [36, 21],
] as const
const rgbAt = (x: number, y: number) => colorAt(x, y).map((value) => value / 255)
const grayAt = (x: number, y: number) => (colorAt(x, y)[0] ?? 0) / 255
const full = (bits: number) => 2 ** bits - 1
const whole = (values: readonly number[], bits: number) => values.map((value) => Math.round(value * full(bits)))

type Rest = Partial<TiffParts> & Pick<TiffParts, 'photometric' | 'bits' | 'pixel'>
const tiff = (rest: Rest) => ({ bytes: tiffFile({ ...SIZE, samples: 3, ...rest }), format: 'TIFF' as const })

async function isShown(rest: Rest, expected: (x: number, y: number) => readonly number[], what: string, tolerance = 2) {
  const { at, width, height } = await pixelsOf(
    (await processed(tiff(rest), [{ type: 'rotate', degrees: 180 }], { output: 'png' })).bytes,
  )
  assert.deepEqual([width, height], [SIZE.width, SIZE.height], what)
  for (const [x, y] of PLACES) {
    assertNear(at(width - 1 - x, height - 1 - y), expected(x, y), `${what} at ${x}, ${y}`, tolerance)
  }
}

const grayShown = (x: number, y: number) => Array<number>(3).fill(grayAt(x, y) * 255)

const ycbcr = (
  [r = 0, g = 0, b = 0]: readonly number[],
  [red = 0, green = 0, blue = 0]: readonly number[] = [0.299, 0.587, 0.114],
) => {
  const y = red * r + green * g + blue * b
  return [y, (b - y) / (2 - 2 * blue) + 128, (r - y) / (2 - 2 * red) + 128]
}
const inBytes = (values: readonly number[]) => values.map((value) => Math.min(255, Math.max(0, Math.round(value))))

test('the TIFF decoder decodes YCbCr without JPEG compression to the correct colors for every packing, subsampling, layout, and scale [images.process.2]', async () => {
  const pixel = (x: number, y: number) => inBytes(ycbcr(colorAt(x, y)))
  const base = { photometric: 6, bits: 8, pixel }
  for (const compression of [1, 5, 8, 32_773, 50_000]) {
    await isShown({ ...base, compression }, colorAt, `compression ${compression}`)
    for (const shared of [
      [2, 2],
      [2, 1],
      [1, 2],
      [4, 1],
      [4, 4],
    ] as [number, number][]) {
      await isShown({ ...base, compression, shared, rows: 8 }, colorAt, `compression ${compression}, ${shared.join()}`)
    }
  }
  await isShown({ ...base, tile: [16, 16] }, colorAt, 'tiled')
  await isShown({ ...base, tile: [16, 16], shared: [2, 2], compression: 5 }, colorAt, 'tiled, shared')
  await isShown({ ...base, planar: true }, colorAt, 'planar')
  await isShown({ ...base, planar: true, shared: [2, 2], rows: 22 }, colorAt, 'planar, shared')
  await isShown({ ...base, predictor: 2, compression: 5 }, colorAt, 'predicted')
  for (const big of [false, true]) {
    const deep = (x: number, y: number) => ycbcr(colorAt(x, y)).map((value) => Math.round(value * 257))
    await isShown({ ...base, bits: 16, big, pixel: deep }, colorAt, '16 bits')
  }
  const hd = [0.2126, 0.7152, 0.0722] as const
  const hdPixel = (x: number, y: number) => inBytes(ycbcr(colorAt(x, y), hd))
  await isShown({ ...base, pixel: hdPixel, fields: [[529, 5, hd]] }, colorAt, 'BT.709')
  const narrow = (x: number, y: number) => {
    const [luma = 0, cb = 0, cr = 0] = ycbcr(colorAt(x, y))
    return inBytes([(luma * 219) / 255 + 16, ((cb - 128) * 224) / 255 + 128, ((cr - 128) * 224) / 255 + 128])
  }
  const range = [16, 235, 128, 240, 128, 240]
  await isShown({ ...base, pixel: narrow, fields: [[532, 5, range]] }, colorAt, 'the range of video', 3)
})

const toLight = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

/** Converts an sRGB color to L*a*b* with the white point D50 (by Bradford's method) or D65. */
function labOf(rgb: readonly number[], white: 'D50' | 'D65') {
  const [r = 0, g = 0, b = 0] = rgb.map(toLight)
  const f = (t: number) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29)
  const [x, y, z] =
    white === 'D50'
      ? [
          0.43607 * r + 0.38515 * g + 0.14307 * b,
          0.22249 * r + 0.71687 * g + 0.06061 * b,
          0.01392 * r + 0.09708 * g + 0.7141 * b,
        ]
      : [
          0.4124 * r + 0.3576 * g + 0.1805 * b,
          0.2126 * r + 0.7152 * g + 0.0722 * b,
          0.0193 * r + 0.1192 * g + 0.9505 * b,
        ]
  const [wx, wz] = white === 'D50' ? [0.9642, 0.82491] : [0.9505, 1.089]
  const [fx, fy, fz] = [f(x / wx), f(y), f(z / wz)]
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)] as const
}

test('the TIFF decoder decodes Lab of 8 and 16 bits to the correct colors, in both encodings and with the white point of the file [images.process.2]', async () => {
  const lab = (x: number, y: number, white: 'D50' | 'D65' = 'D50') => labOf(rgbAt(x, y), white)
  const codings: [number, 8 | 16, (lab: readonly [number, number, number]) => number[]][] = [
    [8, 8, ([l, a, b]) => [l * 2.55, a, b]],
    [8, 16, ([l, a, b]) => [l * 655.35, a * 256, b * 256]],
    [9, 8, ([l, a, b]) => [l * 2.55, a + 128, b + 128]],
    [9, 16, ([l, a, b]) => [l * 652.8, a * 256 + 32_768, b * 256 + 32_768]],
  ]
  for (const [photometric, bits, code] of codings) {
    const what = `photometric ${photometric} of ${bits} bits`
    // 8-bit Lab has whole units. In dark colors, one unit of a* is several levels of sRGB.
    const tolerance = bits === 8 ? 6 : 2
    const coded = (white: 'D50' | 'D65') => (x: number, y: number) => code(lab(x, y, white)).map(Math.round)
    const base = { photometric, bits, pixel: coded('D50') }
    for (const compression of [1, 5, 8]) await isShown({ ...base, compression }, colorAt, what, tolerance)
    await isShown({ ...base, planar: true }, colorAt, `${what}, planar`, tolerance)
    await isShown({ ...base, tile: [16, 32], big: true }, colorAt, `${what}, tiled`, tolerance)
    const daylight: Rest['fields'] = [[318, 5, [0.3127, 0.329]]]
    await isShown({ ...base, pixel: coded('D65'), fields: daylight }, colorAt, `${what}, D65`, tolerance)
  }
  const drawn = () => rawOf(SIZE.width, SIZE.height, colorAt)
  for (const space of ['lab', 'labs'] as const) {
    const bytes = await drawn().toColourspace(space).tiff({ compression: 'none' }).toBuffer()
    const { at } = await pixelsOf((await processed({ bytes, format: 'TIFF' }, [{ type: 'flip' }])).bytes)
    for (const [x, y] of PLACES) {
      const off = colorAt(x, y).map((value, channel) => Math.abs(value - (at(x, y)[channel] ?? 0)))
      assert.ok(Math.max(...off) <= 3, `${space} as libvips writes it: ${at(x, y).join()}`)
    }
  }
})

const DEPTHS: [bits: number, format: 1 | 3][] = [
  ...[1, 2, 4, 6, 8, 10, 12, 14, 16, 24, 32].map((bits): [number, 1] => [bits, 1]),
  ...[16, 24, 32, 64].map((bits): [number, 3] => [bits, 3]),
]

test('the TIFF decoder decodes samples of every bit depth to the correct brightness, in both byte orders [images.process.2]', async () => {
  for (const [bits, format] of DEPTHS) {
    for (const big of [false, true]) {
      const what = `${bits} bits, format ${format}, ${big ? 'big' : 'little'}-endian`
      const stored = (values: readonly number[]) => (format === 3 ? [...values] : whole(values, bits))
      const shown = (values: readonly number[]) =>
        format === 3
          ? values.map((value) => value * 255)
          : whole(values, bits).map((value) => (value / full(bits)) * 255)
      const base = { bits, format, big }
      const rgb = { ...base, photometric: 2, pixel: (x: number, y: number) => stored(rgbAt(x, y)) }
      const rgbShown = (x: number, y: number) => shown(rgbAt(x, y))
      const gray = { ...base, samples: 1, photometric: 1, pixel: (x: number, y: number) => stored([grayAt(x, y)]) }
      const shownGray = (x: number, y: number) => Array<number>(3).fill(shown([grayAt(x, y)])[0] ?? 0)
      const white = { ...gray, photometric: 0, pixel: (x: number, y: number) => stored([1 - grayAt(x, y)]) }
      const shownWhite = (x: number, y: number) => Array<number>(3).fill(255 - (shown([1 - grayAt(x, y)])[0] ?? 0))
      await isShown({ ...rgb, compression: 5 }, rgbShown, `color, ${what}`)
      await isShown({ ...gray, compression: 8 }, shownGray, `gray, ${what}`)
      await isShown(white, shownWhite, `white is zero, ${what}`)
      await isShown({ ...rgb, tile: [16, 16] }, rgbShown, `tiled, ${what}`)
      await isShown({ ...rgb, planar: true }, rgbShown, `planar, ${what}`)
      await isShown({ ...rgb, planar: true, tile: [16, 16] }, rgbShown, `planar in tiles, ${what}`)
      if (format === 3 && bits !== 24)
        await isShown({ ...rgb, predictor: 3, compression: 8 }, rgbShown, `predicted, ${what}`)
      if (format === 1 && [8, 16, 32].includes(bits))
        await isShown({ ...rgb, predictor: 2, compression: 5 }, rgbShown, `predicted, ${what}`)
    }
  }
})

test('the TIFF decoder keeps transparency at every bit depth, straight and premultiplied, even with CMYK [images.process.2]', async () => {
  const alpha = 0.6
  for (const [bits, format] of DEPTHS.filter(([depth]) => depth >= 8)) {
    const stored = (values: readonly number[]) => (format === 3 ? [...values] : whole(values, bits))
    const base = { bits, format, photometric: 2, samples: 4 }
    const expected = (x: number, y: number) => [...colorAt(x, y), alpha * 255]
    const straight = (x: number, y: number) => stored([...rgbAt(x, y), alpha])
    await isShown({ ...base, extra: [2], pixel: straight }, expected, `straight, ${bits} bits`)
    const multiplied = (x: number, y: number) => stored([...rgbAt(x, y).map((value) => value * alpha), alpha])
    await isShown({ ...base, extra: [1], pixel: multiplied }, expected, `premultiplied, ${bits} bits`, 3)
    const gray = (x: number, y: number) => stored([grayAt(x, y), alpha])
    const shownGray = (x: number, y: number) => [...grayShown(x, y), alpha * 255]
    await isShown({ ...base, photometric: 1, samples: 2, extra: [2], pixel: gray }, shownGray, `gray, ${bits} bits`)
  }
  const ink = (x: number, y: number) => [...rgbAt(x, y).map((value) => 1 - value), 0.1]
  const plain = tiff({ photometric: 5, bits: 8, samples: 4, pixel: (x, y) => whole(ink(x, y), 8) })
  const { at } = await pixelsOf((await processed(plain, [{ type: 'flip' }])).bytes)
  const printed = (x: number, y: number) => at(x, y).slice(0, 3)
  for (const bits of [12, 16, 32]) {
    const base = { photometric: 5, bits }
    await isShown({ ...base, samples: 4, pixel: (x, y) => whole(ink(x, y), bits) }, printed, `CMYK, ${bits} bits`)
    const pixel = (x: number, y: number) => whole([...ink(x, y), alpha], bits)
    const expected = (x: number, y: number) => [...printed(x, y), alpha * 255]
    await isShown({ ...base, samples: 5, extra: [2], pixel }, expected, `CMYK and alpha, ${bits} bits`)
  }
})

test('the TIFF decoder ignores the samples after the alpha sample', async () => {
  const alpha = 150
  const expected = (x: number, y: number) => [...colorAt(x, y), alpha]
  const source = tiff({
    photometric: 2,
    bits: 8,
    samples: 5,
    extra: [2, 0],
    pixel: (x, y) => [...colorAt(x, y), alpha, x],
  })
  for (const operation of [{ type: 'flip' }, { type: 'exposure' }, { type: 'resize', ...SIZE }]) {
    for (const output of ['png', 'webp', 'tif'] as const) {
      const { at } = await pixelsOf((await processed(source, [operation], { output })).bytes)
      for (const [x, y] of PLACES) assertNear(at(x, y), expected(x, y), `${operation.type} ${output}`, 12)
    }
  }
})

test('the TIFF decoder applies the color profile to color and gray samples of 12 and 32 bits [images.process.2]', async () => {
  const { data, info } = await rawOf(1, 1, () => [200, 60, 40])
    .withIccProfile('p3')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { icc } = await sharp(
    await rawOf(1, 1, () => [0, 0, 0])
      .withIccProfile('p3')
      .png()
      .toBuffer(),
  ).metadata()
  assert.ok(icc !== undefined && info.channels === 3)
  // Type 1 is BYTE, and type 7 is UNDEFINED.
  for (const [bits, format, type] of [
    [12, 1, 1],
    [32, 1, 7],
    [32, 3, 7],
  ] as const) {
    const fields: NonNullable<Rest['fields']> = [[34_675, type, [...icc]]]
    const values = [...data].map((value) => value / 255)
    const pixel = () => (format === 3 ? values : whole(values, bits))
    await isShown({ photometric: 2, bits, format, fields, pixel }, () => [200, 60, 40], `${bits} bits`, 3)
    const linear: Rest['fields'] = [[34_675, 7, [...linearGrayProfile()]]]
    const tone = () => (format === 3 ? [60 / 255] : whole([60 / 255], bits))
    const gray = { photometric: 1, samples: 1, bits, format, fields: linear, pixel: tone }
    // The profile is linear. Linear light of 60 / 255 is the sRGB value 133.
    await isShown(gray, () => [133, 133, 133], `gray, ${bits} bits`)
  }
})

test('the TIFF decoder ignores a damaged color profile at every bit depth [images.process.2]', async () => {
  const { icc } = await sharp(
    await rawOf(1, 1, () => [0, 0, 0])
      .withIccProfile('p3')
      .png()
      .toBuffer(),
  ).metadata()
  for (const broken of [[...(icc ?? [])].slice(0, 200), Array<number>(300).fill(7)]) {
    for (const bits of [8, 12, 16]) {
      const fields: Rest['fields'] = [[34_675, 7, broken]]
      await isShown(
        { photometric: 2, bits, fields, pixel: (x, y) => whole(rgbAt(x, y), bits) },
        colorAt,
        `${bits} bits`,
      )
    }
  }
})

test('the TIFF decoder rejects an unsupported kind of TIFF and names the kind in the error, instead of drawing wrong pixels', async () => {
  const pixel = (x: number, y: number) => colorAt(x, y)
  const kinds: [RegExp, Rest][] = [
    [/signed samples/, { photometric: 2, bits: 16, format: 2, pixel }],
    [/signed samples/, { photometric: 1, bits: 8, samples: 1, format: 2, pixel: () => [7] }],
    [/its color space/, { photometric: 32_803, bits: 8, samples: 1, pixel: () => [7] }],
    [/its color space/, { photometric: 34_892, bits: 16, pixel }],
    [/its color space/, { photometric: 32_845, bits: 16, format: 2, pixel }],
    [/its color space/, { photometric: 6, bits: 8, shared: [3, 1], rows: 6, pixel }],
    [/its old-style JPEG compression/, { photometric: 6, bits: 8, compression: 6, pixel }],
    [/not CMYK/, { photometric: 5, bits: 8, samples: 4, fields: [[332, 3, [2]]], pixel: () => [1, 2, 3, 4] }],
    [/number of samples/, { photometric: 2, bits: 8, samples: 2, pixel: () => [1, 2] }],
    [/number of samples/, { photometric: 2, bits: 12, samples: 40, pixel: () => Array<number>(40).fill(1) }],
    [/size of its samples/, { photometric: 6, bits: 12, pixel }],
    [/size of its samples/, { photometric: 2, bits: 64, pixel }],
    [/size of its samples/, { photometric: 8, bits: 32, pixel }],
    [/size of its samples/, { photometric: 8, bits: 16, format: 3, pixel }],
    [/its compression/, { photometric: 6, bits: 8, compression: 34_925, pixel }],
    [/size of its strips or tiles/, { photometric: 6, bits: 8, tile: [65_536, 0x8000], pixel }],
  ]
  for (const [message, rest] of kinds) {
    const { tile, ...untiled } = rest
    const file = tiff(untiled)
    // The file has tiles of 16 × 16 pixels, but its header declares the larger tile size.
    if (tile !== undefined) file.bytes = tiffFile({ ...SIZE, samples: 3, ...untiled, tile: [16, 16] })
    if (tile !== undefined) claim(file.bytes, 322, tile[0])
    if (tile !== undefined) claim(file.bytes, 323, tile[1])
    await assert.rejects(processed(file, [{ type: 'flip' }]), failure(message), String(message))
  }
})

function claim(bytes: Buffer, tag: number, value: number): void {
  const start = bytes.readUInt32LE(4)
  for (let at = start + 2; at < start + 2 + bytes.readUInt16LE(start) * 12; at += 12) {
    if (bytes.readUInt16LE(at) === tag) bytes.writeUInt32LE(value, at + 8)
  }
}

test('the TIFF decoder rejects a truncated or damaged TIFF of a rare kind, wherever the damage is', async () => {
  for (const compression of [1, 5, 8, 32_773, 50_000]) {
    const pixel = (x: number, y: number) => inBytes(ycbcr(colorAt(x, y)))
    const { bytes, format } = tiff({ photometric: 6, bits: 8, compression, pixel })
    const offsets = bytes.indexOf(Buffer.from([0x11, 1, 4, 0]))
    const moved = Buffer.from(bytes)
    const list = moved.readUInt32LE(offsets + 8)
    moved.writeUInt32LE(moved.length - 3, list)
    await assert.rejects(processed({ bytes: moved, format }, [{ type: 'flip' }]), failure(/damaged or incomplete/))
    const { below: random } = createRandom(7)
    for (let round = 0; round < 60; round += 1) {
      const changed = Buffer.from(bytes)
      changed[random(changed.length)] = random(256)
      changed[bytes.readUInt32LE(4) + random(200)] = random(256)
      const limits = { maxFramePixels: 1_000_000, maxSourcePixels: 1_000_000 }
      await processed({ bytes: changed, format }, [{ type: 'flip' }], { limits }).catch((error: unknown) => {
        assert.ok(error instanceof Error && error.name === 'RequestFailure', `${String(error)} in round ${round}`)
      })
    }
  }
})
