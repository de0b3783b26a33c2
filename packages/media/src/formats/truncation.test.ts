import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processed } from '@mediamill/engines/image/process-fixture'
import { bitmapHeader } from '@mediamill/lab/hostile/valid-files'
import { failure } from '@mediamill/lab/support/failure'
import { noisyImage } from '@mediamill/lab/support/images'
import { bufferReader } from './byte-reader.ts'
import { isWholeJpeg } from './jpeg.ts'
import { isWholePng } from './png.ts'

// Noise does not compress, so nearly all bytes of the file are pixels.
const small = noisyImage(64, 64)
const WHOLE = {
  'a JPEG': { format: 'JPEG', bytes: await small.clone().jpeg().toBuffer() },
  'a progressive JPEG': { format: 'JPEG', bytes: await small.clone().jpeg({ progressive: true }).toBuffer() },
  'a PNG': { format: 'PNG', bytes: await small.clone().png().toBuffer() },
  'an interlaced PNG': { format: 'PNG', bytes: await small.clone().png({ progressive: true }).toBuffer() },
} as const

for (const [name, { format, bytes }] of Object.entries(WHOLE)) {
  test(`the truncation check detects a ${name} that is truncated at any length, and ignores bytes after the end of a complete file`, () => {
    const isShort = (part: Buffer) =>
      format === 'JPEG' ? !isWholeJpeg(bufferReader(part)) : !isWholePng(bufferReader(part))
    assert.equal(isShort(bytes), false)
    assert.equal(isShort(Buffer.concat([bytes, Buffer.alloc(100)])), false)
    const end = format === 'JPEG' ? 2 : 12
    for (let length = 20; length <= bytes.length - end; length += 1) {
      assert.equal(isShort(bytes.subarray(0, length)), true, `${length} of ${bytes.length} bytes`)
    }
  })
}

test('restart markers, stuffed bytes, and an end marker within a segment do not count as the end of a JPEG', () => {
  const thumbnail = [0xff, 0xe1, 0, 6, 0xff, 0xd8, 0xff, 0xd9]
  const scan = [0xff, 0xda, 0, 2, 1, 0xff, 0, 2, 0xff, 0xd0, 3, 0xff, 0xff, 0xd1, 4]
  const jpeg = (...bytes: number[]) => bufferReader(Buffer.from([0xff, 0xd8, ...bytes]))
  assert.equal(isWholeJpeg(jpeg(...thumbnail, ...scan)), false)
  assert.equal(isWholeJpeg(jpeg(...thumbnail, ...scan, 0xff, 0xd9)), true)
  assert.equal(isWholeJpeg(jpeg(...thumbnail, ...scan, 0xff)), false)
})

test('the truncation check finds an end marker that crosses a read boundary', () => {
  const start = [0xff, 0xd8, 0xff, 0xda, 0, 2]
  // The reader reads 32 KiB at a time. The end marker is before, across, and after the end of such a read.
  for (let length = 32 * 1024 - 4; length <= 32 * 1024 + 4; length += 1) {
    const whole = Buffer.concat([Buffer.from(start), Buffer.alloc(length, 7), Buffer.from([0xff, 0xd9])])
    assert.equal(isWholeJpeg(bufferReader(whole)), true, `${length} bytes before the end`)
    assert.equal(isWholeJpeg(bufferReader(whole.subarray(0, -1))), false)
  }
})

const CROP = { type: 'crop', x: 0, y: 0, width: 40, height: 10 }

for (const side of [300, 1200]) {
  test(`the image engine rejects a truncated image with sides of ${side} pixels, even if a crop omits the missing pixels [sources.formats.3]`, async () => {
    const image = noisyImage(side, side)
    const files = [
      { format: 'JPEG', bytes: await image.clone().jpeg({ quality: 95 }).toBuffer() },
      { format: 'PNG', bytes: await image.clone().png().toBuffer() },
    ] as const
    for (const { format, bytes } of files) {
      const cut = { format, bytes: bytes.subarray(0, Math.floor(bytes.length / 2)) }
      for (const operations of [[CROP], [{ type: 'resize', width: 100, height: 100 }, CROP]]) {
        assert.deepEqual((await processed({ format, bytes }, operations)).data['height'], 10)
        await assert.rejects(processed(cut, operations), failure(/damaged or incomplete/))
      }
    }
  })
}

test('the image engine rejects a file that ends within its bitmap, even if a crop omits the missing pixels [sources.formats.3]', async () => {
  const image = noisyImage(300, 300)
  // The compressions BI_JPEG and BI_PNG.
  for (const [compression, bytes] of [
    [4, await image.clone().jpeg({ quality: 95 }).toBuffer()],
    [5, await image.clone().png().toBuffer()],
  ] as const) {
    const header = bitmapHeader({ width: 300, height: 300, bits: 0, compression, dataBytes: bytes.length })
    const whole = Buffer.concat([header, bytes])
    assert.equal((await processed({ format: 'BMP', bytes: whole }, [CROP])).data['height'], 10)
    const cut = { format: 'BMP', bytes: whole.subarray(0, Math.floor(whole.length / 2)) } as const
    await assert.rejects(processed(cut, [CROP]), failure(/damaged or incomplete/))
  }
})
