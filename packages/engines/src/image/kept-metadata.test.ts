import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { bufferReader } from '@mediamill/media/formats/byte-reader'
import { PNG_HEADER_END, pngData } from '@mediamill/media/formats/png'
import { embedMetadata } from '@mediamill/media/metadata/embed'
import { readExif } from '@mediamill/media/metadata/exif'
import ExifReader from 'exifreader'
import sharp from 'sharp'
import type { TestFile } from './process-fixture.ts'
import { pixelsOf, processedOutputs } from './process-fixture.ts'

const EXIF = {
  IFD0: { Make: 'Canon', Model: 'EOS R5', Copyright: '(C) Ada', Artist: 'Ada' },
  IFD2: { DateTimeOriginal: '2024:05:01 12:30:00', ExposureTime: '1/121', MakerNote: 'Secret' },
  IFD3: {
    GPSLatitudeRef: 'S',
    GPSLatitude: '33/1 51/1 3600/100',
    GPSLongitudeRef: 'E',
    GPSLongitude: '151/1 12/1 0/1',
  },
}

const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" photoshop:City="Secret" xmp:Rating="4"><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">© Ada</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta>`

const iim = (datasets: Record<number, string>) =>
  Buffer.concat(
    Object.entries(datasets).map(([number, text]) =>
      Buffer.concat([Buffer.from([0x1c, 2, Number(number), 0, text.length]), Buffer.from(text)]),
    ),
  )
const IPTC = iim({ 25: 'beach', 80: 'Ada', 90: 'Secret', 101: 'Secret', 116: '(C) Ada' })

async function photo(): Promise<TestFile> {
  const image = sharp({ create: { width: 64, height: 48, channels: 3, background: '#3070C0' } })
  const plain = await image.withExif(EXIF).withXmp(XMP).jpeg().toBuffer()
  return { bytes: embedMetadata('jpg', plain, { iptc: IPTC }), format: 'JPEG' }
}

const FORMATS = ['jpg', 'png', 'webp', 'gif', 'tif', 'avif'] as const
type Format = (typeof FORMATS)[number]

async function kept(source: TestFile, metadata: string | undefined, operations: object[] = []) {
  const { bytes } = await processedOutputs(source, {
    outputs: FORMATS.map((format) => ({ format, operations, ...(metadata && { metadata }) })),
  })
  return new Map(FORMATS.map((format, index) => [format, bytes[index] ?? Buffer.alloc(0)]))
}

function tagsIn(bytes: Buffer): { exif: string[]; iptc: string[]; xmp: string[] } {
  const { exif = {}, iptc = {}, xmp = {} } = ExifReader.load(bytes, { expanded: true })
  const own = Object.keys(exif).filter((name) => TEXT_TAGS.has(name))
  return {
    exif: own.sort(),
    iptc: Object.keys(iptc).sort(),
    xmp: Object.keys(xmp).filter((name) => !['_raw', 'about'].includes(name)),
  }
}

const TEXT_TAGS = new Set([
  'Make',
  'Model',
  'Copyright',
  'Artist',
  'DateTimeOriginal',
  'ExposureTime',
  'GPSLatitude',
  'MakerNote',
])

const CARRIES: Record<Format, { exif: boolean; iptc: boolean; xmp: boolean }> = {
  jpg: { exif: true, iptc: true, xmp: true },
  tif: { exif: true, iptc: true, xmp: true },
  png: { exif: true, iptc: false, xmp: true },
  webp: { exif: true, iptc: false, xmp: true },
  avif: { exif: true, iptc: false, xmp: true },
  gif: { exif: false, iptc: false, xmp: false },
}

test('each output format keeps the requested metadata that the format supports, and the pixels are the same as without metadata [outputs.metadata.1, outputs.metadata.2, outputs.metadata.3]', async () => {
  const source = await photo()
  const all = tagsIn(source.bytes)
  assert.ok(all.exif.includes('GPSLatitude') && all.iptc.includes('City') && all.xmp.includes('City'))
  const expected = {
    copyright: { exif: ['Artist', 'Copyright'], iptc: ['By-line', 'Copyright Notice'], xmp: ['rights'] },
    all_but_location: {
      exif: ['Artist', 'Copyright', 'DateTimeOriginal', 'ExposureTime', 'Make', 'Model'],
      iptc: ['By-line', 'Copyright Notice', 'Keywords'],
      xmp: ['Rating', 'rights'],
    },
  }
  const none = await kept(source, undefined)
  for (const [metadata, tags] of Object.entries(expected)) {
    for (const [format, bytes] of await kept(source, metadata)) {
      const carries = CARRIES[format]
      const name = `${format} ${metadata}`
      if (!carries.exif) {
        assert.ok(bytes.equals(none.get(format) ?? Buffer.alloc(0)), name)
        continue
      }
      const found = tagsIn(bytes)
      assert.deepEqual(found, { ...tags, ...(!carries.iptc && { iptc: [] }) }, name)
      assert.ok(!bytes.includes('Secret'), name)
      const plain = await pixelsOf(none.get(format) ?? Buffer.alloc(0))
      const pixels = await pixelsOf(bytes)
      assert.ok(pixels.data.equals(plain.data), name)
      const header = await sharp(bytes).metadata()
      assert.deepEqual([header.width, header.height, header.orientation ?? 1], [64, 48, 1], name)
      assert.match(header.exif?.toString('latin1') ?? header.xmp?.toString() ?? '', /Ada/, name)
    }
  }
})

test('content credentials and color profiles are not kept [outputs.metadata.5]', async () => {
  const { bytes } = await photo()
  const credentials = Buffer.from('\xff\xeb\0\x10JP-c2pa-signed', 'latin1')
  const signed = Buffer.concat([bytes.subarray(0, 2), credentials, bytes.subarray(2)])
  const source: TestFile = {
    bytes: await sharp(bytes).keepMetadata().withIccProfile('p3').jpeg().toBuffer(),
    format: 'JPEG',
  }
  assert.ok((await sharp(source.bytes).metadata()).icc !== undefined)
  for (const from of [source, { bytes: signed, format: 'JPEG' as const }]) {
    for (const [format, file] of await kept(from, 'all_but_location')) {
      assert.deepEqual([(await sharp(file).metadata()).icc, file.includes('c2pa')], [undefined, false], format)
    }
  }
})

test('a result contains no metadata if the metadata parameter is none or not set', async () => {
  const source = await photo()
  for (const metadata of [undefined, 'none']) {
    for (const [format, bytes] of await kept(source, metadata)) {
      for (const word of ['Ada', 'Canon', 'Secret', 'adobe']) assert.ok(!bytes.includes(word), `${format} ${word}`)
    }
  }
})

function animatedPng(png: Buffer): Buffer {
  const chunk = (type: string, ...parts: (Buffer | number)[]) => {
    const data = Buffer.concat(parts.map((part) => (typeof part === 'number' ? uint32(part) : part)))
    const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
    return Buffer.concat([uint32(data.length), named, uint32(crc32(named))])
  }
  const control = (sequence: number) =>
    chunk('fcTL', sequence, png.subarray(16, 24), 0, 0, Buffer.from([0, 1, 0, 10, 0, 0]))
  const [start, end] = [png.indexOf('IDAT') - 4, png.lastIndexOf('IEND') - 4]
  return Buffer.concat([
    png.subarray(0, PNG_HEADER_END),
    chunk('acTL', 2, 0),
    png.subarray(PNG_HEADER_END, start),
    control(0),
    png.subarray(start, end),
    control(1),
    chunk('fdAT', 2, pngData(png)),
    png.subarray(end),
  ])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

test('metadata of each source format is kept, even with alpha, rotation, and animation [outputs.metadata.4]', async () => {
  const clear = sharp({ create: { width: 40, height: 30, channels: 4, background: { r: 9, g: 99, b: 9, alpha: 0.5 } } })
  const withExif = () => clear.clone().withExif({ ...EXIF, IFD0: { ...EXIF.IFD0, Orientation: '6' } })
  const frames = await sharp(
    await Promise.all(
      ['#f00', '#0f0'].map((background) =>
        sharp({ create: { width: 40, height: 30, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    ),
    { join: { animated: true } },
  )
    .webp()
    .toBuffer()
  const xmp = Buffer.from(XMP)
  const { bytes: jpeg } = await photo()
  const exif = readExif(bufferReader(jpeg.subarray(jpeg.indexOf('Exif\0\0') + 6)), 'all_but_location')
  const sources: TestFile[] = [
    { bytes: await withExif().png().toBuffer(), format: 'PNG' },
    { bytes: animatedPng(await withExif().png().toBuffer()), format: 'PNG' },
    { bytes: await withExif().webp({ lossless: true }).toBuffer(), format: 'WEBP' },
    { bytes: await withExif().avif().toBuffer(), format: 'AVIF' },
    { bytes: embedMetadata('webp', frames, { exif, xmp }), format: 'WEBP' },
    {
      bytes: embedMetadata('tif', await clear.clone().tiff({ compression: 'lzw' }).toBuffer(), { exif, xmp }),
      format: 'TIFF',
    },
  ]
  for (const source of sources) {
    for (const [format, bytes] of await kept(source, 'copyright', [{ type: 'orient' }])) {
      if (format === 'gif') continue
      assert.deepEqual(tagsIn(bytes).exif, ['Artist', 'Copyright'], `${source.format} ${format}`)
      const { orientation = 1, pages = 1, hasAlpha } = await sharp(bytes).metadata()
      assert.equal(orientation, 1)
      if (format === 'webp' && source.bytes.includes('ANMF')) assert.equal(pages, 2)
      if (format === 'png' && !source.bytes.includes('ANMF')) assert.ok(hasAlpha, source.format)
    }
  }
})

/** Encodes EXIF data. `entries` are `[tag, type, count, value or offset]`. */
function exifBytes(order: 'II' | 'MM', entries: [number, number, number, number][], data = ''): Buffer {
  const bytes = Buffer.alloc(8 + 2 + entries.length * 12 + 4)
  const write = (at: number, length: number, value: number) =>
    order === 'II' ? bytes.writeUIntLE(value, at, length) : bytes.writeUIntBE(value, at, length)
  bytes.write(order, 'latin1')
  write(2, 2, 42)
  write(4, 4, 8)
  write(8, 2, entries.length)
  for (const [index, [tag, type, count, value]] of entries.entries()) {
    const at = 10 + index * 12
    write(at, 2, tag)
    write(at + 2, 2, type)
    write(at + 4, 4, count)
    write(at + 8, type === 3 ? 2 : 4, value)
  }
  return Buffer.concat([bytes, Buffer.from(data)])
}

test('the image engine reads EXIF in both byte orders, and drops entries with wrong offsets, wrong lengths, or cycles [outputs.metadata.4]', () => {
  const read = (bytes: Buffer) => readExif(bufferReader(bytes), 'all_but_location')
  for (const order of ['II', 'MM'] as const) {
    const found = read(
      exifBytes(
        order,
        [
          [18_246, 3, 1, 4],
          [305, 7, 6, 50],
          [315, 2, 6, 50],
        ],
        'Ada L\0',
      ),
    )
    assert.deepEqual(
      found?.image.map(({ tag, data }) => [tag, data.toString('latin1')]),
      [
        [18_246, '\x04\0'],
        [305, 'Ada L\0'],
        [315, 'Ada L\0'],
      ],
      order,
    )
  }
  const wrong: [number, number, number, number][] = [
    [315, 2, 100, 4_000_000_000],
    [33_432, 2, 0xff_ff_ff_ff, 8],
    [271, 99, 4, 8],
    [272, 2, 0, 8],
    // This entry makes the first directory its own Exif directory, which is a cycle.
    [34_665, 4, 1, 8],
  ]
  assert.equal(read(exifBytes('MM', wrong)), undefined)
  assert.equal(read(Buffer.from('MM\0*\xff\xff\xff\xff', 'latin1')), undefined)
  assert.equal(read(Buffer.alloc(0)), undefined)
  // Eight entries share a value of 16,000 bytes. Only three such values fit into a JPEG segment.
  const shared = [269, 270, 271, 272, 305, 306, 315, 316].map((tag): [number, number, number, number] => [
    tag,
    2,
    16_000,
    0,
  ])
  const total = read(exifBytes('II', shared, 'a'.repeat(20_000)))?.image.reduce((sum, { data }) => sum + data.length, 0)
  assert.equal(total, 48_000)
})

test('metadata that is too large for a JPEG segment is omitted, and the image is still complete [outputs.metadata.4]', async () => {
  const source = await photo()
  const xmp = Buffer.from(XMP.replace('© Ada', `© Ada ${'x'.repeat(70_000)}`))
  const large = {
    format: 'PNG' as const,
    bytes: await sharp(source.bytes).keepExif().withXmp(xmp.toString()).png().toBuffer(),
  }
  const files = await kept(large, 'copyright')
  assert.deepEqual(tagsIn(files.get('jpg') ?? Buffer.alloc(0)), { exif: ['Artist', 'Copyright'], iptc: [], xmp: [] })
  assert.deepEqual(tagsIn(files.get('png') ?? Buffer.alloc(0)).xmp, ['rights'])
})
