import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pixelsOf } from '../../image/process-fixture.ts'
import { onePage, pdfOf, snapshot } from '../document-fixture.ts'

async function pixelAt(annotations: readonly string[], x: number, y: number): Promise<number[]> {
  const bytes = onePage(
    `/MediaBox[0 0 144 240]/Annots[${annotations.map((entries) => `<</Type/Annot${entries}>>`).join('')}]`,
  )
  const { at } = await pixelsOf((await snapshot(bytes)).bytes)
  return at(Math.floor((x * 150) / 72), Math.floor(((240 - y) * 150) / 72)).slice(0, 3)
}

const RED = '/C[1 0 0]/IC[1 0 0]/BS<</W 6>>'

const KINDS = [
  ['/Subtype/Ink/InkList[[20 20 60 60 100 20]]', 40, 40],
  ['/Subtype/Polygon/Vertices[20 20 60 100 100 20]', 60, 50],
  ['/Subtype/PolyLine/Vertices[20 20 60 60 100 20]', 40, 40],
  ['/Subtype/Line/L[20 20 60 60]', 40, 40],
] as const

test('a snapshot draws an ink, line, or polygon annotation that has no appearance stream, even outside its rectangle [documents.snapshot.4]', async () => {
  for (const [entries, x, y] of KINDS) {
    for (const box of ['/Rect[10 10 110 110]', '/Rect[120 200 140 220]', '/Rect[0 0 0 0]', '']) {
      assert.deepEqual(await pixelAt([`${entries}${RED}${box}/F 4`], x, y), [255, 0, 0], `${entries} ${box}`)
    }
  }
})

const BOXES = [
  ['/Subtype/Circle', 60, 60],
  ['/Subtype/Square', 60, 60],
  ['/Subtype/Highlight/QuadPoints[20 80 100 80 20 40 100 40]', 60, 60],
  ['/Subtype/Underline/QuadPoints[20 80 100 80 20 40 100 40]', 60, 41],
  ['/Subtype/StrikeOut/QuadPoints[20 80 100 80 20 40 100 40]', 60, 60],
  ['/Subtype/FreeText/DA(/Helv 20 Tf 0 g)/Contents(x)', 60, 30],
] as const

test('a snapshot draws an annotation without an appearance stream inside the rectangle or quadrilaterals that the annotation declares [documents.snapshot.4]', async () => {
  for (const [entries, x, y] of BOXES) {
    const pixel = await pixelAt([`${entries}${RED}/Rect[10 10 110 110]/F 4`], x, y)
    assert.deepEqual(pixel, [255, 0, 0], entries)
  }
})

test('a snapshot does not draw a Stamp annotation without an appearance stream [documents.fonts.3]', async () => {
  for (const [x, y] of [
    [12, 12],
    [40, 30],
    [60, 60],
    [100, 100],
  ] as const) {
    const stamp = `/Subtype/Stamp/Name/Draft${RED}/Rect[10 10 110 110]/F 4`
    assert.deepEqual(await pixelAt([stamp], x, y), [255, 255, 255], `${x} ${y}`)
  }
})

test('a snapshot does not draw a hidden annotation without an appearance stream [documents.snapshot.4]', async () => {
  for (const [entries, x, y] of KINDS) {
    for (const flags of [2, 32]) {
      assert.deepEqual(await pixelAt([`${entries}${RED}/F ${flags}`], x, y), [255, 255, 255], `${entries} ${flags}`)
    }
  }
})

test('an annotation with too many or invalid points does not affect the rest of the page', async () => {
  const hostile = [
    `/Subtype/Polygon/Vertices[${'1 2 '.repeat(200_000)}]`,
    `/Subtype/Ink/InkList[${'[1 2 3 4]'.repeat(20_000)}]`,
    '/Subtype/Line/L[1]',
    '/Subtype/Polygon/Vertices[99999999999999999999999999999999999999999999999999 1 x null]',
    '/Subtype/Ink/InkList 7',
  ]
  assert.deepEqual(await pixelAt([...hostile, `${KINDS[1][0]}${RED}/F 4`], 60, 50), [255, 0, 0])
})

test('the time to draw a snapshot is limited, even if its annotations share large arrays', async () => {
  const bytes = pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 144 240]/Annots[${'<</Type/Annot/Subtype/Ink/F 2/InkList 4 0 R>>'.repeat(50)}]>>`,
    `[${'5 0 R '.repeat(5_000)}]`,
    `[${'1 2 '.repeat(2_000)}]`,
  ])
  const before = process.cpuUsage()
  await snapshot(bytes).catch(() => undefined)
  const { user, system } = process.cpuUsage(before)
  assert.ok(user + system < 20_000_000, `${(user + system) / 1_000_000} s`)
})
