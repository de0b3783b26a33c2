import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pixelsOf } from '../../image/process-fixture.ts'
import { pdfOf, snapshot, stream } from '../document-fixture.ts'

const RADIO = 1 << 15
const PUSH = 1 << 16
const drawing = (color: string) => stream(`${color} rg 0 0 40 20 re f`, '/Type/XObject/Subtype/Form/BBox[0 0 40 20]')

async function buttonOf(entries: string): Promise<{ hasEdge: boolean; middle: number[] }> {
  const bytes = pdfOf([
    '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 144 240]/Annots[4 0 R]>>',
    `<</Type/Annot/Subtype/Widget/FT/Btn/T(button)/F 4/Rect[20 200 60 220]${entries}>>`,
    drawing('0 0.5 0'),
    drawing('0 0 0.5'),
  ])
  const { at, width } = await pixelsOf((await snapshot(bytes)).bytes)
  // The top edge of the button is 240 - 220 = 20 points, or 42 pixels, below the top of the page.
  const column = Array.from({ length: 20 }, (_, row) => at(83, 32 + row)).filter((_, row) => row < 16)
  assert.equal(width, 300)
  return { hasEdge: column.some(([red = 0]) => red < 250), middle: at(83, 62).slice(0, 3) }
}

test('if a button has no appearance for its current state, a snapshot draws neither the button nor a frame around the button', async () => {
  for (const [name, kind] of [
    ['a radio button', `/Ff ${RADIO}`],
    ['a check box', ''],
  ]) {
    for (const state of ['/AS/Off', '/AS/Off/V/Off', '/V/Off', '/AS/Unheard', '']) {
      const { hasEdge, middle } = await buttonOf(`${kind}/AP<</N<</On 5 0 R>>>>${state}`)
      assert.deepEqual({ hasEdge, middle }, { hasEdge: false, middle: [255, 255, 255] }, `${name}, ${state}`)
    }
    const bare = await buttonOf(`${kind}/AS/Off/AP<</D<</Off 5 0 R>>>>`)
    assert.deepEqual(bare, { hasEdge: false, middle: [255, 255, 255] }, `${name} that only has a pressed picture`)
  }
})

test('a snapshot draws a button with the appearance of its current state, and treats a button without a state as switched off', async () => {
  for (const kind of [`/Ff ${RADIO}`, '']) {
    for (const [state, color] of [
      ['/AS/On', [0, 128, 0]],
      ['/AS/Off', [0, 0, 128]],
      ['', [0, 0, 128]],
    ] as const) {
      const { middle } = await buttonOf(`${kind}/AP<</N<</On 5 0 R/Off 6 0 R>>>>${state}`)
      assert.deepEqual(middle, color, `${kind} ${state}`)
    }
  }
  assert.deepEqual((await buttonOf(`/Ff ${PUSH}/AP<</N 5 0 R>>`)).middle, [0, 128, 0])
})
