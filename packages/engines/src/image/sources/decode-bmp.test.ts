import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { failure } from '@mediamill/lab/support/failure'
import { createRandom } from '@mediamill/lab/support/random'
import { readBmpHeader } from '@mediamill/media/formats/bmp'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import { decodeBmp } from './decode-bmp.ts'

type Parts = {
  info?: number
  width: number
  height: number
  bits: number
  compression?: number
  used?: number
  masks?: number[]
  /** The bytes of each entry: blue, green, red, and, except in OS/2 version 1, a fourth byte. */
  palette?: number[][]
  pixels: number[]
}

function bitmap({
  info = 40,
  width,
  height,
  bits,
  compression = 0,
  used = 0,
  masks = [],
  palette = [],
  pixels,
}: Parts): Buffer {
  const header = Buffer.alloc(14 + info)
  header.write('BM', 'latin1')
  header.writeUInt32LE(info, 14)
  if (info === 12) {
    header.writeUInt16LE(width, 18)
    header.writeUInt16LE(height, 20)
    header.writeUInt16LE(1, 22)
    header.writeUInt16LE(bits, 24)
  } else {
    header.writeInt32LE(width, 18)
    header.writeInt32LE(height, 22)
    header.writeUInt16LE(1, 26)
    header.writeUInt16LE(bits, 28)
    if (info >= 20) header.writeUInt32LE(compression, 30)
    if (info >= 24) header.writeUInt32LE(pixels.length, 34)
    if (info >= 36) header.writeUInt32LE(used, 46)
  }
  const maskBytes = Buffer.alloc(masks.length * 4)
  for (const [index, mask] of masks.entries()) maskBytes.writeUInt32LE(mask, index * 4)
  // From version 2 on, the header includes the masks.
  if (info >= 52) maskBytes.copy(header, 54)
  const before = [header, ...(info >= 52 ? [] : [maskBytes]), Buffer.from(palette.flat())]
  header.writeUInt32LE(
    before.reduce((sum, part) => sum + part.length, 0),
    10,
  )
  return Buffer.concat([...before, Buffer.from(pixels)])
}

function decoded(bytes: Buffer): RawImage {
  const result = decodeBmp(bytes)
  assert.ok(!('embedded' in result))
  return result
}

function rows(image: RawImage): string[] {
  const { data, width, height, channels } = image
  assert.equal(data.length, width * height * channels)
  const bytes = width * channels
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_pixel, x) =>
      data.toString('hex', y * bytes + x * channels, y * bytes + (x + 1) * channels),
    ).join(' '),
  )
}

const BGR = [
  [0, 0, 255, 0],
  [0, 255, 0, 0],
  [255, 0, 0, 0],
  [1, 2, 3, 0],
]
const [R, G, B, K] = ['ff0000', '00ff00', '0000ff', '030201']

test('the BMP decoder reads palette images of 1, 2, 4, and 8 bits, which have padded rows and start with the bottom row [sources.formats.5]', () => {
  const pad = (bytes: number[]) => [...bytes, 0, 0, 0, 0].slice(0, Math.ceil(bytes.length / 4) * 4)
  const cases = [
    { bits: 1, bottom: [0b10100000], top: [0b01100000], expected: [`${R} ${G} ${G}`, `${G} ${R} ${G}`] },
    { bits: 2, bottom: [0b11100100], top: [0b00011000], expected: [`${R} ${G} ${B}`, `${K} ${B} ${G}`] },
    { bits: 4, bottom: [0x32, 0x10], top: [0x01, 0x20], expected: [`${R} ${G} ${B}`, `${K} ${B} ${G}`] },
    { bits: 8, bottom: [3, 2, 1], top: [0, 1, 2], expected: [`${R} ${G} ${B}`, `${K} ${B} ${G}`] },
  ]
  for (const { bits, bottom, top, expected } of cases) {
    const parts = { width: 3, height: 2, bits, used: 4, palette: BGR, pixels: [...pad(bottom), ...pad(top)] }
    assert.deepEqual(rows(decoded(bitmap(parts))), expected, `${bits} bits`)
    assert.deepEqual(rows(decoded(bitmap({ ...parts, height: -2 }))), expected.toReversed(), `${bits} bits, top down`)
  }
})

test('the BMP decoder reads OS/2 bitmaps: three-byte palettes of version 1, short and long headers of version 2', () => {
  const short = BGR.map((entry) => entry.slice(0, 3))
  const full = [...short, ...Array.from({ length: 12 }, () => [9, 9, 9])]
  const pixels = [0x01, 0x23, 0, 0]
  const expected = [`${R} ${G} ${B} ${K}`]
  assert.deepEqual(rows(decoded(bitmap({ info: 12, width: 4, height: 1, bits: 4, palette: full, pixels }))), expected)
  const four = full.map((entry) => [...entry, 0])
  for (const info of [16, 64]) {
    assert.deepEqual(rows(decoded(bitmap({ info, width: 4, height: 1, bits: 4, palette: four, pixels }))), expected)
    assert.deepEqual(rows(decoded(bitmap({ info, width: 4, height: 1, bits: 4, palette: full, pixels }))), expected)
  }
  assert.deepEqual(rows(decoded(bitmap({ info: 12, width: 1, height: 1, bits: 24, pixels: [3, 2, 1, 0] }))), ['010203'])
})

test('the BMP decoder reads the last color of a palette that overlaps the start of the pixels', () => {
  const short = BGR.map((entry) => entry.slice(0, 3))
  const palette = [...short, ...Array.from({ length: 11 }, () => [9, 9, 9]), [0, 0, 255]]
  const one = bitmap({ info: 12, width: 4, height: 1, bits: 4, palette, pixels: [0xf1, 0xef, 0, 0] })
  assert.deepEqual(rows(decoded(one)), [`${R} ${G} 090909 ${R}`])
})

test('the BMP decoder draws a pixel black if its palette index has no color', () => {
  const pixels = [0, 3, 255, 0]
  const one = bitmap({ width: 3, height: 1, bits: 8, used: 1, palette: [[0, 0, 255, 0]], pixels })
  assert.deepEqual(rows(decoded(one)), [`${R} 000000 000000`])
})

test('the BMP decoder reads pixels of 16, 24, and 32 bits with the declared masks', () => {
  const word = (value: number) => [value & 255, value >> 8]
  const long = (value: number) => [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24]
  const fiveFiveFive = [...word(0x7c00), ...word(0x03e0), ...word(0x0010), 0, 0]
  assert.deepEqual(rows(decoded(bitmap({ width: 3, height: 1, bits: 16, pixels: fiveFiveFive }))), [`${R} ${G} 000084`])
  const masks565 = [0xf800, 0x07e0, 0x001f]
  const fiveSixFive = [...word(0xf800), ...word(0x0400), ...word(0x001f), 0, 0]
  const expected = [`${R} 008200 ${B}`]
  assert.deepEqual(
    rows(decoded(bitmap({ width: 3, height: 1, bits: 16, compression: 3, masks: masks565, pixels: fiveSixFive }))),
    expected,
  )
  assert.deepEqual(
    rows(
      decoded(
        bitmap({ info: 52, width: 3, height: 1, bits: 16, compression: 3, masks: masks565, pixels: fiveSixFive }),
      ),
    ),
    expected,
  )
  assert.deepEqual(rows(decoded(bitmap({ width: 2, height: 1, bits: 24, pixels: [3, 2, 1, 30, 20, 10, 0, 0] }))), [
    '010203 0a141e',
  ])
  assert.deepEqual(rows(decoded(bitmap({ width: 1, height: 1, bits: 32, pixels: [3, 2, 1, 77] }))), ['010203'])
  const redFirst = { width: 1, height: 1, bits: 32, compression: 3, masks: [0xff, 0xff00, 0xff0000] }
  assert.deepEqual(rows(decoded(bitmap({ ...redFirst, pixels: [1, 2, 3, 77] }))), ['010203'])
  const tenBits = { width: 2, height: 1, bits: 32, compression: 3, masks: [0x3ff00000, 0x000ffc00, 0x000003ff] }
  assert.deepEqual(rows(decoded(bitmap({ ...tenBits, pixels: [...long(0x3ff00000), ...long(512 << 10)] }))), [
    'ff0000 008000',
  ])
  const wide = { width: 1, height: 1, bits: 32, compression: 3, masks: [0xffffff00, 0x000000ff, 0] }
  assert.deepEqual(rows(decoded(bitmap({ ...wide, pixels: long(0x80000007) }))), ['800700'])
})

test('a BMP with an alpha mask decodes to four channels; an alpha channel that is 0 or 255 everywhere is dropped', () => {
  const masks = [0xff0000, 0xff00, 0xff, 0xff000000]
  const pixels = [3, 2, 1, 128, 30, 20, 10, 0]
  for (const { info, compression } of [
    { info: 56, compression: 3 },
    { info: 108, compression: 3 },
    { info: 124, compression: 3 },
    { info: 124, compression: 0 },
    { info: 40, compression: 6 },
  ]) {
    const parts = { info, width: 2, height: 1, bits: 32, compression, masks, pixels }
    assert.deepEqual(rows(decoded(bitmap(parts))), ['01020380 0a141e00'], `${info}`)
    assert.deepEqual(rows(decoded(bitmap({ ...parts, pixels: [3, 2, 1, 255, 30, 20, 10, 255] }))), ['010203 0a141e'])
    assert.deepEqual(
      rows(decoded(bitmap({ ...parts, pixels: [3, 2, 1, 0, 30, 20, 10, 0] }))),
      ['010203 0a141e'],
      'unset alpha is opaque',
    )
  }
})

test('the BMP decoder reads run-length encoded bitmaps: repeated pixels, padded literals, line ends, and jumps', () => {
  const eight = { width: 4, height: 2, bits: 8, compression: 1, used: 4, palette: BGR }
  const plain = [3, 1, 1, 2, 0, 0, 0, 3, 0, 1, 2, 0, 1, 3, 0, 1]
  assert.deepEqual(rows(decoded(bitmap({ ...eight, pixels: plain }))), [`${R} ${G} ${B} ${K}`, `${G} ${G} ${G} ${B}`])
  const jumping = [1, 1, 0, 2, 1, 1, 2, 2, 0, 1]
  assert.deepEqual(rows(decoded(bitmap({ ...eight, pixels: jumping }))), [
    '00000000 00000000 0000ffff 0000ffff',
    '00ff00ff 00000000 00000000 00000000',
  ])
  const four = { ...eight, bits: 4, compression: 2, width: 5 }
  const runs = [5, 0x12, 0, 0, 0, 5, 0x01, 0x23, 0x00, 0, 0, 1]
  assert.deepEqual(rows(decoded(bitmap({ ...four, pixels: runs }))), [
    `${R} ${G} ${B} ${K} ${R}`,
    `${G} ${B} ${G} ${B} ${G}`,
  ])
  const longer = [200, 0x11, 0, 0, 5, 0x33, 0, 1]
  assert.deepEqual(
    rows(decoded(bitmap({ ...four, pixels: longer }))),
    [Array(5).fill(K).join(' '), Array(5).fill(G).join(' ')],
    'what runs out of its row is dropped',
  )
  const colored = { info: 64, width: 4, height: 1, bits: 24, compression: 4 }
  const mixed = [1, 0, 0, 255, 0, 3, 255, 0, 0, 0, 255, 0, 3, 2, 1, 0, 0, 1]
  assert.deepEqual(rows(decoded(bitmap({ ...colored, pixels: mixed }))), [`${R} ${B} ${G} 010203`])
})

test('the BMP decoder returns a wrapped JPEG or PNG file unchanged', () => {
  for (const compression of [4, 5]) {
    const result = decodeBmp(bitmap({ width: 9, height: 9, bits: 0, compression, pixels: [1, 2, 3, 4] }))
    assert.ok('embedded' in result)
    assert.deepEqual([...result.embedded], [1, 2, 3, 4])
  }
})

test('the BMP decoder accepts an image at the pixel limit, and rejects a larger image by its header [limits.media.2]', () => {
  const parts = { width: 10, height: 10, bits: 32, pixels: Array<number>(400).fill(0) }
  assert.equal(decoded(bitmap(parts)).width, 10)
  assert.throws(() => decodeBmp(bitmap(parts), 99), failure(/10 × 10 pixels; the limit is/))
  assert.equal(rows(decodeBmp(bitmap(parts), 100) as RawImage).length, 10)
  for (const [width, height] of [
    [2 ** 31 - 1, 2 ** 31 - 1],
    [10_001, 10_000],
    [1, -(2 ** 31)],
  ] as const) {
    assert.throws(
      () => decodeBmp(bitmap({ width, height, bits: 8, compression: 1, pixels: [] })),
      failure(/the limit is 100 megapixels/),
    )
  }
})

test('the BMP decoder rejects a truncated or unsupported bitmap with a clear message', () => {
  const whole = bitmap({ width: 5, height: 5, bits: 24, pixels: Array<number>(80).fill(7) })
  // The padding of the last row may be missing: some programs omit it.
  assert.equal(rows(decoded(whole.subarray(0, whole.length - 1))).length, 5)
  for (let length = 0; length < whole.length - 1; length += 1) {
    assert.throws(() => decodeBmp(whole.subarray(0, length)), failure(/truncated|damaged/), `${length} bytes`)
  }
  const runs = bitmap({
    width: 4,
    height: 2,
    bits: 8,
    compression: 1,
    used: 4,
    palette: BGR,
    pixels: [4, 1, 0, 0, 2, 1],
  })
  assert.throws(() => decodeBmp(runs), failure(/truncated/))
  assert.throws(
    () => decodeBmp(bitmap({ width: 1, height: 1, bits: 64, pixels: Array<number>(8).fill(0) })),
    failure(/unsupported format/),
  )
  assert.throws(
    () => decodeBmp(bitmap({ info: 64, width: 1, height: 1, bits: 1, compression: 3, palette: BGR, pixels: [0, 0] })),
    failure(/unsupported format/),
  )
  assert.throws(() => decodeBmp(bitmap({ width: 0, height: 1, bits: 8, pixels: [0] })), failure(/damaged/))
})

test('changed bytes never crash the BMP decoder: the decoder returns an image or rejects the file', () => {
  const originals = [
    bitmap({ width: 7, height: 5, bits: 4, used: 4, palette: BGR, pixels: Array<number>(20).fill(0x12) }),
    bitmap({
      width: 7,
      height: 5,
      bits: 8,
      compression: 1,
      used: 4,
      palette: BGR,
      pixels: [7, 1, 0, 0, 0, 3, 1, 2, 3, 0, 4, 1, 0, 2, 0, 1, 7, 2, 0, 0, 7, 1, 0, 1],
    }),
    bitmap({
      info: 124,
      width: 2,
      height: 2,
      bits: 32,
      compression: 3,
      masks: [0xff0000, 0xff00, 0xff, 0xff000000],
      pixels: Array<number>(16).fill(200),
    }),
    bitmap({
      info: 12,
      width: 4,
      height: 3,
      bits: 1,
      palette: [
        [0, 0, 0],
        [255, 255, 255],
      ],
      pixels: Array<number>(12).fill(0x50),
    }),
  ]
  const { below: random } = createRandom(7)
  for (let round = 0; round < 4000; round += 1) {
    const bytes = Buffer.from(originals[round % originals.length] ?? '')
    for (let change = 0; change <= random(4); change += 1) bytes[random(bytes.length)] = random(256)
    const cut = bytes.subarray(0, round % 3 === 0 ? random(bytes.length) : bytes.length)
    try {
      const result = decodeBmp(cut, 1_000_000)
      if (!('embedded' in result)) assert.equal(result.data.length, result.width * result.height * result.channels)
    } catch (error) {
      assert.ok(error instanceof RequestFailure, String(error))
    }
  }
})

test('the BMP decoder reads the width and height of an image from the header alone', () => {
  const first = bitmap({ width: 640, height: -480, bits: 24, pixels: [] })
  const { width, height, isTopDown } = readBmpHeader(first) ?? {}
  assert.deepEqual({ width, height, isTopDown }, { width: 640, height: 480, isTopDown: true })
})
