import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failure } from '@mediamill/lab/support/failure'
import sharp from 'sharp'
import { difference, pixelsOf, png, processed, rawOf } from './process-fixture.ts'

const [WIDTH, HEIGHT] = [256, 192]
const paint = (x: number, y: number) => [x, y, ((x * 7) ^ (y * 13)) & 255]
const [SOS, EOI] = [0xda, 0xd9]

function segmentsOf(jpeg: Buffer): { marker: number; start: number; headerEnd: number; dataEnd: number }[] {
  const found = []
  for (let start = 2; jpeg[start + 1] !== EOI; ) {
    const marker = jpeg.readUInt8(start + 1)
    const headerEnd = start + 2 + jpeg.readUInt16BE(start + 2)
    let dataEnd = headerEnd
    if (marker === SOS) while (jpeg[dataEnd] !== 0xff || jpeg[dataEnd + 1] === 0) dataEnd += 1
    found.push({ marker, start, headerEnd, dataEnd })
    start = dataEnd
  }
  return found
}

function changed(bytes: Buffer, at: number, ...values: number[]): Buffer {
  const copy = Buffer.from(bytes)
  copy.set(values, at)
  return copy
}
const inserted = (bytes: Buffer, at: number, values: readonly number[]) =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from(values), bytes.subarray(at)])
const without = (bytes: Buffer, from: number, to: number) =>
  Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
const segment = (marker: number, ...body: (number | string)[]) => {
  const content = Buffer.concat(body.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))))
  return [0xff, marker, 0, content.length + 2, ...content]
}

async function jpegs() {
  const [baseline, progressive] = await Promise.all(
    [false, true].map((isProgressive) =>
      rawOf(WIDTH, HEIGHT, paint).jpeg({ quality: 80, progressive: isProgressive }).toBuffer(),
    ),
  )
  assert.ok(baseline && progressive)
  const scan = segmentsOf(baseline).find(({ marker }) => marker === SOS)
  const header = segmentsOf(baseline)[0]
  const scans = segmentsOf(progressive).filter(({ marker }) => marker === SOS)
  assert.ok(scan && header && scans[2])
  return { baseline, progressive, scan, header, laterScan: scans[2] }
}

const OPERATIONS = [[{ type: 'flip' }], [{ type: 'resize', width: 32, height: 24 }], [{ type: 'grayscale' }]]

test('a JPEG with harmless irregularities gives the same result as a regular JPEG [sources.formats.5]', async () => {
  const { baseline, progressive, scan, header, laterScan } = await jpegs()
  const odd: Record<string, [Buffer, Buffer]> = {
    'scan parameters of a progressive picture': [changed(baseline, scan.headerEnd - 3, 0, 0, 0), baseline],
    'bytes between two headers': [inserted(baseline, header.start, [1, 2, 3]), baseline],
    'many bytes between two headers': [inserted(baseline, header.start, Array<number>(500).fill(7)), baseline],
    'bytes between two headers, progressive': [inserted(progressive, header.start, [1, 2, 3]), progressive],
    'padding after a scan': [inserted(baseline, scan.dataEnd, [0, 0, 0]), baseline],
    'padding after a progressive scan': [inserted(progressive, laterScan.dataEnd, [0, 0, 0]), progressive],
    'a JFIF of version 9': [inserted(baseline, 2, segment(0xe0, 'JFIF\0', 9, 9, 0, 0, 1, 0, 1, 0, 0)), baseline],
    // The value 9 is undefined, so decoders use the default transform.
    'an Adobe transform of 9': [inserted(baseline, 2, segment(0xee, 'Adobe', 0, 100, 0, 0, 0, 0, 9)), baseline],
    'an EXIF of nothing': [inserted(baseline, 2, segment(0xe1, 'Exif\0\0', 1, 2, 3)), baseline],
    'a profile of nothing': [inserted(baseline, 2, segment(0xe2, 'ICC_PROFILE\0', 1, 1, 1, 2, 3)), baseline],
    'bytes behind its end': [Buffer.concat([baseline, Buffer.alloc(5000, 7)]), baseline],
  }
  for (const [what, [bytes, intact]] of Object.entries(odd)) {
    for (const operations of OPERATIONS) {
      const result = await processed({ bytes, format: 'JPEG' }, operations)
      const expected = await processed({ bytes: intact, format: 'JPEG' }, operations)
      assert.ok((await pixelsOf(result.bytes)).data.equals((await pixelsOf(expected.bytes)).data), what)
    }
  }
})

test('a tiny thumbnail of a small JPEG has the pixels of a thumbnail of the same image as PNG', async () => {
  const drawn = rawOf(140, 140, (x, y) => [x * 1.8, 255 - y * 1.8, ((x >> 4) + (y >> 4)) % 2 === 0 ? 220 : 30])
  const bytes = await drawn.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer()
  const lossless = { bytes: await sharp(bytes).png().toBuffer(), format: 'PNG' } as const
  const thumbnail = [{ type: 'thumbnail', width: 13, height: 13 }]
  const [found, expected] = [
    await processed({ bytes, format: 'JPEG' }, thumbnail),
    await processed(lossless, thumbnail),
  ]
  const { mean } = await difference(found.bytes, expected.bytes)
  assert.ok(mean < 3, `${mean}`)
})

test('the image engine rejects a truncated or damaged JPEG, even as a watermark [sources.formats.3]', async () => {
  const { baseline, progressive, scan, laterScan } = await jpegs()
  const data = scan.headerEnd
  const badScan = changed(baseline, data - 3, 0, 0, 0)
  const broken: Record<string, Buffer> = {
    'cut off': baseline.subarray(0, Math.floor(baseline.length * 0.6)),
    'cut off shortly before its end': baseline.subarray(0, baseline.length - 40),
    'cut off, progressive': progressive.subarray(0, Math.floor(progressive.length * 0.6)),
    'an end in the middle': changed(baseline, data + 2000, 0xff, EOI),
    'a restart where none belongs': changed(baseline, data + 2000, 0xff, 0xd3),
    'a part filled with zeros': baseline.map((value, at) =>
      at > data + 1500 && at < data + 3500 ? 0 : value,
    ) as Buffer,
    'a part missing': without(baseline, data + 2000, data + 3000),
    'the end of a progressive scan where it does not belong': inserted(
      progressive,
      laterScan.dataEnd,
      Array<number>(40).fill(0x55),
    ),
    'an oddity and damage besides': changed(badScan, data + 2000, 0xff, EOI),
  }
  const watermark = [{ type: 'flip' }, { type: 'watermark', image_url: 'm', x: 0, y: 0 }]
  const black = await png(9, 9, () => [0, 0, 0])
  for (const [what, bytes] of Object.entries(broken)) {
    const file = { bytes: Buffer.from(bytes), format: 'JPEG' as const }
    for (const operations of OPERATIONS) {
      await assert.rejects(
        processed(file, operations),
        failure(/^The source image is damaged/),
        `${what} ${JSON.stringify(operations)}`,
      )
    }
    await assert.rejects(
      processed(black, watermark, { marks: { m: file } }),
      failure(/^The watermark image is damaged/, 1),
      what,
    )
  }
})
