import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { failure } from '@mediamill/lab/support/failure'
import { createRandom } from '@mediamill/lab/support/random'
import { codedProfile } from '@mediamill/media/formats/icc-profile'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import sharp from 'sharp'
import { isNear } from '../process-fixture.ts'
import { decodeHeic } from './heic.ts'
import { alphaPlane, clap, coded, codedColors, grid, heic, iccColors, imir, irot, SQUARES } from './heic-fixture.ts'
import { wasmHeapBytes } from './libheif.ts'

type Color = keyof typeof SQUARES

function pixel({ data, width, channels }: RawImage, x: number, y: number): number[] {
  return [...data.subarray((y * width + x) * channels, (y * width + x + 1) * channels)]
}

function quarters(image: RawImage): Color[] {
  const { width, height } = image
  return [0.25, 0.75].flatMap((down) =>
    [0.25, 0.75].map((across) => {
      const found = pixel(image, Math.floor(width * across), Math.floor(height * down))
      const name = (Object.keys(SQUARES) as Color[]).find((color) => isNear(found, SQUARES[color]))
      assert.ok(name, `no square's color: ${found.join(' ')}`)
      return name
    }),
  )
}

test('the HEIC decoder decodes images of 8 and 10 bits to the correct colors, without an alpha channel [sources.formats.5]', () => {
  for (const kind of ['eight', 'ten'] as const) {
    const { image, profile } = decodeHeic(heic({ items: [coded(kind)] }))
    assert.deepEqual({ ...image, data: image.data.length }, { width: 64, height: 64, channels: 3, data: 64 * 64 * 3 })
    assert.deepEqual(quarters(image), ['red', 'green', 'blue', 'yellow'])
    assert.equal(profile, undefined)
  }
})

test('the HEIC decoder joins the tiles of a grid, and trims the image to the size of the grid', () => {
  const tiles = [grid(2, 1, 100, 64), coded('eight'), coded('eight')]
  const { image } = decodeHeic(heic({ items: tiles, references: [{ type: 'dimg', from: 1, to: [2, 3] }] }))
  assert.deepEqual([image.width, image.height], [100, 64])
  const near = (x: number, y: number, color: Color) => isNear(pixel(image, x, y), SQUARES[color])
  assert.ok(
    near(16, 16, 'red') &&
      near(48, 16, 'green') &&
      near(80, 16, 'red') &&
      near(80, 48, 'blue') &&
      near(98, 48, 'yellow'),
  )
})

test("the HEIC decoder applies the container's rotations, flips, and crops in order [images.process.5]", () => {
  const decoded = (...properties: Buffer[]) => decodeHeic(heic({ items: [coded('eight', ...properties)] })).image
  assert.deepEqual(quarters(decoded(irot(1))), ['green', 'yellow', 'red', 'blue'], 'a quarter turn against the clock')
  assert.deepEqual(quarters(decoded(irot(2))), ['yellow', 'blue', 'green', 'red'])
  assert.deepEqual(quarters(decoded(imir(1))), ['green', 'red', 'yellow', 'blue'])
  assert.deepEqual(quarters(decoded(irot(1), imir(1))), ['yellow', 'green', 'blue', 'red'])
  const cropped = decoded(clap(40, 20), irot(1))
  assert.deepEqual([cropped.width, cropped.height], [20, 40])
  assert.deepEqual(quarters(cropped), ['green', 'yellow', 'red', 'blue'])
})

test('the HEIC decoder decodes the primary image wherever it is in the file', () => {
  const items = [coded('mono'), coded('eight'), coded('mono')]
  assert.deepEqual(quarters(decodeHeic(heic({ items, primary: 2 })).image), ['red', 'green', 'blue', 'yellow'])
})

test('the HEIC decoder returns an alpha plane as the fourth channel', () => {
  const items = [coded('eight'), { ...coded('mono', alphaPlane), hidden: true }]
  const { image } = decodeHeic(heic({ items, references: [{ type: 'auxl', from: 2, to: [1] }] }))
  assert.equal(image.channels, 4)
  assert.equal(pixel(image, 10, 10)[3], 255)
  assert.ok(Math.abs((pixel(image, 50, 10)[3] ?? 0) - 64) <= 4)
  assert.deepEqual(quarters(image), ['red', 'green', 'blue', 'yellow'])
})

const converted = async (tiff: Buffer) => sharp(tiff).raw().toBuffer()

test('the HEIC decoder decodes wide-gamut colors: an embedded profile and the codes of Display P3 give the same image [images.process.2]', async () => {
  const profile = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
    .withIccProfile('p3')
    .png()
    .toBuffer()
    .then(async (png) => (await sharp(png).metadata()).icc)
  assert.ok(profile)
  const embedded = decodeHeic(heic({ items: [coded('eight', iccColors(profile))] }))
  assert.deepEqual(embedded.profile, profile)
  const named = decodeHeic(heic({ items: [coded('eight', codedColors(12, 13))] }))
  assert.deepEqual(named.image.data, embedded.image.data, 'pixels are in the colors of the file')
  const [fromEmbedded, fromNamed] = [await converted(embedded.tiff), await converted(named.tiff)]
  for (const [at, value] of fromEmbedded.entries()) assert.ok(Math.abs(value - (fromNamed[at] ?? 0)) <= 2)
  // Display P3's red (220, 40, 30) is outside sRGB: its red rises and its green is clipped.
  const [red = 0, green = 0] = fromEmbedded.subarray((16 * 64 + 16) * 3)
  assert.ok(red > 232 && green < 12, `${red} ${green}`)
})

test("the HEIC decoder uses the profile of a grid's tiles if the grid has no profile", () => {
  const profile = codedProfile(12, 13)
  assert.ok(profile)
  const items = [grid(1, 1, 64, 64), coded('eight', iccColors(profile))]
  assert.deepEqual(decodeHeic(heic({ items, references: [{ type: 'dimg', from: 1, to: [2] }] })).profile, profile)
})

test('the HEIC decoder converts high dynamic range to SDR: black stays black, reference white is nearly white, and tones keep their order', async () => {
  assert.equal(codedProfile(1, 13), undefined, 'sRGB needs no profile')
  for (const transfer of [16, 18]) {
    const { tiff, image } = decodeHeic(heic({ items: [coded('mono', codedColors(9, transfer))] }))
    for (let value = 0; value < 256; value += 1) image.data.fill(value, value * 3, value * 3 + 3)
    const gray = Array.from((await converted(tiff)).subarray(0, 768).filter((_, at) => at % 3 === 0))
    assert.equal(gray[0], 0)
    assert.deepEqual(
      gray,
      gray.toSorted((a, b) => a - b),
    )
    // BT.2408: reference white is 58 % of the signal in PQ, 75 % in HLG.
    const white = gray[Math.round(255 * (transfer === 16 ? 0.58 : 0.75))] ?? 0
    assert.ok(white > 225 && white < 252, `${white}`)
    assert.equal(gray[255], 255)
  }
})

test('the HEIC decoder accepts an image at the pixel limit, and rejects a larger image by its header [limits.media.2]', () => {
  const file = heic({ items: [coded('eight')] })
  assert.equal(decodeHeic(file, 64 * 64).image.width, 64)
  assert.throws(() => decodeHeic(file, 64 * 64 - 1), failure(/64 × 64 pixels; the limit is/))
})

test('the HEIC decoder rejects a file truncated at any position, and still decodes a complete file afterwards', () => {
  const tiles = [grid(2, 1, 128, 64), coded('eight'), coded('eight')]
  const file = heic({ items: tiles, references: [{ type: 'dimg', from: 1, to: [2, 3] }] })
  for (let length = 0; length < file.length; length += 7) {
    assert.throws(() => decodeHeic(file.subarray(0, length)), failure(/damaged or truncated/), `${length} bytes`)
  }
  assert.equal(decodeHeic(file).image.width, 128)
})

test('changed bytes never crash the HEIC decoder: the decoder returns an image or rejects the file', () => {
  const file = heic({
    items: [grid(1, 1, 64, 64, irot(1)), coded('eight')],
    references: [{ type: 'dimg', from: 1, to: [2] }],
  })
  const { below: random } = createRandom(11)
  for (let round = 0; round < 600; round += 1) {
    const bytes = Buffer.from(file)
    for (let change = 0; change <= random(3); change += 1) bytes[random(bytes.length)] = random(256)
    try {
      const { image } = decodeHeic(bytes, 1_000_000)
      assert.equal(image.data.length, image.width * image.height * image.channels)
    } catch (error) {
      assert.ok(error instanceof RequestFailure, String(error))
    }
  }
})

test('the WebAssembly memory that the image engine reports includes the HEIC decoder', () => {
  decodeHeic(heic({ items: [coded('eight')] }))
  assert.ok(wasmHeapBytes() >= 1024 * 1024)
})
