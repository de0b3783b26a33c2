import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { OUTPUT_FORMATS } from '@mediamill/contract/domain/media'
import type { Sharp } from 'sharp'
import sharp from 'sharp'
import { difference, pixelsOf, png, processed, rawOf } from './process-fixture.ts'

const page = await readFile(new URL('../../../../docs/formats.md', import.meta.url), 'utf8')

test('the documentation lists each output format, and names the formats that ignore quality [operations.compress.1]', async () => {
  const [, table = '', ignoring = ''] = /^## Output$(.*)^Quality is [^;]+; (.*?) ignore it\./ms.exec(page) ?? []
  const formats = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, format]) => format)
  assert.deepEqual(new Set(formats), new Set<string | undefined>(OUTPUT_FORMATS.image))
  const source = await png(64, 48, (x, y) => [(x * 37 + y * 91) % 256, x * 4, y * 5])
  for (const output of OUTPUT_FORMATS.image) {
    const encoded = async (quality: number) =>
      (await processed(source, [{ type: 'compress', quality }], { output })).bytes
    // The jobs run one after the other, because each job sets the loaders of the process.
    const low = await encoded(10)
    assert.equal(low.equals(await encoded(90)), ignoring.includes(`\`${output}\``), output)
  }
})

test('encoder settings equal the table in the documentation', async () => {
  const source = await png(64, 48, (x, y) => [(x * 37 + y * 91) % 256, x * 4, y * 5])
  const eighty = [{ type: 'compress', quality: 80 }]
  for (const output of ['jpg', 'webp'] as const) {
    const plain = await processed(source, [{ type: 'flip' }], { output })
    assert.ok(plain.bytes.equals((await processed(source, eighty, { output })).bytes), output)
  }
  const metadataOf = async (output: 'jpg' | 'png') =>
    sharp((await processed(source, [{ type: 'flip' }], { output })).bytes).metadata()
  const jpg = await metadataOf('jpg')
  assert.deepEqual([jpg.chromaSubsampling, jpg.isProgressive], ['4:2:0', false])
  const image = await metadataOf('png')
  assert.deepEqual([image.depth, image.isPalette], ['uchar', false])
  const { bytes } = await processed(source, [{ type: 'flip' }], { output: 'tif' })
  // TIFF 6.0: compression 5 is LZW, predictor 2 horizontal differencing.
  assert.deepEqual([tiffField(bytes, 259), tiffField(bytes, 317)], [5, 2])
})

test('a gif result contains the colors that operations draw, even if the palette of a GIF source lacks them', async () => {
  const halves = (height: number) => rawOf(40, height, (x) => Array(3).fill(x < 20 ? 20 : 220))
  const gif = async (image: Sharp) => ({
    bytes: await image.gif({ keepDuplicateFrames: true }).toBuffer(),
    format: 'GIF' as const,
  })
  const border = { type: 'border', top: 5, bottom: 5, left: 5, right: 5, color: '#ff0000' }
  const still = await gif(halves(30))
  for (const operation of [border, { type: 'resize', width: 60, height: 45 }]) {
    const [drawn, exact] = [
      await processed(still, [operation], { output: 'gif' }),
      await processed(still, [operation], { output: 'png' }),
    ]
    const { mean } = await difference(drawn.bytes, exact.bytes)
    assert.ok(mean < 2, `${operation.type}: ${mean}`)
  }
  const raw = { width: 40, height: 60, channels: 3, pageHeight: 30 } as const
  const animated = await gif(sharp(await halves(60).raw().toBuffer(), { raw, animated: true }))
  const { at } = await pixelsOf((await processed(animated, [border], { output: 'gif' })).bytes)
  assert.deepEqual(at(2, 2), [255, 0, 0, 255])
})

test('a tif result has no orientation other than upright, even if the source has one [images.process.2]', async () => {
  const photo = rawOf(8, 6, () => [90, 120, 150]).withMetadata({ orientation: 6 })
  const source = { bytes: await photo.jpeg().toBuffer(), format: 'JPEG' } as const
  for (const type of ['orient', 'flip', 'grayscale']) {
    const { bytes } = await processed(source, [{ type }], { output: 'tif' })
    assert.equal(tiffField(bytes, 274), 1, type)
  }
})

function tiffField(bytes: Buffer, tag: number): number | undefined {
  const directory = bytes.readUInt32LE(4)
  const entries = Array.from({ length: bytes.readUInt16LE(directory) }, (_, index) => directory + 2 + index * 12)
  const entry = entries.find((at) => bytes.readUInt16LE(at) === tag)
  return entry === undefined ? undefined : bytes.readUInt16LE(entry + 8)
}
