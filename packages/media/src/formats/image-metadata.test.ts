import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import { ORIENTATIONS } from '@mediamill/contract/domain/media'
import { box, coded, grid, heic, irot } from '@mediamill/engines/image/sources/heic-fixture'
import { failure } from '@mediamill/lab/support/failure'
import { noisyImage } from '@mediamill/lab/support/images'
import { createRandom } from '@mediamill/lab/support/random'
import { sharedFolder } from '@mediamill/lab/support/shared'
import sharp from 'sharp'
import { bufferReader, firstBytes } from './byte-reader.ts'
import { gif, readWholeGif } from './gif.ts'
import type { ImageMetadata } from './image-metadata.ts'
import { metadataOf, readMetadata } from './image-metadata.ts'
import { readLayout } from './tiff/directory.ts'

const folder = await sharedFolder('facts-')

const drawn = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 200, g: 90, b: 30, alpha: 0.5 } } })

async function animation(frames: number, format: 'gif' | 'webp', height = 12): Promise<Buffer> {
  const data = Buffer.concat(Array.from({ length: frames }, (_, frame) => Buffer.alloc(20 * height * 3, frame * 9 + 5)))
  const tall = sharp(data, { raw: { width: 20, height: height * frames, channels: 3, pageHeight: height } })
  return format === 'gif' ? tall.gif({ delay: 50 }).toBuffer() : tall.webp({ delay: 50, lossless: true }).toBuffer()
}

function gives(bytes: Buffer, format: ImageSourceFormat, expected: Partial<ImageMetadata>): void {
  const plain = { frames: 1, orientation: 'Undefined', colorspace: 'sRGB' } as const
  assert.deepEqual(metadataOf(bytes, format), { ...plain, format, size: bytes.length, ...expected })
}

async function readInParts(
  bytes: Buffer,
  format: ImageSourceFormat,
  first: number,
): Promise<{ metadata: ImageMetadata; read: number[] }> {
  const path = join(folder, 'part')
  const present = firstBytes(Math.min(first, bytes.length))
  const file = Buffer.alloc(bytes.length)
  bytes.copy(file, 0, 0, first)
  const read = [Math.min(first, bytes.length)]
  for (;;) {
    await writeFile(path, file)
    const metadata = await readMetadata({ path, format, size: bytes.length, present })
    if (!('needs' in metadata)) return { metadata, read }
    const { offset, length } = metadata.needs
    assert.ok(length >= 1 && offset + length <= bytes.length, `${offset}+${length} of ${bytes.length}`)
    bytes.copy(file, offset, offset, offset + length)
    present.add(offset, offset + length)
    read.push(length)
  }
}

test('JPEG: the metadata reader reads baseline, progressive, gray, and CMYK images [images.read.1]', async () => {
  const size = { width: 31, height: 17 }
  gives(await drawn(31, 17).jpeg().toBuffer(), 'JPEG', size)
  gives(await drawn(31, 17).jpeg({ progressive: true }).toBuffer(), 'JPEG', size)
  gives(await drawn(31, 17).toColourspace('b-w').jpeg().toBuffer(), 'JPEG', { ...size, colorspace: 'Gray' })
  gives(await drawn(31, 17).toColourspace('cmyk').jpeg().toBuffer(), 'JPEG', { ...size, colorspace: 'CMYK' })
})

test('the metadata reader returns every EXIF orientation of JPEG, PNG, WebP, and TIFF, and the stored width and height [images.read.1]', async () => {
  for (const [value, orientation] of ORIENTATIONS.entries()) {
    const tagged = () => (value === 0 ? drawn(31, 17) : drawn(31, 17).withMetadata({ orientation: value }))
    const expected = { width: 31, height: 17, orientation }
    gives(await tagged().jpeg().toBuffer(), 'JPEG', expected)
    gives(await tagged().png().toBuffer(), 'PNG', expected)
    gives(await tagged().webp().toBuffer(), 'WEBP', expected)
    gives(await tagged().tiff().toBuffer(), 'TIFF', value === 0 ? { ...expected, orientation: 'TopLeft' } : expected)
  }
})

test('PNG: the metadata reader reads color, gray, palette, alpha, and 16-bit images', async () => {
  const size = { width: 31, height: 17 }
  gives(await drawn(31, 17, 4).png().toBuffer(), 'PNG', size)
  gives(await drawn(31, 17).png({ palette: true }).toBuffer(), 'PNG', size)
  gives(await drawn(31, 17).toColourspace('b-w').png().toBuffer(), 'PNG', { ...size, colorspace: 'Gray' })
  gives(await drawn(31, 17).toColourspace('rgb16').png().toBuffer(), 'PNG', size)
})

test('GIF: the metadata reader counts the frames of an animation', async () => {
  for (const frames of [1, 2, 7]) gives(await animation(frames, 'gif'), 'GIF', { width: 20, height: 12, frames })
})

test('GIF: the image size is the logical screen, enlarged if the first frame does not fit', async () => {
  const gif = await animation(2, 'gif')
  for (const [screen, size] of [
    [
      [800, 600],
      [800, 600],
    ],
    [
      [0, 0],
      [20, 12],
    ],
    [
      [30, 5],
      [30, 12],
    ],
  ] as const) {
    gif.writeUInt16LE(screen[0], 6)
    gif.writeUInt16LE(screen[1], 8)
    gives(gif, 'GIF', { width: size[0], height: size[1], frames: 2 })
  }
})

test('WebP: the metadata reader reads lossy, lossless, alpha, and animated images', async () => {
  gives(await drawn(31, 17).webp().toBuffer(), 'WEBP', { width: 31, height: 17 })
  gives(await drawn(301, 17).webp({ lossless: true }).toBuffer(), 'WEBP', { width: 301, height: 17 })
  gives(await drawn(31, 217, 4).webp().toBuffer(), 'WEBP', { width: 31, height: 217 })
  gives(await animation(7, 'webp'), 'WEBP', { width: 20, height: 12, frames: 7 })
})

test('TIFF: the metadata reader reads gray, CMYK, Lab, pages, BigTIFF, and both byte orders', async () => {
  const expected = { width: 31, height: 17, orientation: 'TopLeft' } as const
  gives(await drawn(31, 17).toColourspace('b-w').tiff().toBuffer(), 'TIFF', { ...expected, colorspace: 'Gray' })
  gives(await drawn(31, 17).toColourspace('cmyk').tiff().toBuffer(), 'TIFF', { ...expected, colorspace: 'CMYK' })
  gives(await drawn(31, 17).tiff({ bigtiff: true }).toBuffer(), 'TIFF', expected)
  const pages = await sharp(await animation(3, 'gif'), { animated: true })
    .tiff()
    .toBuffer()
  gives(pages, 'TIFF', { width: 20, height: 12, orientation: 'TopLeft', frames: 3 })
  gives(bigEndianTiff(31, 17, 8), 'TIFF', { ...expected, orientation: 'BottomLeft', colorspace: 'Lab' })
  gives(bigEndianTiff(31, 17), 'TIFF', { ...expected, orientation: 'BottomLeft', colorspace: 'Gray' })
})

function bigEndianTiff(width: number, height: number, photometric = 1): Buffer {
  const entries = [
    [256, width],
    [257, height],
    [262, photometric],
    [274, 4],
  ] as const
  const bytes = Buffer.alloc(10 + entries.length * 12 + 4)
  bytes.write('MM\0*\0\0\0\b', 'latin1')
  bytes.writeUInt16BE(entries.length, 8)
  for (const [index, [tag, value]] of entries.entries()) {
    bytes.writeUInt16BE(tag, 10 + index * 12)
    bytes.writeUInt16BE(3, 12 + index * 12)
    bytes.writeUInt32BE(1, 14 + index * 12)
    bytes.writeUInt16BE(value, 18 + index * 12)
  }
  return bytes
}

test('the header of a TIFF has at least 8 bytes, and the header of a BigTIFF 16 bytes', () => {
  const layoutOf = (...bytes: number[]) => readLayout(bufferReader(Buffer.from(bytes)))
  assert.equal(layoutOf(0x49, 0x49, 42, 0, 8, 0, 0), undefined)
  assert.deepEqual(layoutOf(0x49, 0x49, 42, 0, 8, 0, 0, 0), { littleEndian: true, big: false, first: 8 })
  assert.deepEqual(layoutOf(0x4d, 0x4d, 0, 42, 0, 0, 0, 8), { littleEndian: false, big: false, first: 8 })
  const big = [0x4d, 0x4d, 0, 43, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16]
  assert.deepEqual(layoutOf(...big), { littleEndian: false, big: true, first: 16 })
  assert.equal(layoutOf(...big.slice(0, -1)), undefined)
  assert.equal(layoutOf(0x49, 0x49, 44, 0, 8, 0, 0, 0), undefined)
  assert.equal(layoutOf(0x49, 0x4d, 42, 0, 8, 0, 0, 0), undefined)
})

test('the metadata reader counts each TIFF directory once, even if the directories form a cycle', async () => {
  const looped = bigEndianTiff(31, 17)
  looped.writeUInt32BE(8, looped.length - 4)
  assert.equal(metadataOf(looped, 'TIFF').frames, 1)
})

test('HEIC and AVIF: the metadata reader returns the width and height after rotation, the orientation TopLeft, the colorspace, and the number of images [images.read.2]', async () => {
  gives(heic({ items: [coded('eight')] }), 'HEIC', { width: 64, height: 64 })
  gives(heic({ items: [coded('mono')] }), 'HEIC', { width: 64, height: 64, colorspace: 'Gray' })
  const tiles = [grid(2, 1, 100, 64, irot(1)), { ...coded('eight'), hidden: true }, { ...coded('eight'), hidden: true }]
  const references = [{ type: 'dimg', from: 1, to: [2, 3] }]
  gives(heic({ items: tiles, references }), 'HEIC', { width: 64, height: 100, orientation: 'TopLeft' })
  gives(heic({ items: [coded('eight', irot(0)), coded('ten')] }), 'HEIC', { width: 64, height: 64, frames: 2 })
  gives(await drawn(40, 30).avif({ effort: 0 }).toBuffer(), 'AVIF', { width: 40, height: 30 })
})

test('the metadata reader counts the samples of an image sequence as frames', () => {
  const u32 = (...values: number[]) =>
    Buffer.concat(values.map((value) => Buffer.from([value >> 24, value >> 16, value >> 8, value])))
  const entry = box('av01', Buffer.alloc(24), Buffer.from([0, 80, 0, 60]), Buffer.alloc(50))
  const table = box('stbl', box('stsd', u32(0, 1), entry), box('stsz', u32(0, 9, 5)))
  const track = box('trak', box('mdia', box('hdlr', u32(0, 0), Buffer.from('pict')), box('minf', table)))
  const file = Buffer.concat([box('ftyp', Buffer.from('avis\0\0\0\0avis')), box('moov', track)])
  gives(file, 'AVIF', { width: 80, height: 60, frames: 5 })
})

test('BMP: the height is positive for bottom-up and top-down rows', () => {
  const bytes = Buffer.alloc(64)
  bytes.write('BM', 'latin1')
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(640, 18)
  bytes.writeInt32LE(-480, 22)
  bytes.writeUInt16LE(24, 28)
  gives(bytes, 'BMP', { width: 640, height: 480 })
})

test('BMP: the metadata reader reads files with valid bit depths, and rejects all other files', () => {
  const bitmap = (bits: number, compression: number, info = 40) => {
    const bytes = Buffer.alloc(160)
    bytes.write('BM', 'latin1')
    bytes.writeUInt32LE(info, 14)
    const isCore = info === 12
    for (const [index, side] of [9, 7].entries()) {
      if (isCore) bytes.writeUInt16LE(side, 18 + index * 2)
      else bytes.writeInt32LE(side, 18 + index * 4)
    }
    bytes.writeUInt16LE(bits, isCore ? 24 : 28)
    if (!isCore) bytes.writeUInt32LE(compression, 30)
    return bytes
  }
  const kinds = [
    { compression: 0, exist: [1, 2, 4, 8, 16, 24, 32, 64] },
    { compression: 0, info: 12, exist: [1, 2, 4, 8, 16, 24, 32, 64] },
    { compression: 1, exist: [8] },
    { compression: 2, exist: [4] },
    { compression: 3, exist: [16, 32] },
    { compression: 4, info: 64, exist: [24] },
    { compression: 6, exist: [16, 32] },
  ]
  const claimed = [...Array.from({ length: 80 }, (_, bits) => bits), 96, 128, 255, 256, 264, 0x2000, 65_535]
  for (const { compression, info, exist } of kinds) {
    for (const bits of claimed) {
      const bytes = bitmap(bits, compression, info)
      if (exist.includes(bits)) gives(bytes, 'BMP', { width: 9, height: 7 })
      else {
        const what = `${bits} bits, compression ${compression}`
        assert.throws(() => metadataOf(bytes, 'BMP'), { code: 'processing_failed', message: /damaged/ }, what)
      }
    }
  }
})

test('the metadata reader reads only the first 64 KiB if they contain the header, for any file size', async () => {
  const files: [ImageSourceFormat, Buffer][] = [
    ['JPEG', await noisyImage(400, 300).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer()],
    ['PNG', await noisyImage(400, 300).png().toBuffer()],
    ['WEBP', await noisyImage(400, 300).webp({ quality: 95 }).toBuffer()],
    ['AVIF', await noisyImage(400, 300).avif({ quality: 95, effort: 0 }).toBuffer()],
  ]
  for (const [format, bytes] of files) {
    assert.ok(bytes.length > 70_000, format)
    assert.deepEqual(await readInParts(bytes, format, 65_536), { metadata: metadataOf(bytes, format), read: [65_536] })
  }
})

test('the metadata reader requests more bytes only if necessary, and never past the end of the file', async () => {
  const tiff = await noisyImage(200, 200).tiff({ compression: 'none' }).toBuffer()
  const parts = await readInParts(tiff, 'TIFF', 1000)
  assert.deepEqual(parts.metadata, metadataOf(tiff, 'TIFF'))
  assert.equal(parts.read.length, 2, 'the directory behind the pixels, and no pixel')
  assert.ok((parts.read[1] ?? 0) <= 4096)
  for (const format of ['gif', 'webp'] as const) {
    const bytes = await animation(20, format)
    const name = format === 'gif' ? 'GIF' : 'WEBP'
    const { metadata, read } = await readInParts(bytes, name, 100)
    assert.deepEqual(metadata, metadataOf(bytes, name))
    assert.equal(read.length, 2, 'frames are counted to the end, in one go')
  }
  const jpeg = await drawn(64, 64).withIccProfile('p3').withMetadata({ orientation: 8 }).jpeg().toBuffer()
  const { metadata, read } = await readInParts(jpeg, 'JPEG', 30)
  assert.equal(metadata.orientation, 'LeftBottom')
  assert.ok(read.length <= 5, read.join(' '))
})

test('the metadata reader reads the metadata of a truncated image from its header [images.read.4]', async () => {
  const jpeg = await noisyImage(200, 100).jpeg().toBuffer()
  gives(jpeg.subarray(0, 2000), 'JPEG', { width: 200, height: 100 })
  const gif = await animation(6, 'gif', 50)
  const cut = metadataOf(gif.subarray(0, Math.floor(gif.length / 2)), 'GIF')
  assert.deepEqual([cut.width, cut.height], [20, 50])
  assert.ok(cut.frames >= 1 && cut.frames <= 6)
  const file = heic({ items: [coded('eight')] })
  gives(file.subarray(0, file.length - 30), 'HEIC', { width: 64, height: 64 })
})

test('the metadata reader returns an error for an unreadable header', () => {
  for (const format of ['JPEG', 'PNG', 'GIF', 'WEBP', 'TIFF', 'BMP', 'HEIC', 'AVIF'] as const) {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(5), Buffer.alloc(3000), Buffer.alloc(3000, 0xff)]) {
      assert.throws(
        () => metadataOf(bytes, format),
        failure(`The ${format} image is damaged: its header cannot be read.`),
      )
    }
  }
})

test('changed bytes never crash the metadata reader: the reader returns metadata, requests bytes, or rejects the file', async () => {
  const originals: [ImageSourceFormat, Buffer][] = [
    ['JPEG', await drawn(31, 17).withMetadata({ orientation: 3 }).jpeg().toBuffer()],
    ['PNG', await drawn(31, 17).withMetadata({ orientation: 3 }).png().toBuffer()],
    ['GIF', await animation(3, 'gif')],
    ['WEBP', await animation(3, 'webp')],
    ['WEBP', await drawn(31, 17).withMetadata({ orientation: 3 }).webp().toBuffer()],
    ['TIFF', await drawn(31, 17).tiff().toBuffer()],
    ['TIFF', await drawn(31, 17).tiff({ bigtiff: true }).toBuffer()],
    ['AVIF', await drawn(40, 30).avif({ effort: 0 }).toBuffer()],
    [
      'HEIC',
      heic({ items: [grid(1, 1, 64, 64, irot(1)), coded('eight')], references: [{ type: 'dimg', from: 1, to: [2] }] }),
    ],
  ]
  const { below: random } = createRandom(5)
  const path = join(folder, 'changed')
  for (let round = 0; round < 4500; round += 1) {
    const [format, original] = originals[round % originals.length] ?? ['JPEG', Buffer.alloc(0)]
    const bytes = Buffer.from(original.subarray(0, random(4) === 0 ? random(original.length) : original.length))
    const header = Math.min(bytes.length, 400)
    for (let change = 0; change <= random(5) && header > 0; change += 1)
      bytes[random(header)] = random(3) === 0 ? 255 : random(256)
    try {
      const metadata = metadataOf(bytes, format)
      assert.ok(metadata.frames >= 1 && metadata.width >= 1 && metadata.height >= 1)
      if (round % 10 !== 0) continue
      const first = random(bytes.length)
      await writeFile(path, bytes.subarray(0, first))
      const part = await readMetadata({ path, format, size: bytes.length, present: firstBytes(first) })
      if ('needs' in part) assert.ok(part.needs.offset + part.needs.length <= bytes.length)
    } catch (error) {
      assert.ok(error instanceof RequestFailure, String(error))
    }
  }
})

test('the frames of a GIF are counted correctly, with and without color tables', () => {
  const image = (flags: number) => Buffer.from([0x2c, 0, 0, 0, 0, 4, 0, 3, 0, flags])
  const pixels = Buffer.from([2, 2, 0x4c, 1, 0])
  const screen = (flags: number) => Buffer.concat([Buffer.from('GIF89a'), Buffer.from([4, 0, 3, 0, flags, 0, 0])])
  const parts = [image(0), pixels, image(0x80), Buffer.alloc(6), pixels, image(0x81), Buffer.alloc(12), pixels]
  for (const header of [screen(0), Buffer.concat([screen(0x80), Buffer.alloc(6)])]) {
    const bytes = Buffer.concat([header, ...parts, Buffer.from([0x3b])])
    assert.equal(gif.readHeader(bufferReader(bytes))?.frames, 3)
    assert.deepEqual(readWholeGif(bufferReader(bytes))?.screen, { width: 4, height: 3 })
  }
})
