import assert from 'node:assert/strict'
import { test } from 'node:test'
import { naming } from '@mediamill/lab/support/message'
import sharp from 'sharp'
import { assertNear, pixelsOf } from '../image/process-fixture.ts'
import { metadataOf, onePage, pdfOf, pool, snapshot, stream } from './document-fixture.ts'

const BOX = '/MediaBox[0 0 144 240]'

function inkIn(
  { data, width }: Awaited<ReturnType<typeof pixelsOf>>,
  left: number,
  top: number,
  right: number,
  bottom: number,
) {
  let dark = 0
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) if ((data[(y * width + x) * 4 + 1] ?? 255) < 128) dark += 1
  }
  return dark / ((right - left) * (bottom - top))
}

test('a snapshot renders a page at 150 dots per inch on a white background, as jpg or png [documents.snapshot.1]', async () => {
  const bytes = onePage(BOX, '1 0 0 rg 0 120 72 120 re f')
  const png = await snapshot(bytes)
  assert.deepEqual(png.data, { width: 300, height: 500, format: 'PNG', size: png.bytes.length, page: 1 })
  const { at } = await pixelsOf(png.bytes)
  assert.deepEqual(
    [at(0, 0), at(149, 249), at(151, 0), at(0, 251)].map((pixel) => pixel.slice(0, 3)),
    [
      [255, 0, 0],
      [255, 0, 0],
      [255, 255, 255],
      [255, 255, 255],
    ],
  )
  const jpg = await snapshot(bytes, 1, 'jpg')
  assert.deepEqual([jpg.data['format'], jpg.files[0]?.format], ['JPEG', 'jpg'])
  assert.equal((await sharp(jpg.bytes).metadata()).format, 'jpeg')
})

test('a snapshot of a page over the pixel limit is rendered smaller, in proportion [documents.snapshot.1]', async () => {
  const bytes = onePage('/MediaBox[0 0 3000 1500]', '0 0 1 rg 0 0 1500 1500 re f')
  const { data, bytes: image } = await snapshot(bytes, 1, 'png', { maxFramePixels: 20_000 })
  assert.deepEqual([data['width'], data['height']], [200, 100])
  const { at } = await pixelsOf(image)
  assert.deepEqual(
    [at(98, 50).slice(0, 3), at(101, 50).slice(0, 3)],
    [
      [0, 0, 255],
      [255, 255, 255],
    ],
  )
  const endless = await snapshot(onePage('/MediaBox[0 0 10000000 10]'), 1, 'png', { maxFramePixels: 1_000_000 })
  assert.deepEqual([endless.data['width'], endless.data['height']], [65_500, 1])
})

test('pixels of a page never appear in a later image from the same engine', async () => {
  const dark = (side: number) => onePage(`/MediaBox[0 0 ${side} ${side}]`, `0 0 ${side} ${side} re f`)
  for (const side of [480, 96, 960]) {
    const { bytes: image } = await snapshot(dark(side))
    const [darkest] = (await sharp(image).stats()).channels
    assert.deepEqual([darkest?.min, darkest?.max], [0, 0])
    const empty = await snapshot(onePage('/MediaBox[0 0 240 144]'))
    assert.deepEqual([empty.data['width'], empty.data['height']], [500, 300])
    const [lightest] = (await sharp(empty.bytes).stats()).channels
    assert.deepEqual([lightest?.min, lightest?.max], [255, 255])
  }
})

test('a large page, which is rendered in bands, has no seams', async () => {
  const page = onePage('/MediaBox[0 0 2400 2400]', '0 0 m 2400 0 l 0 2400 l f')
  const { data } = await sharp((await snapshot(page)).bytes, { limitInputPixels: false })
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true })
  for (let row = 4; row < 4996; row += 1) {
    assert.equal(data[row * 5000 + row - 3], 0, `row ${row}`)
    assert.equal(data[row * 5000 + row + 3], 255, `row ${row}`)
  }
})

test('a snapshot renders fields and annotations [documents.snapshot.4]', async () => {
  const form = (color: string) => stream(`${color} rg 0 0 40 20 re f`, '/Type/XObject/Subtype/Form/BBox[0 0 40 20]')
  const bytes = pdfOf([
    '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DA(/Helv 0 Tf 0 g)>>>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R${BOX}/Annots[4 0 R 5 0 R]>>`,
    '<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(x)/F 4/Rect[20 200 60 220]/AP<</N 6 0 R>>>>',
    '<</Type/Annot/Subtype/Stamp/F 4/Rect[20 100 60 120]/AP<</N 7 0 R>>>>',
    form('0 0.5 0'),
    form('0 0 0.5'),
  ])
  const { at } = await pixelsOf((await snapshot(bytes)).bytes)
  assert.deepEqual(at(83, 62).slice(0, 3), [0, 128, 0])
  assert.deepEqual(at(83, 270).slice(0, 3), [0, 0, 128])
})

test('a snapshot blends transparent colors with the red and blue channels in the correct order', async () => {
  const group = stream(
    '/G gs 1 0 0 rg 0 0 100 100 re f',
    '/Type/XObject/Subtype/Form/BBox[0 0 100 100]/Group<</S/Transparency/I true>>/Resources<</ExtGState<</G<</ca 0.5>>>>>>',
  )
  const bytes = onePage(`${BOX}/Resources<</XObject<</X 5 0 R>>>>`, '1 1 0 rg 0 0 50 100 re f /X Do', [group])
  const { at } = await pixelsOf((await snapshot(bytes)).bytes)
  assertNear(at(52, 400), [255, 128, 0], 'over yellow', 2)
  assertNear(at(156, 400), [255, 128, 128], 'over white', 2)
})

test('a transparency group is blended with a transparent backdrop, not with the white background of the page', async () => {
  // The blend mode Screen would draw white if the backdrop were the white paper (ISO 32000-1, 11.4.7).
  const bytes = onePage(
    `${BOX}/Resources<</XObject<</X 5 0 R>>/ExtGState<</G<</BM/Screen/ca 0.8>>>>>>`,
    '/G gs /X Do',
    [
      stream(
        '0.1 0.3 0.7 rg 0 0 100 100 re f',
        '/Type/XObject/Subtype/Form/BBox[0 0 100 100]/Group<</S/Transparency>>',
      ),
    ],
  )
  const pixel = (await pixelsOf((await snapshot(bytes)).bytes)).at(50, 450)
  assertNear(pixel, [71, 112, 194], 'the group', 2)
})

test('a snapshot renders Chinese, Japanese, and Korean text whose fonts are missing from the document', async () => {
  const cases = [
    ['HeiseiMin-W3', 'UniJIS-UCS2-H', 'Japan1', '日本語'],
    ['STSong-Light', 'UniGB-UCS2-H', 'GB1', '汉语们'],
    ['MSung-Light', 'UniCNS-UCS2-H', 'CNS1', '漢語們'],
    ['HYSMyeongJo-Medium', 'UniKS-UCS2-H', 'Korea1', '한국어'],
  ] as const
  for (const [font, encoding, ordering, text] of cases) {
    const codes = Buffer.from(text, 'utf16le').swap16().toString('hex')
    const bytes = onePage(`${BOX}/Resources<</Font<</F 5 0 R>>>>`, `BT /F 36 Tf 12 200 Td <${codes}> Tj ET`, [
      `<</Type/Font/Subtype/Type0/BaseFont/${font}/Encoding/${encoding}/DescendantFonts[6 0 R]>>`,
      `<</Type/Font/Subtype/CIDFontType0/BaseFont/${font}/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/DW 1000/FontDescriptor 7 0 R>>`,
      `<</Type/FontDescriptor/FontName/${font}/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>`,
    ])
    const image = await pixelsOf((await snapshot(bytes)).bytes)
    const inks = [0, 1, 2].map((index) => inkIn(image, 25 + index * 75, 15, 100 + index * 75, 95))
    for (const ink of inks) assert.ok(ink > 0.06 && ink < 0.6, `${ordering}: ${inks.join()}`)
    assert.equal(new Set(inks).size, 3, `${ordering}: ${inks.join()}`)
  }
})

test('a snapshot of a page that does not exist fails, and the error message has the number of pages [documents.snapshot.2]', async () => {
  await assert.rejects(snapshot(onePage(BOX), 2), {
    code: 'processing_failed',
    message: naming('1 page', 'no page 2'),
  })
})

test('a snapshot of a page that needs too much memory fails, and the next document is still rendered', async () => {
  const bomb = onePage(BOX, 'q 1 0 0 rg 0 0 1 1 re f '.repeat(3_000_000))
  await assert.rejects(snapshot(bomb), {
    code: 'processing_failed',
    message: /requires more than .* of working memory/,
  })
  assert.equal((await snapshot(onePage(BOX))).data['width'], 300)
  assert.equal((await metadataOf(bomb))['page_count'], 1)
  assert.ok(await pool.run((pdfium) => pdfium.heap().length < 64 * 1024 * 1024))
})
