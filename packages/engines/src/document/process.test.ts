import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'
import { noisyImage } from '@mediamill/lab/support/images'
import sharp from 'sharp'
import { assertNear, pixelsOf, png, rawOf } from '../image/process-fixture.ts'
import { metadataOf, onePage, processed, readable, snapshot, stream, textsOf } from './document-fixture.ts'

const WHITE = [255, 255, 255]
const page = (content = '') => onePage('/MediaBox[0 0 144 240]', content)
const mark = (more: object = {}) => ({ type: 'watermark', image_url: 'mark', x: 12, y: 24, ...more })

/** Draws a page. `at` reads the pixel at a position in points from the top left. */
async function shown(bytes: Buffer, number = 1) {
  const { at, ...rest } = await pixelsOf((await snapshot(bytes, number)).bytes)
  return { ...rest, at: (x: number, y: number) => at(Math.floor((x * 150) / 72), Math.floor((y * 150) / 72)) }
}

async function bookOf(pages: number): Promise<PDFDocument> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  const photo = await noisyImage(300, 200).jpeg({ quality: 80 }).toBuffer()
  const image = await document.embedJpg(photo)
  for (let number = 1; number <= pages; number += 1) {
    const added = document.addPage([300, 400])
    for (let line = 0; line < 25; line += 1) {
      added.drawText(`Page ${number}, line ${line}: quite an ordinary text.`, {
        x: 20,
        y: 370 - line * 14,
        size: 9,
        font,
      })
    }
    if (number % 3 === 0) added.drawImage(image, { x: 20, y: 20, width: 60, height: 40 })
  }
  return document
}

test('a document watermark does not change the text of the page or the pixels around the watermark', async () => {
  const before = Buffer.from(await (await bookOf(3)).save())
  const { bytes, units, data } = await processed(before, [mark()])
  assert.equal(units, 3)
  assert.deepEqual(await textsOf(bytes), await textsOf(before))
  assert.match((await textsOf(bytes))[2] ?? '', /Page 3, line 24/)
  const pageSize = { width: 300, height: 400, unit: 'pt' }
  assert.deepEqual(data, { page_count: 3, page_size: pageSize, format: 'PDF', size: bytes.length })
  const [a, b] = [await pixelsOf((await snapshot(before, 3)).bytes), await pixelsOf((await snapshot(bytes, 3)).bytes)]
  assert.ok(
    a.data.subarray(a.width * 4 * 120).equals(b.data.subarray(b.width * 4 * 120)),
    'pixels changed below the mark',
  )
  assert.ok(!a.data.equals(b.data), 'the mark is there')
})

test('a processed document keeps its form fields', async () => {
  const document = await bookOf(2)
  document.getForm().createTextField('name').addToPage(document.getPage(1), { x: 20, y: 20, width: 100, height: 20 })
  const { bytes } = await processed(Buffer.from(await document.save()), [mark()])
  const after = await PDFDocument.load(bytes)
  assert.deepEqual(
    after
      .getForm()
      .getFields()
      .map((field) => field.getName()),
    ['name'],
  )
})

test('a processed document stores the watermark image only once, and the size of the document increases by at most 3 % plus this image', async () => {
  const before = Buffer.from(await (await bookOf(60)).save({ useObjectStreams: false }))
  const logo = { bytes: await noisyImage(80, 60).png().toBuffer(), format: 'PNG' as const }
  const { bytes } = await processed(before, [mark({ image_url: 'logo' })], { marks: { logo } })
  const images = bytes.toString('latin1').match(/\/Width 80\b/g)
  assert.equal(images?.length, 1)
  const growth = (bytes.length - before.length - logo.bytes.length) / before.length
  assert.ok(growth <= 0.03, `it grew by ${(growth * 100).toFixed(1)} %`)
})

test('adding a watermark does not enlarge a file whose objects are in object streams', async () => {
  const document = await bookOf(40)
  for (let number = 0; number < 40; number += 1) {
    const field = document.getForm().createTextField(`field ${number}`)
    field.addToPage(document.getPage(number), { x: 20, y: 20, width: 100, height: 20 })
  }
  const before = Buffer.from(await document.save({ useObjectStreams: true }))
  const { bytes } = await processed(before, [mark()])
  assert.ok(bytes.length < before.length * 1.03 + 2_000, `${before.length} bytes became ${bytes.length}`)
  assert.deepEqual(await textsOf(bytes), await textsOf(before))
  assert.equal((await PDFDocument.load(bytes)).getForm().getFields().length, 40)
})

test('the PDF engine draws several watermarks in order, each over the previous watermark [operations.list.1]', async () => {
  const green = await png(20, 20, () => [0, 255, 0])
  const { bytes } = await processed(page(), [mark(), mark({ image_url: 'green', x: 20, y: 30 })], { marks: { green } })
  const { at } = await shown(bytes)
  assertNear(at(15, 40), [255, 0, 0], 'the first')
  assertNear(at(30, 40), [0, 255, 0], 'the second, over it')
})

test('the PDF engine repeats a watermark to the right and down from x, y, and in one row or column if only one spacing is set [operations.watermark.2]', async () => {
  const green = await png(10, 10, () => [0, 128, 0])
  const tiles = { image_url: 'green', x: 30, y: 40 }
  const both = await shown(
    (await processed(page(), [mark({ ...tiles, tile_spacing_x: 20.5, tile_spacing_y: 50 })], { marks: { green } }))
      .bytes,
  )
  for (const [x, y] of [
    [35, 45],
    [55, 45],
    [137, 45],
    [35, 95],
    [76, 195],
  ] as const) {
    assertNear(both.at(x, y), [0, 128, 0], `a copy at ${x}, ${y}`)
  }
  for (const [x, y] of [
    [14, 45],
    [35, 15],
    [45, 45],
    [35, 70],
  ] as const) {
    assertNear(both.at(x, y), WHITE, `nothing at ${x}, ${y}`)
  }
  const row = await shown(
    (await processed(page(), [mark({ ...tiles, tile_spacing_x: 20 })], { marks: { green } })).bytes,
  )
  assertNear(row.at(55, 45), [0, 128, 0], 'the second of the row')
  assertNear(row.at(35, 65), WHITE, 'below the row')
  const column = await shown(
    (await processed(page(), [mark({ ...tiles, tile_spacing_y: 20, tile_spacing_x: 0 })], { marks: { green } })).bytes,
  )
  assertNear(column.at(35, 65), [0, 128, 0], 'the second of the column')
  assertNear(column.at(55, 45), WHITE, 'beside the column')
})

test('the PDF engine draws diagonal lines over the watermark from corner to corner of the page, with their opacity multiplied by the alpha of their color [operations.watermark.3]', async () => {
  const lines = { diagonal_lines_color: '#0000ff', diagonal_lines_opacity: 50 }
  const { bytes } = await processed(onePage('/MediaBox[0 0 600 800]'), [mark({ x: 290, y: 370, ...lines })])
  // The lines are 3 points wide: 1/200 of the shorter side, 600 points.
  const { at } = await shown(bytes)
  for (const [x, y] of [
    [150, 200],
    [450, 600],
    [150, 600],
    [450, 200],
    [2, 2.6],
    [597.5, 797],
  ] as const) {
    assertNear(at(x, y), [127, 127, 255], `a line at ${x}, ${y}`)
  }
  for (const [x, y] of [
    [150, 205],
    [300, 100],
    [30, 400],
  ] as const)
    assertNear(at(x, y), WHITE, `nothing at ${x}, ${y}`)
  assertNear(at(300, 399.8), [127, 0, 127], 'where the lines cross, over the red of the mark')
  const twice = await processed(onePage('/MediaBox[0 0 600 800]'), [
    mark({ x: 20, diagonal_lines_color: '#4000ff80', diagonal_lines_opacity: 50 }),
  ])
  assertNear((await shown(twice.bytes)).at(150, 200), [207, 191, 255], 'half of half')
})

test('the page is visible through transparent parts of a watermark', async () => {
  const glass = await png(40, 30, (x) => [0, 0, 255, x < 20 ? 0 : 128])
  const { bytes } = await processed(page('1 1 0 rg 0 0 144 240 re f'), [mark({ image_url: 'glass' })], {
    marks: { glass },
  })
  const { at } = await shown(bytes)
  assertNear(at(20, 40), [255, 255, 0], 'the transparent half')
  assertNear(at(42, 40), [127, 127, 128], 'the half that is half transparent')
})

test('the PDF engine embeds a JPEG watermark upright and without metadata, and does not encode the image again [operations.watermark.4]', async () => {
  const stored = rawOf(40, 30, (x) => (x < 20 ? [255, 0, 0] : [0, 0, 255]))
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const bytes = await stored
      .clone()
      .withMetadata({ orientation, exif: { IFD0: { Artist: 'nobody' } } })
      .jpeg()
      .toBuffer()
    const photo = { bytes, format: 'JPEG' as const }
    const result = await processed(page(), [mark({ image_url: 'photo' })], { marks: { photo } })
    const scan = bytes.subarray(bytes.indexOf(Buffer.from([0xff, 0xda])))
    assert.ok(result.bytes.includes(scan), 'the encoded picture')
    assert.ok(!result.bytes.includes('nobody'), 'the metadata')
    const upright = await pixelsOf(await sharp(bytes).autoOrient().png().toBuffer())
    const { at } = await shown(result.bytes)
    for (const [x, y] of [
      [3, 3],
      [26, 3],
      [3, 26],
      [26, 26],
    ] as const) {
      assertNear(at(12 + x, 24 + y), upright.at(x, y), `orientation ${orientation} at ${x}, ${y}`)
    }
    const [right, below] = orientation < 5 ? [53, 55] : [43, 65]
    assertNear(at(right, 30), WHITE, `beside it, orientation ${orientation}`)
    assertNear(at(20, below), WHITE, `below it, orientation ${orientation}`)
  }
})

test('the PDF engine draws CMYK, WebP, and GIF watermarks in the correct colors, and the first frame of an animation [operations.watermark.4]', async () => {
  const orange = rawOf(40, 30, () => [250, 120, 10])
  const frames = Buffer.concat([Buffer.alloc(40 * 30 * 3, 0), Buffer.alloc(40 * 30 * 3, 255)])
  const cases = [
    {
      format: 'JPEG' as const,
      bytes: await orange.clone().toColourspace('cmyk').jpeg().toBuffer(),
      color: [250, 120, 10],
    },
    { format: 'WEBP' as const, bytes: await orange.clone().webp({ lossless: true }).toBuffer(), color: [250, 120, 10] },
    {
      format: 'GIF' as const,
      bytes: await sharp(frames, { raw: { width: 40, height: 60, channels: 3, pageHeight: 30 } })
        .gif({ delay: [50, 50] })
        .toBuffer(),
      color: [0, 0, 0],
    },
  ]
  for (const { color, ...other } of cases) {
    const { bytes } = await processed(page(), [mark({ image_url: 'other' })], { marks: { other } })
    const { at } = await shown(bytes)
    // A conversion to CMYK and back changes colors, so the tolerance is large.
    assertNear(at(30, 40), color, other.format, 40)
    assertNear(at(30, 57), WHITE, `below ${other.format}`)
  }
})

test('the PDF engine draws a JPEG that stores RGB instead of YCbCr in the correct colors', async () => {
  const bytes = await rawOf(40, 30, () => [200, 100, 50])
    .jpeg({ chromaSubsampling: '4:4:4' })
    .toBuffer()
  // Changes the component ids to R, G, and B, and removes the JFIF marker, so that the samples count as RGB.
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]))
  const scan = bytes.indexOf(Buffer.from([0xff, 0xda]))
  for (const [component, name] of ['R', 'G', 'B'].entries()) {
    bytes.write(name, frame + 10 + component * 3, 'latin1')
    bytes.write(name, scan + 5 + component * 2, 'latin1')
  }
  const jfif = bytes[3] === 0xe0 ? bytes.readUInt16BE(4) + 4 : 2
  const other = { bytes: Buffer.concat([bytes.subarray(0, 2), bytes.subarray(jfif)]), format: 'JPEG' as const }
  const color = (await pixelsOf(await sharp(other.bytes).png().toBuffer())).at(20, 15)
  assert.notDeepEqual(color.slice(0, 3), [200, 100, 50])
  const { at } = await shown((await processed(page(), [mark({ image_url: 'other' })], { marks: { other } })).bytes)
  assertNear(at(30, 40), color.slice(0, 3), 'red, green and blue')
})

test('a damaged watermark image, or too many watermark copies, fails with the index of the operation [operations.watermark.5, limits.media.1]', async () => {
  const whole = await rawOf(400, 300, (x, y) => [x % 256, y % 256, 0])
    .jpeg()
    .toBuffer()
  const broken = { bytes: whole.subarray(0, whole.length / 2), format: 'JPEG' as const }
  await assert.rejects(processed(page(), [mark(), mark({ image_url: 'broken' })], { marks: { broken } }), {
    code: 'processing_failed',
    operation: 1,
    message: /watermark image is damaged/,
  })
  const often = mark({ x: 0, y: 0, tile_spacing_x: 0.3, tile_spacing_y: 0.3 })
  await assert.rejects(processed(onePage('/MediaBox[0 0 400 400]'), [often]), { operation: 0, message: /tile spacing/ })
})

test('a watermark outside the page is charged and changes nothing', async () => {
  const { bytes, units } = await processed(page('(text) pop'), [mark({ x: 145 }), mark({ y: -30 })])
  assert.equal(units, 1)
  assert.deepEqual((await readable(bytes)).match(/\/Artifact/), null)
})

test('the PDF engine decrypts a document that opens without a password [documents.passwords.1]', async () => {
  const document = await bookOf(2)
  document.encrypt({ userPassword: '', ownerPassword: 'owner' })
  const before = Buffer.from(await document.save())
  assert.equal((await metadataOf(before))['encrypted'], true)
  const { bytes } = await processed(before, [mark()])
  assert.equal((await metadataOf(bytes))['encrypted'], false)
  assert.deepEqual(await textsOf(bytes), await textsOf(before))
  assert.match((await textsOf(bytes))[0] ?? '', /Page 1/)
})

test('processing stops if the worker rejects the estimated number of pages because the price is too high', async () => {
  const asked: unknown[] = []
  const ask = async (question: object) => {
    asked.push(question)
    throw new Error('too expensive')
  }
  await assert.rejects(processed(page(), [mark()], { ask }), /^Error: too expensive$/)
  assert.deepEqual(asked, [{ type: 'estimate', units: 1 }])
})

test('the PDF engine rejects a result above the size limit before writing the result', async () => {
  await assert.rejects(processed(page(), [mark()], { limits: { maxResultBytes: 500 } }), {
    code: 'processing_failed',
    message: /the limit is 500 bytes/,
  })
})

test('the PDF engine can add a second watermark to a document that the engine has already watermarked', async () => {
  const once = await processed(page(), [mark()])
  const { bytes } = await processed(once.bytes, [mark({ x: 80 })])
  const { at } = await shown(bytes)
  assertNear(at(15, 40), [255, 0, 0], 'the first')
  assertNear(at(85, 40), [255, 0, 0], 'the second')
})

test('the PDF engine does not overwrite an existing resource with the same name as the watermark', async () => {
  const square = stream('0 1 0 rg 0 0 20 20 re f', '/Type/XObject/Subtype/Form/BBox[0 0 20 20]')
  const names = Array.from({ length: 40 }, (_, number) => `/Mm${number} 5 0 R`).join('')
  const content = Array.from({ length: 40 }, (_, number) => `/Mm${number} Do`).join(' ')
  const before = onePage(`/MediaBox[0 0 144 240]/Resources<</XObject<<${names}>>>>`, content, [square])
  const { at } = await shown((await processed(before, [mark()])).bytes)
  assertNear(at(5, 235), [0, 255, 0], 'the page’s own')
  assertNear(at(15, 40), [255, 0, 0], 'the mark')
})
