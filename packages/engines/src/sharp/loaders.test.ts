import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { allowFormats } from './loaders.ts'

const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4"/></svg>',
)

test('libvips reads only the formats of the latest call of allowFormats, and never SVG', async () => {
  allowFormats(['PNG', 'JPEG'])
  const drawn = sharp({ create: { width: 4, height: 4, channels: 3, background: '#f00' } })
  const png = await drawn.clone().png().toBuffer()
  const jpeg = await drawn.clone().jpeg().toBuffer()
  const reads = async (bytes: Buffer) => {
    try {
      return (await sharp(bytes).raw().toBuffer()).length > 0
    } catch {
      return false
    }
  }
  assert.deepEqual([await reads(png), await reads(jpeg), await reads(SVG)], [true, true, false])
  allowFormats(['JPEG'])
  assert.deepEqual([await reads(png), await reads(jpeg), await reads(SVG)], [false, true, false])
  allowFormats([])
  assert.deepEqual([await reads(png), await reads(jpeg), await reads(SVG)], [false, false, false])
})
