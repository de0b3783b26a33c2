import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import type { DataOf } from '@mediamill/contract/endpoints/index'
import { sharedFolder } from '@mediamill/lab/support/shared'
import sharp from 'sharp'
import { thumbHashToRGBA } from 'thumbhash'
import { readImage } from './read.ts'
import { box, coded, heic } from './sources/heic-fixture.ts'

const folder = await sharedFolder('mediamill-read-')

const LIMITS = { maxFramePixels: 100_000_000, maxSourcePixels: 400_000_000, maxResultBytes: 1 }

type Options = { level?: 'basic' | 'full'; presentBytes?: number; limits?: Partial<typeof LIMITS> }
type Read = { data: DataOf<'images/read'>; asked: number }

async function read(bytes: Buffer, format: ImageSourceFormat, options: Options = {}): Promise<Read> {
  const { level = 'full', presentBytes, limits = {} } = options
  const path = join(folder, 'source')
  const present = bytes.subarray(0, presentBytes)
  await writeFile(path, Buffer.concat([present, Buffer.alloc(bytes.length - present.length)]))
  const input = { path, format, size: bytes.length, ...(presentBytes !== undefined && { presentBytes }) }
  let asked = 0
  const job = { input, assets: [], parameters: { level }, scratch: folder, limits: { ...LIMITS, ...limits } }
  const { data } = await readImage({ ...job, endpoint: 'images/read' } as never, undefined, async (ask) => {
    if (ask.type !== 'read') return
    asked += ask.length
    await writeFile(path, bytes)
  })
  // The engine blocks the loaders that the image does not need.
  sharp.unblock({ operation: ['VipsForeignLoad'] })
  return { data, asked }
}

const flag = () =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: '#C00000' } }).composite([
    { input: { create: { width: 100, height: 200, channels: 3, background: '#0000C0' } }, left: 200, top: 0 },
  ])

const EXIF = {
  IFD0: { Make: 'Canon', Model: 'Canon EOS R5', Copyright: '(C) 2024 Ada', Artist: 'Ada' },
  IFD2: { DateTimeOriginal: '2024:05:01 12:30:00', OffsetTimeOriginal: '+02:00' },
  IFD3: {
    GPSLatitudeRef: 'S',
    GPSLatitude: '33/1 51/1 3600/100',
    GPSLongitudeRef: 'E',
    GPSLongitude: '151/1 12/1 0/1',
  },
}

const ABOUT = {
  camera: 'Canon EOS R5',
  captured_at: '2024-05-01T12:30:00+02:00',
  copyright: '(C) 2024 Ada',
  artist: 'Ada',
  content_credentials: false,
  location: { latitude: -33.86, longitude: 151.2 },
}

test('metadata level full returns camera, time, rights, and location from EXIF in every format that supports EXIF', async () => {
  const image = flag().withExif(EXIF)
  for (const [format, bytes] of [
    ['JPEG', await image.clone().jpeg().toBuffer()],
    ['PNG', await image.clone().png().toBuffer()],
    ['WEBP', await image.clone().webp().toBuffer()],
    ['AVIF', await image.clone().avif({ effort: 0 }).toBuffer()],
  ] as const) {
    const { data } = await read(bytes, format)
    const { camera, captured_at, copyright, artist, content_credentials, location } = data
    assert.deepEqual({ camera, captured_at, copyright, artist, content_credentials, location }, ABOUT, format)
  }
})

test('metadata level basic, the default, returns only the seven values from the header', async () => {
  const jpeg = await flag().withExif(EXIF).jpeg().toBuffer()
  const { data } = await read(jpeg, 'JPEG', { level: 'basic' })
  const names = ['frames', 'orientation', 'format', 'colorspace', 'width', 'height', 'size']
  assert.deepEqual(Object.keys(data), names)
})

test('metadata level full returns null for metadata that the file does not contain', async () => {
  const { data } = await read(await flag().png().toBuffer(), 'PNG')
  const { camera, captured_at, copyright, artist, color_profile, location } = data
  const absent = { camera, captured_at, copyright, artist, color_profile, location }
  assert.deepEqual(Object.values(absent), Array(6).fill(null))
})

test('metadata level full returns rights from XMP, and the name of the color profile', async () => {
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:rights><rdf:Alt>
<rdf:li xml:lang="x-default">© Grace</rdf:li></rdf:Alt></dc:rights><dc:creator><rdf:Seq><rdf:li>Grace</rdf:li></rdf:Seq>
</dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>`
  const { data } = await read(await flag().withXmp(xmp).withIccProfile('p3').jpeg().toBuffer(), 'JPEG')
  assert.deepEqual([data.copyright, data.artist], ['© Grace', 'Grace'])
  assert.match(data.color_profile ?? '', /P3/)
})

test('metadata level full removes control characters and lone surrogates from text, and limits text to 1,000 characters', async () => {
  const image = flag().withExif({ IFD0: { Copyright: `a\u0007b${'c'.repeat(2_000)}`, Artist: '\u0001' } })
  const { data } = await read(await image.jpeg().toBuffer(), 'JPEG')
  assert.deepEqual([data.copyright, data.artist], [`a b${'c'.repeat(997)}`, null])
})

test('a metadata read treats damaged EXIF as missing EXIF', async () => {
  const jpeg = await flag().withExif(EXIF).jpeg().toBuffer()
  const at = jpeg.indexOf('Exif\0\0')
  jpeg.fill(0xff, at + 6, at + 200)
  const { data } = await read(jpeg, 'JPEG')
  assert.deepEqual([data.camera, data.location], [null, null])
})

test('metadata level full returns the dominant colors with their shares', async () => {
  const { data } = await read(await flag().png().toBuffer(), 'PNG')
  const [red, blue, ...others] = data.colors ?? []
  assert.deepEqual([red?.color, blue?.color, others], ['#C00000', '#0000C0', []])
  assert.ok(Math.abs((red?.share ?? 0) - 0.667) < 0.02 && Math.abs((blue?.share ?? 0) - 0.333) < 0.02)
})

test('transparent pixels do not count toward the dominant colors', async () => {
  const clear = sharp({ create: { width: 40, height: 40, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
  const dot = { create: { width: 10, height: 40, channels: 4, background: '#00FF00' } } as const
  const some = await read(
    await clear
      .clone()
      .composite([{ input: dot, left: 0, top: 0 }])
      .png()
      .toBuffer(),
    'PNG',
  )
  assert.deepEqual(some.data.colors, [{ color: '#00FF00', share: 1 }])
  const none = await read(await clear.png().toBuffer(), 'PNG')
  assert.deepEqual(none.data.colors, [])
})

test('the ThumbHash represents the upright image', async () => {
  const upright = await read(await flag().jpeg().toBuffer(), 'JPEG')
  const stored = await sharp(await flag().png().toBuffer())
    .rotate(270)
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const turned = await read(stored, 'JPEG')
  for (const { data } of [upright, turned]) {
    const { w, h, rgba } = thumbHashToRGBA(Buffer.from(data.thumbhash ?? '', 'base64'))
    assert.ok(w > h, `${w} × ${h}`)
    const at = (x: number) => [...rgba.subarray(4 * (Math.floor(h / 2) * w + x)).subarray(0, 3)]
    const [left, right] = [at(2), at(w - 3)]
    assert.ok((left[0] ?? 0) > (left[2] ?? 0) && (right[2] ?? 0) > (right[0] ?? 0), JSON.stringify([left, right]))
  }
})

test('a metadata read accepts an image over the pixel limits, because it does not decode the image', async () => {
  const png = await flag().png().toBuffer()
  for (const limits of [{ maxFramePixels: 59_999 }, { maxSourcePixels: 59_999 }]) {
    const { data } = await read(png, 'PNG', { limits })
    assert.deepEqual([data.colors, data.thumbhash, data.width], [null, null, 300])
  }
})

test('the metadata of a truncated image can be read only at level basic', async () => {
  const png = await flag().png().toBuffer()
  const cut = png.subarray(0, png.length - 40)
  assert.equal((await read(cut, 'PNG', { level: 'basic' })).data.width, 300)
  await assert.rejects(read(cut, 'PNG'), { code: 'processing_failed' })
})

test('metadata level full fetches the rest of a partly downloaded file, and level basic does not', async () => {
  const jpeg = await flag().withExif(EXIF).jpeg().toBuffer()
  const presentBytes = jpeg.length - 100
  const full = await read(jpeg, 'JPEG', { presentBytes })
  assert.deepEqual([full.asked, full.data.camera], [jpeg.length - presentBytes, 'Canon EOS R5'])
  assert.equal((await read(jpeg, 'JPEG', { presentBytes, level: 'basic' })).asked, 0)
})

test('metadata level basic requests only the byte range with missing metadata', async () => {
  // The directory of this TIFF is at its end.
  const tiff = await flag().tiff({ compression: 'none' }).toBuffer()
  const { data, asked } = await read(tiff, 'TIFF', { presentBytes: 1000, level: 'basic' })
  assert.deepEqual([data.width, data.height], [300, 200])
  assert.ok(asked > 0 && asked < 10_000, `${asked} of ${tiff.length} bytes`)
})

test('content credentials are found in JPEG, PNG, WebP, TIFF, and AVIF', async () => {
  const manifest = Buffer.from('JP\0\x01\0\0\0\x01\0\0\0\x40jumb\0\0\0\x26jumdc2pa\0\x11\0\x10', 'latin1')
  const segment = Buffer.concat([Buffer.from([0xff, 0xeb, 0, manifest.length + 2]), manifest])
  const jpeg = await flag().jpeg().toBuffer()
  const png = await flag().png().toBuffer()
  const webp = await flag().webp().toBuffer()
  const avif = await flag().avif({ effort: 0 }).toBuffer()
  const uuid = Buffer.concat([Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex'), Buffer.alloc(8)])
  const chunk = Buffer.concat([Buffer.from('\0\0\0\x04caBX', 'latin1'), Buffer.from('abcd'), Buffer.alloc(4)])
  const riff = Buffer.concat([webp, Buffer.from('C2PA\x04\0\0\0abcd', 'latin1')])
  riff.writeUInt32LE(riff.length - 8, 4)
  const withManifest: [ImageSourceFormat, Buffer][] = [
    ['JPEG', Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)])],
    ['PNG', Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)])],
    ['WEBP', riff],
    ['TIFF', tiffWithTag(await flag().tiff({ compression: 'none' }).toBuffer(), 0xcd41)],
    ['AVIF', Buffer.concat([avif, box('uuid', uuid)])],
  ]
  for (const [format, bytes] of withManifest) {
    assert.equal((await read(bytes, format)).data.content_credentials, true, format)
  }
})

function tiffWithTag(tiff: Buffer, tag: number): Buffer {
  const at = tiff.readUInt32LE(4)
  const count = tiff.readUInt16LE(at)
  const entry = Buffer.alloc(12)
  entry.writeUInt16LE(tag, 0)
  entry.writeUInt16LE(7, 2)
  entry.writeUInt32LE(1, 4)
  const head = Buffer.alloc(2)
  head.writeUInt16LE(count + 1)
  const entries = tiff.subarray(at + 2, at + 2 + count * 12)
  const result = Buffer.concat([tiff, head, entries, entry, Buffer.alloc(4)])
  result.writeUInt32LE(tiff.length, 4)
  return result
}

test('metadata level full returns the dominant colors of a HEIC image', async () => {
  const { data } = await read(heic({ items: [coded('eight')] }), 'HEIC')
  const shares = data.colors?.map(({ share }) => share) ?? []
  assert.equal(shares.length, 4)
  for (const share of shares) assert.ok(Math.abs(share - 0.25) < 0.05, String(share))
})
