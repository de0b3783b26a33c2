import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import { OUTPUT_FORMATS, SOURCE_FORMATS } from '@mediamill/contract/domain/media'
import { bitmapHeader } from '@mediamill/lab/hostile/valid-files'
import { codedProfile } from '@mediamill/media/formats/icc-profile'
import type { TestFile, TestFormat } from './process-fixture.ts'
import { assertNear, isNear, pixelsOf, processed, rawOf } from './process-fixture.ts'
import {
  alphaPlane,
  clap,
  coded,
  codedAv1,
  codedColors,
  grid,
  heic,
  iccColors,
  imir,
  irot,
  SQUARES,
} from './sources/heic-fixture.ts'

const square = (x: number, y: number) => SQUARES[y < 32 ? (x < 32 ? 'red' : 'green') : x < 32 ? 'blue' : 'yellow']
const squares = () => rawOf(64, 64, square)

function bitmap(): Buffer {
  const head = bitmapHeader({ width: 64, height: 64, bits: 24, compression: 0, dataBytes: 64 * 64 * 3 })
  const rows = Array.from({ length: 64 }, (_, row) =>
    Array.from({ length: 64 }, (_, x) => square(x, 63 - row).toReversed()).flat(),
  )
  return Buffer.concat([head, Buffer.from(rows.flat())])
}

const SOURCES: Record<ImageSourceFormat, () => Promise<Buffer>> = {
  JPEG: () => squares().jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer(),
  PNG: () => squares().png().toBuffer(),
  GIF: () => squares().gif().toBuffer(),
  WEBP: () => squares().webp({ lossless: true }).toBuffer(),
  TIFF: () => squares().tiff({ compression: 'lzw' }).toBuffer(),
  BMP: () => Promise.resolve(bitmap()),
  HEIC: () => Promise.resolve(heic({ items: [coded('eight')] })),
  AVIF: () => squares().avif({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer(),
}

async function quartersOf(bytes: Buffer, tolerance = 12): Promise<string[]> {
  const { at, width, height } = await pixelsOf(bytes)
  return [0.25, 0.75].flatMap((down) =>
    [0.25, 0.75].map((across) => {
      const found = at(Math.floor(width * across), Math.floor(height * down))
      const name = Object.entries(SQUARES).find(([, color]) => isNear(found, color, tolerance))?.[0]
      return name ?? found.join(' ')
    }),
  )
}

const UPRIGHT = ['red', 'green', 'blue', 'yellow']

test('the image engine converts every input format to every output format with the correct colors and size [sources.formats.5]', async () => {
  const operations = {
    turned: [{ type: 'rotate', degrees: 180 }],
    smaller: [{ type: 'resize', width: 32, height: 32 }],
    drawn: [{ type: 'crop', x: 0, y: 0, width: 64, height: 64 }, { type: 'exposure' }, { type: 'flip' }],
  }
  for (const format of SOURCE_FORMATS.image) {
    const bytes = await SOURCES[format]()
    for (const output of OUTPUT_FORMATS.image) {
      const run = (list: object[]) => processed({ bytes, format }, list, { output })
      const what = `${format} to ${output}`
      const turned = await run(operations.turned)
      assert.deepEqual([turned.data['width'], turned.data['height']], [64, 64], what)
      assert.deepEqual(await quartersOf(turned.bytes), UPRIGHT.toReversed(), what)
      const smaller = await run(operations.smaller)
      assert.deepEqual([smaller.data['width'], smaller.data['height']], [32, 32], what)
      assert.deepEqual(await quartersOf(smaller.bytes), UPRIGHT, what)
      assert.deepEqual(await quartersOf((await run(operations.drawn)).bytes), UPRIGHT, what)
    }
  }
})

const heicFile = (...items: Parameters<typeof heic>[0]['items']): TestFile => ({
  bytes: heic({ items }),
  format: 'HEIC',
})

test('the rotation of a HEIC container is applied before any operation, and orient does not rotate again [images.process.5]', async () => {
  const turned = heicFile(coded('eight', irot(1)))
  for (const operations of [[{ type: 'flip' }], [{ type: 'orient' }], [{ type: 'resize', width: 16, height: 16 }]]) {
    assert.deepEqual(await quartersOf((await processed(turned, operations)).bytes), ['green', 'yellow', 'red', 'blue'])
  }
  const both = heicFile(coded('eight', irot(1), imir(1)))
  const back = [{ type: 'flip', horizontal: true }]
  assert.deepEqual(await quartersOf((await processed(both, back)).bytes), ['green', 'yellow', 'red', 'blue'])
})

test('the image engine processes a HEIC with several tiles, a HEIC of 10 bits, and a HEIC with several images [sources.formats.5]', async () => {
  const tiles = [grid(2, 1, 128, 64), coded('eight'), coded('eight')]
  const tiled = heic({ items: tiles, references: [{ type: 'dimg', from: 1, to: [2, 3] }] })
  const right = [{ type: 'crop', x: 64, y: 0, width: 64, height: 64 }]
  assert.deepEqual(await quartersOf((await processed({ bytes: tiled, format: 'HEIC' }, right)).bytes), UPRIGHT)
  assert.deepEqual(await quartersOf((await processed(heicFile(coded('ten')), [{ type: 'flip' }])).bytes), UPRIGHT)
  const second = heic({ items: [coded('mono'), coded('eight')], primary: 2 })
  assert.deepEqual(
    await quartersOf((await processed({ bytes: second, format: 'HEIC' }, [{ type: 'flip' }])).bytes),
    UPRIGHT,
  )
})

test('the image engine keeps the alpha of a HEIC, and composites the image on white in a jpg [images.process.2]', async () => {
  const items = [coded('eight'), { ...coded('mono', alphaPlane), hidden: true }]
  const bytes = heic({ items, references: [{ type: 'auxl', from: 2, to: [1] }] })
  const run = (output: TestFormat) => processed({ bytes, format: 'HEIC' }, [{ type: 'flip' }], { output })
  const clear = (await pixelsOf((await run('png')).bytes)).at(48, 16)
  const alpha = clear[3] ?? 0
  assert.ok(Math.abs(alpha - 64) <= 4, `${alpha}`)
  const onWhite = (await pixelsOf((await run('jpg')).bytes)).at(48, 16)
  SQUARES.green.forEach((part, channel) => {
    const expected = (part * alpha + 255 * (255 - alpha)) / 255
    assert.ok(Math.abs(expected - (onWhite[channel] ?? 0)) <= 10, onWhite.join())
  })
})

test('the alpha of an AVIF follows the crop, rotation, and flip of the colors, and premultiplied colors are divided by alpha', async () => {
  const alphas = { red: 255, green: 200, blue: 150, yellow: 100 }
  const nameAt = (x: number, y: number) => (y < 32 ? (x < 32 ? 'red' : 'green') : x < 32 ? 'blue' : 'yellow')
  const encoded = async (color: (x: number, y: number) => readonly number[]) =>
    rawOf(64, 64, color).avif({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()
  const plane = codedAv1(await encoded((x, y) => Array(3).fill(alphas[nameAt(x, y)])), 64, 64, alphaPlane)
  const multiplied = await encoded((x, y) => square(x, y).map((part) => (part * alphas[nameAt(x, y)]) / 255))
  const straight = await encoded(square)
  const avif = (colors: Buffer, transforms: Buffer[], ...references: string[]): TestFile => ({
    bytes: heic({
      items: [codedAv1(colors, 64, 64, ...transforms), { ...plane, hidden: true }],
      references: [{ type: 'auxl', from: 2, to: [1] }, ...references.map((type) => ({ type, from: 1, to: [2] }))],
      brands: 'avifmif1',
    }),
    format: 'AVIF',
  })
  const turned = ['green', 'yellow', 'red', 'blue'] as const
  const mirrored = ['yellow', 'green', 'blue', 'red'] as const
  const cases = [
    [avif(multiplied, [], 'prem'), 64, 64, ['red', 'green', 'blue', 'yellow']],
    [avif(straight, [irot(1)]), 64, 64, turned],
    [avif(straight, [clap(48, 32), irot(1)]), 32, 48, turned],
    [avif(straight, [clap(48, 32), irot(1), imir(1)]), 32, 48, mirrored],
    [avif(multiplied, [irot(1), imir(0)], 'prem'), 64, 64, ['red', 'blue', 'green', 'yellow']],
  ] as const
  for (const [index, [file, width, height, names]] of cases.entries()) {
    const image = await pixelsOf((await processed(file, [{ type: 'flip' }])).bytes)
    assert.deepEqual([image.width, image.height], [width, height], `${index}`)
    for (const [quarter, name] of names.entries()) {
      const [across, down] = [quarter % 2 === 0 ? 0.25 : 0.75, quarter < 2 ? 0.25 : 0.75]
      assertNear(image.at(width * across, height * down), [...SQUARES[name], alphas[name]], `${index} ${name}`, 5)
    }
  }
  const tooWide = avif(straight, [clap(80, 32)])
  await assert.rejects(processed(tooWide, [{ type: 'flip' }]), { code: 'processing_failed' })
})

test('the image engine converts wide-gamut HEIC and AVIF to sRGB by their profile or their color codes, at full size and smaller [images.process.2]', async () => {
  const profile = codedProfile(12, 13)
  assert.ok(profile)
  const avif = await squares().avif({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()
  const asAvif = (...colors: Buffer[]) => heic({ items: [codedAv1(avif, 64, 64, ...colors)], brands: 'avifmif1' })
  const files: Record<string, TestFile> = {
    'HEIC with a profile': heicFile(coded('eight', iccColors(profile))),
    'HEIC with codes': heicFile(coded('eight', codedColors(12, 13))),
    'AVIF with a profile': { bytes: asAvif(iccColors(profile)), format: 'AVIF' },
    'AVIF with codes': { bytes: asAvif(codedColors(12, 13)), format: 'AVIF' },
  }
  // The colors of the squares, read as Display P3 and converted to sRGB by the matrices of CSS Color 4, clipped.
  const expected = {
    red: [240, 0, 0],
    green: [0, 173, 36],
    blue: [34, 61, 218],
    yellow: [246, 209, 0],
  }
  const small = [{ type: 'resize', width: 16, height: 16 }]
  for (const [what, file] of Object.entries(files)) {
    for (const operations of [[{ type: 'flip' }], small]) {
      const { at, width } = await pixelsOf((await processed(file, operations)).bytes)
      for (const [index, [name, color]] of Object.entries(expected).entries()) {
        const found = at(width * (index % 2 === 0 ? 0.25 : 0.75), width * (index < 2 ? 0.25 : 0.75))
        assertNear(found, color, `${what}, ${width} wide, ${name}`)
      }
    }
  }
  for (const plain of [asAvif(), asAvif(codedColors(1, 13))]) {
    assert.deepEqual(await quartersOf((await processed({ bytes: plain, format: 'AVIF' }, small)).bytes), UPRIGHT)
  }
})
