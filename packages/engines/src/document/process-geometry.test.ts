import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNear, isNear, pixelsOf } from '../image/process-fixture.ts'
import { metadataOf, onePage, pdfOf, processed, snapshot, stream } from './document-fixture.ts'

const MARK = { type: 'watermark', image_url: 'mark', x: 12, y: 24 }

const BOXES = [
  { name: 'a MediaBox at the origin', entries: '/MediaBox[0 0 144 240]', width: 144, height: 240 },
  {
    name: 'a CropBox within a MediaBox that starts below 0',
    entries: '/MediaBox[-50 -30 400 500]/CropBox[20 40 164 280]',
    width: 144,
    height: 240,
  },
  {
    name: 'swapped corners of its boxes and a CropBox larger than the MediaBox',
    entries: '/MediaBox[150 300 -10 50]/CropBox[900 900 -900 -900]',
    width: 160,
    height: 250,
  },
]

const RED = [255, 0, 0]
const BLUE = [0, 0, 255]
const YELLOW = [255, 255, 0]

for (const { name, entries, width, height } of BOXES) {
  for (const turn of [0, 90, 180, 270]) {
    test(`the PDF engine places a watermark on a page with ${name}, rotated by ${turn} [documents.process.1, operations.watermark.1]`, async () => {
      // A yellow rectangle larger than the page. The content never restores its graphics state.
      const page = onePage(`${entries}/Rotate ${turn}`, 'q 1 1 0 rg -1000 -1000 3000 3000 re f 3 0 0 3 50 50 cm')
      const { bytes, data } = await processed(page, [MARK])
      const [shownWidth, shownHeight] = turn % 180 === 0 ? [width, height] : [height, width]
      assert.deepEqual(data['page_size'], { width: shownWidth, height: shownHeight, unit: 'pt' })
      const { at, width: pixelsWide, height: pixelsHigh } = await pixelsOf((await snapshot(bytes)).bytes)
      assert.deepEqual(
        [pixelsWide, pixelsHigh],
        [shownWidth, shownHeight].map((side) => Math.round((side * 150) / 72)),
      )
      // The watermark is 40 × 30 points, its top left at 12, 24. Each probe is 1.5 points inside or outside an edge.
      const probes: [number, number, number[]][] = [
        [13.5, 25.5, RED],
        [13.5, 52.5, RED],
        [30.5, 39, RED],
        [33.5, 39, BLUE],
        [50.5, 25.5, BLUE],
        [50.5, 52.5, BLUE],
        [10.5, 39, YELLOW],
        [53.5, 39, YELLOW],
        [32, 22.5, YELLOW],
        [32, 55.5, YELLOW],
        [shownWidth - 2, shownHeight - 2, YELLOW],
      ]
      for (const [x, y, color] of probes) {
        const pixel = at(Math.floor((x * 150) / 72), Math.floor((y * 150) / 72))
        assertNear(pixel, color, `at ${x}, ${y}`)
      }
    })
  }
}

test('the PDF engine measures watermark positions and sizes in points on a page with its own UserUnit [documents.process.1]', async () => {
  const page = onePage('/MediaBox[0 0 72 120]/UserUnit 2')
  assert.deepEqual((await metadataOf(page))['page_size'], { width: 144, height: 240, unit: 'pt' })
  const { bytes } = await processed(page, [MARK])
  const { at, width } = await pixelsOf((await snapshot(bytes)).bytes)
  assert.equal(width, 300)
  assert.ok(isNear(at(28, 53), RED))
  assert.ok(isNear(at(105, 109), BLUE))
  assert.ok(isNear(at(112, 109), [255, 255, 255]))
})

test('gravity and scale use the displayed page, after CropBox, /Rotate, and UserUnit are applied', async () => {
  const boxes = '/MediaBox[-50 -30 400 500]/CropBox[20 40 164 280]/UserUnit 1.5/Rotate 90'
  const { bytes, data } = await processed(onePage(boxes, '1 1 0 rg -1000 -1000 3000 3000 re f'), [
    { ...MARK, gravity: 'south_east', scale: 20 },
  ])
  assert.deepEqual(data['page_size'], { width: 360, height: 216, unit: 'pt' })
  const { at } = await pixelsOf((await snapshot(bytes)).bytes)
  const probes: [number, number, number[]][] = [
    [306.3, 161.1, RED],
    [324.9, 190.5, RED],
    [327.9, 161.1, BLUE],
    [346.5, 190.5, BLUE],
    [303.3, 175, YELLOW],
    [349.5, 175, YELLOW],
    [326, 158.1, YELLOW],
    [326, 193.5, YELLOW],
  ]
  for (const [x, y, color] of probes) {
    const pixel = at(Math.floor((x * 150) / 72), Math.floor((y * 150) / 72))
    assertNear(pixel, color, `at ${x}, ${y}`)
  }
})

test('a page inherits its boxes, rotation, and resources from its ancestors', async () => {
  const font = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'
  const page = pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[3 0 R]/Count 2/MediaBox[0 0 144 240]/Resources<</Font<</F ${font}>>>>>>`,
    '<</Type/Pages/Parent 2 0 R/Kids[4 0 R 5 0 R]/Count 2/Rotate 90>>',
    '<</Type/Page/Parent 3 0 R/Contents 6 0 R>>',
    '<</Type/Page/Parent 3 0 R/Contents 6 0 R/Rotate 0>>',
    stream('BT /F 30 Tf 20 100 Td (Hxx) Tj ET'),
  ])
  const before = await pixelsOf((await snapshot(page)).bytes)
  const { bytes, data } = await processed(page, [MARK])
  assert.deepEqual(data['page_size'], { width: 240, height: 144, unit: 'pt' })
  const after = await pixelsOf((await snapshot(bytes)).bytes)
  let dark = 0
  for (let y = 120; y < after.height; y += 1) {
    for (let x = 0; x < after.width; x += 1) {
      assert.deepEqual(after.at(x, y), before.at(x, y))
      if ((after.at(x, y)[0] ?? 255) < 100) dark += 1
    }
  }
  assert.ok(dark > 100, 'the text is there')
  assert.ok(isNear(after.at(28, 53), RED))
  const second = await pixelsOf((await snapshot(bytes, 2)).bytes)
  assert.deepEqual([second.width, second.height], [300, 500])
  assert.ok(isNear(second.at(28, 53), RED))
})

test('unbalanced operators and open strings in the content do not move the watermark', async () => {
  const contents = [
    'Q Q Q Q Q Q Q Q 2 0 0 2 30 30 cm',
    'q q q q q q q 0 0 5 5 re W n',
    'BT 1 0 0 1 50 50 Tm',
    '0 0 5 5 re W n 0 g 5 w',
    '/Span <</MCID 0>> BDC',
    'BT (a string that never ends',
    'BT (a (string (inside (a (string',
    'BT <48',
  ]
  for (const content of contents) {
    const { bytes } = await processed(onePage('/MediaBox[0 0 144 240]', content), [MARK])
    const { at } = await pixelsOf((await snapshot(bytes)).bytes)
    assert.ok(isNear(at(28, 53), RED) && isNear(at(105, 109), BLUE) && isNear(at(112, 109), [255, 255, 255]), content)
  }
})

test('the watermark is visible if the content of a page ends inside hidden layers', async () => {
  const bytes = pdfOf([
    '<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[5 0 R]/D<</OFF[5 0 R]>>>>>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 144 240]/Contents 4 0 R/Resources<</Properties<</L 5 0 R>>>>>>',
    stream('/OC /L BDC 0 1 0 rg 0 0 144 240 re f /OC /L BDC q BT (a'),
    '<</Type/OCG/Name(hidden)>>',
  ])
  const { at } = await pixelsOf((await snapshot((await processed(bytes, [MARK])).bytes)).bytes)
  assert.ok(isNear(at(28, 53), RED) && isNear(at(105, 109), BLUE) && isNear(at(112, 109), [255, 255, 255]))
})

test('the PDF engine rounds /Rotate towards 0 to a quarter turn, and supports negative values', async () => {
  const sizes: Record<number, number[]> = {}
  for (const turn of [-135, -90, -45, 45, 89, 134, 269]) {
    const { width, height } = (await metadataOf(onePage(`/MediaBox[0 0 144 240]/Rotate ${turn}`)))['page_size'] as never
    sizes[turn] = [width, height]
  }
  const [upright, turned] = [
    [144, 240],
    [240, 144],
  ]
  assert.deepEqual(sizes, {
    45: upright,
    89: upright,
    134: turned,
    269: upright,
    [-45]: upright,
    [-90]: turned,
    [-135]: turned,
  })
})
