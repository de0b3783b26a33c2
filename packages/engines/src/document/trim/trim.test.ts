import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PDFDict, PDFDocument, PDFName } from '@cantoo/pdf-lib'
import { pdfOf, processed, readable, stream, textsOf } from '../document-fixture.ts'

const MARK = { type: 'watermark', image_url: 'mark', x: 12, y: 24 }

/** Every kind of reference to a page. Content that only page N has is named `secretN`. */
const DOCUMENT = pdfOf([
  '<</Type/Catalog/Pages 2 0 R/Outlines 10 0 R/AcroForm 20 0 R/Names<</Dests 30 0 R>>/StructTreeRoot 40 0 R/OpenAction[5 0 R/Fit]>>',
  '<</Type/Pages/Kids[3 0 R 6 0 R]/Count 3/MediaBox[0 0 144 240]/Resources<</Font<</F 9 0 R>>>>>>',
  '<</Type/Page/Parent 2 0 R/Contents 7 0 R/Annots[21 0 R 27 0 R]/StructParents 0>>',
  '<</Type/Page/Parent 6 0 R/Contents 8 0 R/Annots[22 0 R]/StructParents 1>>',
  '<</Type/Page/Parent 6 0 R/Contents 8 0 R/Annots[23 0 R 25 0 R]/Note(secret3 page)>>',
  '<</Type/Pages/Parent 2 0 R/Kids[4 0 R 5 0 R]/Count 2>>',
  stream('BT /F 20 Tf 20 100 Td (first) Tj ET'),
  stream('BT /F 20 Tf 20 100 Td (secret later) Tj ET'),
  '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  '<</Type/Outlines/First 11 0 R/Last 16 0 R/Count 3>>',
  '<</Title(one)/Parent 10 0 R/Next 12 0 R/Dest[3 0 R/Fit]/First 13 0 R/Last 14 0 R/Count 2>>',
  '<</Title(secret2 by name)/Parent 10 0 R/Prev 11 0 R/Next 15 0 R/Dest(two)>>',
  '<</Title(one below)/Parent 11 0 R/Next 14 0 R/A<</S/GoTo/D[3 0 R/Fit]>>>>',
  '<</Title(secret3 below)/Parent 11 0 R/Prev 13 0 R/A<</S/GoTo/D[5 0 R/Fit]>>>>',
  '<</Title(heading)/Parent 10 0 R/Prev 12 0 R/Next 16 0 R/Dest[4 0 R/Fit]/First 17 0 R/Last 17 0 R/Count -1>>',
  '<</Title(secret heading)/Parent 10 0 R/Prev 15 0 R/First 18 0 R/Last 18 0 R/Count -1>>',
  '<</Title(named one)/Parent 15 0 R/Dest(one)>>',
  '<</Title(secret2 leaf)/Parent 16 0 R/Dest[4 0 R/Fit]>>',
  'null',
  '<</Fields[21 0 R 22 0 R 24 0 R]/CO[21 0 R 22 0 R]>>',
  '<</Type/Annot/Subtype/Widget/FT/Tx/T(kept)/Rect[0 0 9 9]/P 3 0 R>>',
  '<</Type/Annot/Subtype/Widget/FT/Tx/T(secret2 field)/Rect[0 0 9 9]/P 4 0 R>>',
  '<</Type/Annot/Subtype/Widget/Parent 24 0 R/TU(secret3 widget)/Rect[0 0 9 9]>>',
  '<</FT/Tx/T(both)/Kids[27 0 R 23 0 R]>>',
  '<</Type/Annot/Subtype/Text/Contents(secret3 note)/Rect[0 0 9 9]>>',
  'null',
  '<</Type/Annot/Subtype/Widget/Parent 24 0 R/Rect[0 0 9 9]/P 3 0 R>>',
  'null',
  'null',
  '<</Kids[31 0 R 32 0 R]>>',
  '<</Limits[(one)(one)]/Names[(one)[3 0 R/Fit]]>>',
  '<</Limits[(secret)(two)]/Names[(secret)<</D[5 0 R/Fit]>>(two)[4 0 R/Fit]]>>',
  'null',
  'null',
  'null',
  'null',
  'null',
  'null',
  'null',
  '<</Type/StructTreeRoot/K 41 0 R/ParentTree 45 0 R>>',
  '<</S/Document/P 40 0 R/K[42 0 R 43 0 R 44 0 R]>>',
  '<</S/P/P 41 0 R/Pg 3 0 R/K 0/ActualText(first)>>',
  '<</S/P/P 41 0 R/Pg 4 0 R/K 0/ActualText(secret2 text)>>',
  '<</S/P/P 41 0 R/Pg 4 0 R/K[1<</Type/MCR/Pg 3 0 R/MCID 1>>]/T(spans both)>>',
  '<</Nums[0[42 0 R 44 0 R]1[43 0 R 44 0 R]]>>',
])

test('no content of pages past max_pages remains in the file [documents.process.2]', async () => {
  const { bytes, units, data } = await processed(DOCUMENT, [MARK], { maxPages: 1 })
  assert.equal(units, 1)
  assert.equal(data['page_count'], 1)
  assert.deepEqual(
    (await textsOf(bytes)).map((text) => text.trim()),
    ['first'],
  )
  const text = await readable(bytes)
  assert.doesNotMatch(text, /secret/)
  assert.match(text, /\(kept\)/)
  assert.match(text, /\(both\)/)
  assert.match(text, /ActualText \(first\)/)
  assert.match(text, /spans both/)
  assert.doesNotMatch(text, /OpenAction/)
})

test('max_pages keeps the bookmarks of kept pages, the headings that contain these bookmarks, and the links between bookmarks', async () => {
  const { bytes } = await processed(DOCUMENT, [MARK], { maxPages: 1 })
  const { context, catalog } = await PDFDocument.load(bytes)
  const at = (dictionary: PDFDict, name: string) => context.lookupMaybe(dictionary.get(PDFName.of(name)), PDFDict)
  const walk = (above: PDFDict): unknown[] => {
    const items: unknown[] = []
    let before: PDFDict | undefined
    for (let item = at(above, 'First'); item !== undefined; item = at(item, 'Next')) {
      assert.equal(at(item, 'Prev'), before)
      before = item
      const title = item.get(PDFName.of('Title'))?.toString()
      items.push([title, item.get(PDFName.of('Count'))?.toString(), ...walk(item)])
    }
    assert.equal(at(above, 'Last'), before)
    return items
  }
  const outlines = at(catalog, 'Outlines')
  assert.ok(outlines)
  assert.deepEqual(walk(outlines), [
    ['(one)', '1', ['(one below)', undefined]],
    ['(heading)', '-1', ['(named one)', undefined]],
  ])
  assert.equal(outlines.get(PDFName.of('Count'))?.toString(), '3')
})

test('max_pages keeps the entries that kept pages inherit', async () => {
  const document = pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 144 240]/CropBox[10 10 90 110]/Rotate 90/Resources<</Font<</F 5 0 R>>>>>>',
    '<</Type/Page/Parent 2 0 R>>',
    '<</Type/Page/Parent 2 0 R>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ])
  const { bytes } = await processed(document, [MARK], { maxPages: 1 })
  const [page, ...others] = (await PDFDocument.load(bytes)).getPages()
  assert.ok(page !== undefined)
  const { x, y, width, height } = page.getCropBox()
  assert.deepEqual([others, page.getSize(), page.getRotation().angle], [[], { width: 144, height: 240 }, 90])
  assert.deepEqual([x, y, width, height], [10, 10, 80, 100])
  assert.ok(page.node.Resources()?.lookup(PDFName.of('Font'), PDFDict).has(PDFName.of('F')))
})

test('max_pages ends a list of bookmarks at the first bookmark that the list repeats', async () => {
  const cycle = DOCUMENT.toString('latin1').replace('/Prev 15 0 R/First 18 0 R', '/Next 11 0 R/First 18 0 R')
  const { bytes } = await processed(Buffer.from(cycle, 'latin1'), [MARK], { maxPages: 1 })
  assert.equal((await readable(bytes)).match(/\/Title \(one\)/g)?.length, 1)
})

test('max_pages keeps only the form fields with a widget on a kept page', async () => {
  const { bytes } = await processed(DOCUMENT, [MARK], { maxPages: 1 })
  const form = (await PDFDocument.load(bytes)).getForm()
  assert.deepEqual(
    form.getFields().map((field) => [field.getName(), field.acroField.getWidgets().length]),
    [
      ['kept', 1],
      ['both', 1],
    ],
  )
})

/** The widget of page 1 is `depth` levels below the list of fields. */
function nestedField(depth: number): Buffer {
  const groups = Array.from({ length: depth }, (_, level) => `<</T(g)/Kids[${level + 7} 0 R]>>`)
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R/AcroForm 5 0 R>>',
    '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 144 240]>>',
    `<</Type/Page/Parent 2 0 R/Annots[${depth + 6} 0 R]>>`,
    '<</Type/Page/Parent 2 0 R>>',
    '<</Fields[6 0 R]>>',
    ...groups,
    '<</Type/Annot/Subtype/Widget/FT/Tx/T(deep)/Rect[0 0 9 9]/P 3 0 R>>',
  ])
}

test('max_pages keeps form fields up to 200 levels deep', async () => {
  const hasFields = async (depth: number) => {
    const { bytes } = await processed(nestedField(depth), [MARK], { maxPages: 1 })
    return (await PDFDocument.load(bytes)).catalog.has(PDFName.of('AcroForm'))
  }
  assert.deepEqual([await hasFields(200), await hasFields(201)], [true, false])
})

test('max_pages at or above the page count keeps every page, and only existing pages are charged', async () => {
  for (const maxPages of [3, 2000]) {
    const { bytes, units } = await processed(DOCUMENT, [MARK], { maxPages })
    assert.equal(units, 3)
    const text = await readable(bytes)
    for (const there of ['secret3 note', 'secret2 field', 'secret heading', 'secret2 text', 'OpenAction']) {
      assert.ok(text.includes(there), there)
    }
  }
})

test('max_pages 2 removes the content of the third page, and keeps the content of the second page', async () => {
  const { bytes, units } = await processed(DOCUMENT, [MARK], { maxPages: 2 })
  assert.equal(units, 2)
  const text = await readable(bytes)
  assert.doesNotMatch(text, /secret3/)
  for (const there of ['secret2 field', 'secret2 by name', 'secret2 leaf', 'secret2 text'])
    assert.ok(text.includes(there), there)
})

test('max_pages keeps an annotation of a removed page if a kept page also contains it', async () => {
  const text = DOCUMENT.toString('latin1').replace('/Annots[23 0 R 25 0 R]', '/Annots[21 0 R 25 0 R]')
  const { bytes } = await processed(Buffer.from(text, 'latin1'), [MARK], { maxPages: 1 })
  const left = await readable(bytes)
  assert.match(left, /\(kept\)/)
  assert.doesNotMatch(left, /secret3 (?:page|note)/)
})
