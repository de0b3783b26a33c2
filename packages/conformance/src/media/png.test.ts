import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sharp } from 'sharp'
import sharp from 'sharp'
import { colorAt, draw, farthest, quarters } from './image.ts'
import { chunksOf, decodePng, encodeBlank, encodePng } from './png.ts'
import { encodeTiff } from './tiff.ts'

const soft = draw(31, 17, (x, y) => [x * 8, y * 15, 255 - x * 7, x === 3 ? 0 : 255 - y])

test('a PNG that the conformance kit writes decodes to the drawn pixels, both in sharp and in the kit', async () => {
  const png = encodePng(soft)
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height, info.channels], [31, 17, 4])
  assert.ok(data.equals(soft.pixels))
  assert.equal(farthest(decodePng(png), soft), 0)
  assert.deepEqual(
    chunksOf(png).map(({ name }) => name),
    ['IHDR', 'IDAT', 'IEND'],
  )
})

test('the conformance kit decodes gray, palette, and 16-bit PNGs, with and without alpha', async () => {
  const source = sharp(encodePng(soft))
  const flat = sharp(encodePng(quarters()))
  const read = async (image: Sharp) => decodePng(await image.toBuffer())
  assert.equal(farthest(await read(source.clone().png({ adaptiveFiltering: true })), soft), 0)
  const opaque = await read(flat.clone().removeAlpha().png())
  assert.equal(farthest(opaque, quarters()), 0)
  const palette = await read(flat.clone().png({ palette: true, colors: 4 }))
  assert.ok(farthest(palette, quarters()) <= 4, String(farthest(palette, quarters())))
  const gray = await read(flat.clone().removeAlpha().grayscale().toColourspace('b-w').png())
  const [red, green, blue] = colorAt(gray, 70, 50)
  assert.ok(red === green && green === blue && Math.abs((red ?? 0) - 128) <= 2, String([red, green, blue]))
  const deep = await read(source.clone().toColourspace('rgb16').png())
  assert.ok(farthest(deep, soft) <= 1, String(farthest(deep, soft)))
  const blank = decodePng(encodeBlank(19, 5))
  assert.deepEqual([blank.width, blank.height, colorAt(blank, 18, 4)], [19, 5, [255, 255, 255, 255]])
})

test('the conformance kit writes a TIFF with an EXIF orientation', async () => {
  const { width, height, orientation, format } = await sharp(encodeTiff(quarters(), 6)).metadata()
  assert.deepEqual([width, height, orientation, format], [80, 60, 6, 'tiff'])
})
