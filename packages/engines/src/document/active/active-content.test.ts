import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { PDFDocument, PDFRawStream } from '@cantoo/pdf-lib'
import { factsOf, pdfOf, processed, stream, textsOf } from '../document-fixture.ts'

const MARK = { type: 'watermark', image_url: 'mark', x: 12, y: 24 }

/** Where active content can be: entries of the catalog and the page, and further objects from number 6 on. */
type Place = { catalog?: string; page?: string; objects?: string[] }

const annotation = (entries: string) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]${entries}>>`
const file = stream('MARKER file', '/Type/EmbeddedFile')

/** Every kind of active content. `MARKER` is in each. */
const KINDS: Record<string, Place & { javascript?: boolean; attachments?: number }> = {
  'an opening script': { catalog: '/OpenAction<</S/JavaScript/JS(MARKER)>>', javascript: true },
  'a script in a stream, by escaped names': {
    catalog: '/OpenAction 6 0 R',
    objects: ['<</#53/J#61vaScript/#4aS 7 0 R>>', stream('MARKER')],
    javascript: true,
  },
  'a kind of action by reference': {
    catalog: '/OpenAction 6 0 R',
    objects: ['<</S 7 0 R/F(MARKER)>>', '/Launch'],
  },
  'scripts of the catalog, the page, and a field': {
    catalog: '/AA<</WC<</S/JavaScript/JS(MARKER)>>>>/AcroForm<</Fields[6 0 R]>>',
    page: '/AA<</O<</S/JavaScript/JS(MARKER)>>>>/Annots[6 0 R]',
    objects: [
      '<</Type/Annot/Subtype/Widget/FT/Tx/T(kept)/V(value)/Rect[0 0 9 9]/AA<</K<</S/JavaScript/JS(MARKER)>>/F 7 0 R>>>>',
      '<</S/JavaScript/JS(MARKER)>>',
    ],
    javascript: true,
  },
  'named scripts': {
    catalog: '/Names<</JavaScript<</Names[(MARKER)6 0 R]>>>>',
    objects: ['<</S/JavaScript/JS(MARKER)>>'],
    javascript: true,
  },
  'a link that runs a script': {
    page: `/Annots[${annotation('/A<</S/URI/URI( java\\nScript:MARKER)>>')}]`,
    javascript: true,
  },
  'a rendition with a script': {
    page: `/Annots[${annotation('/A<</S/Rendition/OP 0/JS(MARKER)>>')}]`,
    javascript: true,
  },
  'a program': { page: `/Annots[${annotation('/A<</S/Launch/Win<</F(MARKER)>>>>')}]` },
  'a form that is sent': { page: `/Annots[${annotation('/A<</S/SubmitForm/F(MARKER)>>')}]` },
  'data that is imported': { page: `/Annots[${annotation('/A<</S/ImportData/F(MARKER)>>')}]` },
  'another file that is opened': {
    page: `/Annots[${annotation('/A<</S/GoToR/F(MARKER)/D[0/Fit]>>')}${annotation('/A<</S/GoToE/F(MARKER)/D[0/Fit]>>')}]`,
  },
  'a chain of actions in a circle': {
    page: `/Annots[${annotation('/A 6 0 R')}]`,
    objects: ['<</S/URI/URI(https://example.com/)/Next[7 0 R 6 0 R]>>', '<</S/Launch/F(MARKER)/Next 6 0 R>>'],
  },
  'an attached file': {
    catalog: '/Names<</EmbeddedFiles<</Names[(MARKER)6 0 R]>>>>/AF[6 0 R]/Collection<</D(MARKER)>>',
    objects: ['<</Type/Filespec/F(MARKER)/EF<</F 7 0 R/UF 7 0 R>>>>', file],
    attachments: 1,
  },
  'a note with a file': {
    page: '/Annots[6 0 R]',
    objects: ['<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS<</F(MARKER)/EF<</F 7 0 R>>>>>>', file],
    attachments: 1,
  },
  'an XFA form': {
    catalog: '/AcroForm<</Fields[]/XFA[(template)6 0 R]>>',
    objects: [stream('<script>MARKER</script>')],
    javascript: true,
  },
  'a script that a string seems to refer to': {
    catalog: '/OpenAction 6 0 R/PieceInfo<</Note(6 0 R and 7 0 R)>>',
    objects: ['<</S/JavaScript/JS 7 0 R>>', stream('MARKER')],
    javascript: true,
  },
}

function documentWith({ catalog = '', page = '', objects = [] }: Place): Buffer {
  const fixed = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 144 240]>>',
    `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</EF 5 0 R/AF 5 0 R/JS 5 0 R>>>>${page}>>`,
    stream('BT /EF 20 Tf 20 100 Td (seen) Tj ET'),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ]
  return pdfOf([...fixed, ...objects])
}

const packed = async (bytes: Buffer) => Buffer.from(await (await PDFDocument.load(bytes)).save())

/** All there is to read in a file: its bytes, its objects, and its streams without their compression. */
async function readable(bytes: Buffer): Promise<string> {
  const { context } = await PDFDocument.load(bytes)
  const objects = context.enumerateIndirectObjects().map(([, object]) => {
    if (!(object instanceof PDFRawStream)) return object.toString()
    const data = Buffer.from(object.getContents())
    return `${object.dict.toString()} ${object.dict.toString().includes('FlateDecode') ? inflateSync(data).toString('latin1') : data.toString('latin1')}`
  })
  return [bytes.toString('latin1'), ...objects].join('\n')
}

for (const [kind, place] of Object.entries(KINDS)) {
  test(`a result does not contain ${kind}, and a read reports it [2.4, 4.2]`, async () => {
    const plain = documentWith(place)
    for (const bytes of [plain, await packed(plain)]) {
      const { has_javascript: script, attachments } = await factsOf(bytes)
      assert.deepEqual([script, attachments], [place.javascript ?? false, place.attachments ?? 0])
      const result = await processed(bytes, [MARK])
      assert.doesNotMatch(await readable(result.bytes), /MARKER/)
      assert.match((await textsOf(result.bytes)).join(), /seen/)
      const kept = await processed(bytes, [MARK], { activeContent: 'keep' })
      assert.match(await readable(kept.bytes), /MARKER/)
    }
  })
}

test('links, bookmarks, destinations, and the values of fields stay in a document that loses its scripts [4.2]', async () => {
  const bytes = documentWith({
    catalog: '/OpenAction[3 0 R/Fit]/AcroForm<</Fields[8 0 R]>>/Outlines 9 0 R/AA<</WC<</S/JavaScript/JS(MARKER)>>>>',
    page: '/Annots[6 0 R 7 0 R 8 0 R 11 0 R]',
    objects: [
      annotation('/A<</S/URI/URI(https://example.com/kept)>>'),
      annotation('/A<</S/GoTo/D[3 0 R/Fit]>>'),
      '<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ada)/Rect[0 0 9 9]/AA<</K<</S/JavaScript/JS(MARKER)>>>>>>',
      '<</Type/Outlines/First 10 0 R/Last 10 0 R/Count 1>>',
      '<</Title(bookmark)/Parent 9 0 R/Dest[3 0 R/Fit]>>',
      '<</Type/Annot/Subtype/Widget/FT/Btn/Ff 65536/T(reset)/Rect[0 0 9 9]/A<</S/ResetForm>>>>',
    ],
  })
  const result = await processed(bytes, [MARK])
  const text = await readable(result.bytes)
  assert.doesNotMatch(text, /MARKER/)
  for (const kept of ['example.com/kept', '/GoTo', '(Ada)', 'bookmark', '/OpenAction', '/ResetForm']) {
    assert.ok(text.includes(kept), kept)
  }
})

test('a stream that has associated files keeps its data when they are removed [4.2]', async () => {
  const bytes = documentWith({
    page: '/PieceInfo 6 0 R',
    objects: [stream('the data of the stream', '/AF[7 0 R]'), '<</Type/Filespec/F(MARKER)/EF<</F 8 0 R>>>>', file],
  })
  const text = await readable((await processed(bytes, [MARK])).bytes)
  assert.doesNotMatch(text, /MARKER/)
  assert.match(text, /the data of the stream/)
})

test('a page that poses as an action stays a page [4.2]', async () => {
  const { bytes, units } = await processed(documentWith({ page: '/S/JavaScript/JS(MARKER)' }), [MARK])
  assert.equal(units, 1)
  assert.doesNotMatch(await readable(bytes), /MARKER/)
  assert.match((await textsOf(bytes)).join(), /seen/)
})
