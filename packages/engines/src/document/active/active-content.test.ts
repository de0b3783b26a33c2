import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PDFDocument } from '@cantoo/pdf-lib'
import { pixelsOf } from '../../image/process-fixture.ts'
import { lockedPdfOf, metadataOf, pdfOf, processed, readable, snapshot, stream, textsOf } from '../document-fixture.ts'
import { findActiveContent } from './find-active-content.ts'

const MARK = { type: 'watermark', image_url: 'mark', x: 12, y: 24 }

type ActionLocation = { catalog?: string; page?: string; objects?: string[] }

const annotation = (entries: string) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]${entries}>>`
const file = stream('MARKER file', '/Type/EmbeddedFile')

/** Every kind of active content. Each contains `MARKER`, which must be absent from the result. */
const KINDS: Record<string, ActionLocation & { javascript?: boolean; attachments?: number }> = {
  'a script that runs when the file opens': { catalog: '/OpenAction<</S/JavaScript/JS(MARKER)>>', javascript: true },
  'a script in a stream, with escaped names': {
    catalog: '/OpenAction 6 0 R',
    objects: ['<</#53/J#61vaScript/#4aS 7 0 R>>', stream('MARKER')],
    javascript: true,
  },
  'an action whose kind is a reference': {
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
    page: `/Annots[${annotation('/A<</S/URI/URI( java\nScript:MARKER)>>')}]`,
    javascript: true,
  },
  'a link to a file or a shared folder': {
    catalog: '/URI<</Base(file:///MARKER/)>>',
    page: `/Annots[${['File:///C:/MARKER.exe', ' fi\nle:/MARKER', 'C:\\\\MARKER.exe', '\\\\\\\\server\\\\MARKER', '//server/MARKER'].map((address) => annotation(`/A<</S/URI/URI(${address})>>/PA<</S/URI/URI(${address})>>`)).join('')}]`,
  },
  'a link whose URL scheme starts a program': {
    page: `/Annots[${annotation('/A 6 0 R')}${annotation('/A<</S/URI/URI(search-ms:MARKER)>>')}]`,
    objects: ['<</S/URI/URI 7 0 R>>', '(ms-msdt:/id MARKER)'],
  },
  'links whose address is a name': {
    page: `/Annots[${annotation('/A<</S/URI/URI/javascript:MARKER>>')}${annotation('/A<</S/URI/URI/file:#2F#2FMARKER>>')}]`,
    javascript: true,
  },
  'a rendition with a script': {
    page: `/Annots[${annotation('/A<</S/Rendition/OP 0/JS(MARKER)>>')}]`,
    javascript: true,
  },
  'an action that starts a program': { page: `/Annots[${annotation('/A<</S/Launch/Win<</F(MARKER)>>>>')}]` },
  'an action that submits a form': { page: `/Annots[${annotation('/A<</S/SubmitForm/F(MARKER)>>')}]` },
  'an action that imports data': { page: `/Annots[${annotation('/A<</S/ImportData/F(MARKER)>>')}]` },
  'an action that opens another file': {
    page: `/Annots[${annotation('/A<</S/GoToR/F(MARKER)/D[0/Fit]>>')}${annotation('/A<</S/GoToE/F(MARKER)/D[0/Fit]>>')}]`,
  },
  'a cycle of actions': {
    page: `/Annots[${annotation('/A 6 0 R')}]`,
    objects: ['<</S/URI/URI(https://example.com/)/Next[7 0 R 6 0 R]>>', '<</S/Launch/F(MARKER)/Next 6 0 R>>'],
  },
  'an attached file': {
    catalog: '/Names<</EmbeddedFiles<</Names[(MARKER)6 0 R]>>>>/AF[6 0 R]/Collection<</D(MARKER)>>',
    objects: ['<</Type/Filespec/F(MARKER)/EF<</F 7 0 R/UF 7 0 R>>>>', file],
    attachments: 1,
  },
  'a file with related files': {
    catalog: '/PieceInfo<</Private 6 0 R>>',
    objects: ['<</Type/Filespec/F(name)/EF<</F 7 0 R>>/RF<</F[(MARKER)8 0 R]>>>>', file, stream('MARKER related')],
    attachments: 1,
  },
  'a note with an attached file': {
    page: '/Annots[6 0 R]',
    objects: ['<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS<</F(MARKER)/EF<</F 7 0 R>>>>>>', file],
    attachments: 1,
  },
  'an XFA form': {
    catalog: '/AcroForm<</Fields[]/XFA[(template)6 0 R]>>',
    objects: [stream('<script>MARKER</script>')],
    javascript: true,
  },
  'an article of another file': {
    page: `/Annots[${annotation('/A<</S/Thread/F(MARKER)/D 0>>')}${annotation('/A 6 0 R')}]`,
    objects: ['<</S/Thread/F<</Type/Filespec/F(MARKER)>>/D 0>>'],
  },
  'scripts in actions without a kind': {
    catalog: '/OpenAction<</JS(MARKER)>>/AA<</WC<</JS<4d41524b4552>>>>>>',
    page: `/Annots[${annotation('/A 6 0 R')}${annotation('/A<</S/GoTo/D[3 0 R/Fit]/JS(MARKER)>>')}]`,
    objects: ['<</JS 7 0 R>>', stream('MARKER')],
    javascript: true,
  },
  'a javascript URL in an action without a kind': {
    page: `/Annots[${annotation('/A<</URI(javascript:MARKER)>>')}${annotation('/A 6 0 R')}]`,
    objects: ['<</URI 7 0 R>>', '(javascript:MARKER)'],
    javascript: true,
  },
  'scripts in the URLs of captured web pages': {
    catalog: '/Names<</URLS 6 0 R>>/SpiderInfo<</V 1.0/C[<</URL(javascript:MARKER)>>]>>',
    objects: ['<</Kids[7 0 R]>>', '<</Limits[(javascript:MARKER)(z)]/Names[(javascript:MARKER)<</S/SPS>>]>>'],
    javascript: true,
  },
  'a requirement that the viewer runs scripts': {
    catalog: '/Requirements[6 0 R]',
    objects: ['<</Type/Requirement/S/EnableJavaScripts/RH[<</Type/ReqHandler/S/JS/Script(MARKER)>>]>>'],
  },
  'a note with rich media': {
    page: '/Annots[6 0 R]',
    objects: [
      '<</Type/Annot/Subtype/RichMedia/Rect[0 0 9 9]/RichMediaSettings<</Activation<</Scripts[7 0 R]>>>>/RichMediaContent<</Assets<</Names[(MARKER)7 0 R]>>>>>>',
      '<</Type/Filespec/F(MARKER)/EF<</F 8 0 R>>>>',
      stream('MARKER'),
    ],
    attachments: 1,
  },
  'a 3D model with a script': {
    page: '/Annots[6 0 R]',
    objects: [
      '<</Type/Annot/Subtype/3D/Rect[0 0 9 9]/3DD 7 0 R/3DV<</XN(MARKER)>>>>',
      stream('MARKER', '/Type/3D/Subtype/U3D/OnInstantiate 8 0 R'),
      stream('MARKER'),
    ],
    javascript: true,
  },
  'a movie in a screen annotation': {
    catalog: '/Names<</Renditions<</Names[(MARKER)7 0 R]>>>>',
    page: `/Annots[6 0 R${annotation('/A<</S/Rendition/OP 0/R 7 0 R/AN 6 0 R>>')}]`,
    objects: [
      '<</Type/Annot/Subtype/Screen/Rect[0 0 9 9]/A<</S/Rendition/OP 0/R 7 0 R>>/AA<</PO<</S/Rendition/OP 0/R 7 0 R>>>>>>',
      '<</Type/Rendition/S/MR/C<</Type/MediaClip/S/MCD/D<</F(MARKER)/EF<</F 8 0 R>>>>>>>>',
      stream('MARKER'),
    ],
    attachments: 1,
  },
  'a movie in a file': {
    page: `/Annots[6 0 R${annotation('/A<</S/Movie/Annotation 6 0 R/T(MARKER)>>')}]`,
    objects: ['<</Type/Annot/Subtype 7 0 R/Rect[0 0 9 9]/T(MARKER)/Movie<</F(MARKER)>>/A<</Mode/Open>>>>', '/Movie'],
  },
  'a sound': {
    page: `/Annots[<</Type/Annot/Subtype/Sound/Rect[0 0 9 9]/Sound 6 0 R>>${annotation('/A<</S/Sound/Sound 6 0 R>>')}]`,
    objects: [stream('MARKER', '/Type/Sound/R 8000')],
  },
  'a reference to content of another file': {
    page: '/PieceInfo 6 0 R',
    objects: [
      stream('', '/Subtype/Form/BBox[0 0 9 9]/Ref<</F(MARKER)/Page 0>>/PieceInfo 7 0 R'),
      stream('', '/F(MARKER)/FFilter/FlateDecode'),
    ],
  },
  'PostScript for printers': {
    page: '/PieceInfo<</Private[6 0 R 7 0 R 9 0 R]>>',
    objects: [
      stream('MARKER', '/Type/XObject/Subtype/PS/Level1 8 0 R'),
      stream('', '/Subtype/Form/BBox[0 0 9 9]/Subtype2/PS/PS 8 0 R'),
      stream('MARKER'),
      stream('MARKER', '/Subtype/P#53'),
    ],
  },
  'an image of another file for printers': {
    page: '/PieceInfo<</Private 6 0 R>>',
    objects: [stream('', '/Subtype/Form/BBox[0 0 9 9]/OPI<</2.0<</Type/OPI/Version 2.0/F(MARKER)>>>>')],
  },
  'media in an annotation with another type': {
    page: '/Annots[6 0 R 7 0 R]',
    objects: [
      '<</Type/XObject/Subtype/Movie/Rect[0 0 9 9]/Movie<</F(MARKER)>>/A true>>',
      '<</Type/Font/Subtype/Sound/Rect[0 0 9 9]/Sound 8 0 R>>',
      stream('MARKER'),
    ],
  },
  'a script that a string seems to refer to': {
    catalog: '/OpenAction 6 0 R/PieceInfo<</Note(6 0 R and 7 0 R)>>',
    objects: ['<</S/JavaScript/JS 7 0 R>>', stream('MARKER')],
    javascript: true,
  },
}

const documentWith = (actions: ActionLocation): Buffer => pdfOf(objectsWith(actions))

function objectsWith({ catalog = '', page = '', objects = [] }: ActionLocation): string[] {
  const fixed = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 144 240]>>',
    `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</EF 5 0 R/AF 5 0 R/JS 5 0 R>>>>${page}>>`,
    stream('BT /EF 20 Tf 20 100 Td (seen) Tj ET'),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ]
  return [...fixed, ...objects]
}

const packed = async (bytes: Buffer) => Buffer.from(await (await PDFDocument.load(bytes)).save())

for (const [kind, actions] of Object.entries(KINDS)) {
  test(`processing removes the active content of a document, and a metadata read of the source reports scripts and attachments: ${kind} [documents.process.3]`, async () => {
    const plain = documentWith(actions)
    for (const bytes of [plain, await packed(plain)]) {
      const { has_javascript: script, attachments } = await metadataOf(bytes)
      assert.deepEqual([script, attachments], [actions.javascript ?? false, actions.attachments ?? 0])
      const result = await processed(bytes, [MARK])
      assert.doesNotMatch(await readable(result.bytes), /MARKER/)
      assert.match((await textsOf(result.bytes)).join(), /seen/)
      const kept = await processed(bytes, [MARK], { activeContent: 'keep' })
      assert.match(await readable(kept.bytes), /MARKER/)
    }
  })
}

test('removing scripts from a document keeps its links, bookmarks, destinations, and field values [documents.process.3]', async () => {
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

/** Multimedia annotations with an appearance. The content that must be removed contains `MARKER`. */
const MULTIMEDIA = [
  '/Subtype/RichMedia/RichMediaContent<</Assets<</Names[(MARKER)8 0 R]>>>>/RichMediaSettings<</Note(MARKER)>>',
  '/Subtype/3D/3DD 7 0 R/3DV<</XN(MARKER)>>/3DA<</A/PO>>',
  '/Subtype/Screen/A<</S/Rendition/OP 0/R<</S/MR/C<</D 8 0 R>>>>>>',
  '/Subtype/Movie/Movie<</F(MARKER)>>/A true',
  '/Subtype/Sound/Sound 7 0 R',
  '/Subtype/FileAttachment/FS 8 0 R',
]

for (const entries of MULTIMEDIA) {
  const subtype = /Subtype.(\w+)/.exec(entries)?.[1] ?? ''
  test(`a ${subtype} annotation keeps only its appearance [documents.process.3]`, async () => {
    const bytes = documentWith({
      page: '/Annots[6 0 R]',
      objects: [
        `<</Type/Annot${entries}/Rect[20 20 80 80]/F 4/AP<</N 9 0 R>>>>`,
        stream('MARKER', '/Length1 6'),
        '<</Type/Filespec/F(MARKER)/EF<</F 7 0 R>>>>',
        stream('1 0 0 rg 0 0 60 60 re f', '/Type/XObject/Subtype/Form/BBox[0 0 60 60]'),
      ],
    })
    const result = await processed(bytes, [MARK])
    const text = await readable(result.bytes)
    assert.doesNotMatch(text, /MARKER/)
    assert.doesNotMatch(text, new RegExp(subtype))
    const { at } = await pixelsOf((await snapshot(result.bytes)).bytes)
    assert.deepEqual(at(104, 396).slice(0, 3), [255, 0, 0])
  })
}

test('removing scripts from a document keeps links to web pages, addresses of people, and relative links [documents.process.3]', async () => {
  const addresses = ['https://example.com/a', 'HTTP://example.com/b', 'ftp://example.com/c', 'mailto:ada@example.com']
  const ports = [
    'www.example.com:8080/x',
    'localhost:3000',
    'www.example.com:80?q',
    'sip:ada@example.com',
    'SIPS:a@b.c',
  ]
  const kept = [
    ...addresses,
    ...ports,
    'tel:+15550100',
    'www.example.com',
    'page.html?at=1:2',
    '/path/d',
    '#page=2',
    '',
  ]
  const removed = ['//example.com/MARKER', 'file:80', 'localhost:MARKER', 'ms.tool:1MARKER', 'tool:80/MARKER']
  const bytes = documentWith({
    catalog: '/AA<</WC<</S/JavaScript/JS(MARKER)>>>>/URI<</Base(https://example.com/base)>>',
    page: `/Annots[${[...kept, ...removed].map((address) => annotation(`/A<</S/URI/URI(${address})>>`)).join('')}]`,
  })
  const text = await readable((await processed(bytes, [MARK])).bytes)
  assert.doesNotMatch(text, /MARKER|file:80/)
  for (const address of [...kept, 'https://example.com/base']) assert.ok(text.includes(`(${address})`), address)
})

test('removing active content from a document keeps a link to an article thread in the same document', async () => {
  const bytes = documentWith({
    catalog: '/AA<</WC<</S/JavaScript/JS(MARKER)>>>>',
    page: `/Annots[${annotation('/A<</S/Thread/D 0>>')}]`,
  })
  assert.match(await readable((await processed(bytes, [MARK])).bytes), /\/Thread/)
})

test('processing a document that has only an owner password removes its active content and its encryption [documents.process.3, documents.passwords.1]', async () => {
  for (const [kind, actions] of Object.entries(KINDS)) {
    const bytes = lockedPdfOf(objectsWith(actions), 'owner')
    const { encrypted, has_javascript: script, attachments } = await metadataOf(bytes)
    assert.deepEqual(
      [encrypted, script, attachments],
      [true, actions.javascript ?? false, actions.attachments ?? 0],
      kind,
    )
    const result = await processed(bytes, [MARK])
    assert.equal((await metadataOf(result.bytes))['encrypted'], false, kind)
    assert.doesNotMatch(await readable(result.bytes), /MARKER/, kind)
    assert.match((await textsOf(result.bytes)).join(), /seen/, kind)
    const kept = await processed(bytes, [MARK], { activeContent: 'keep' })
    assert.equal((await metadataOf(kept.bytes))['encrypted'], false, kind)
    assert.match(await readable(kept.bytes), /MARKER|4D41524B4552/, kind)
  }
})

test('removing active actions at every level of a deep chain takes linear time [documents.process.3]', async () => {
  const chain = (levels: number): string =>
    levels === 0 ? '<</S/Named/N/NextPage>>' : `<</S/Named/N/NextPage/Next[6 0 R ${chain(levels - 1)}]>>`
  const bytes = documentWith({ catalog: `/OpenAction${chain(28)}`, objects: ['<</S/Launch/F(MARKER)>>'] })
  const before = process.cpuUsage()
  assert.doesNotMatch(await readable((await processed(bytes, [MARK])).bytes), /MARKER/)
  const { user, system } = process.cpuUsage(before)
  assert.ok(user + system < 5_000_000, `${(user + system) / 1_000_000} s`)
})

test('the search for active content reads a large value fewer than 100 times, even if 10,000 objects refer to the value', () => {
  const large = `[${'null '.repeat(1_000)}]`
  const link = '<</Subtype/Link/A 1 0 R/AF 2 0 R/EF 1 0 R/JS 2 0 R/Names 1 0 R/S 2 0 R/Type 1 0 R/URI 2 0 R>>'
  let reads = 0
  const text = (number: number) => {
    if (number > 2) return link
    reads += 1
    return number === 1 ? '2 0 R' : large
  }
  const links = Array.from({ length: 10_000 }, (_, index) => `${index + 3} 0 R`)
  findActiveContent({ trailer: new Map([['Annots', `[${links.join(' ')}]`]]), text })
  assert.ok(reads < 100, `${reads} reads`)
})

test('the search for active content reads a damaged object once, even if the document refers to the object many times', () => {
  let reads = 0
  const text = () => {
    reads += 1
    return undefined
  }
  findActiveContent({ trailer: new Map([['Annots', `[${'1 0 R '.repeat(100)}]`]]), text })
  assert.equal(reads, 1)
})

test('removing many active annotations from a document takes linear time [documents.process.3]', async () => {
  const seconds = async (count: number) => {
    const numbers = Array.from({ length: count }, (_, index) => `${index + 6} 0 R`)
    const bytes = documentWith({
      page: `/Annots[${numbers.join(' ')}]`,
      objects: numbers.map(() => annotation('/A<</S/JavaScript/JS(MARKER)>>')),
    })
    const before = process.cpuUsage()
    const result = await processed(bytes, [MARK])
    const { user, system } = process.cpuUsage(before)
    assert.ok(!result.bytes.includes('MARKER'))
    return (user + system) / 1_000_000
  }
  await seconds(1_000)
  const [few, many] = [await seconds(25_000), await seconds(100_000)]
  assert.ok(many < few * 8, `${few} s for 25,000 and ${many} s for 100,000`)
})

test("removing the associated files of a PDF stream keeps the stream's data [documents.process.3]", async () => {
  const bytes = documentWith({
    page: '/PieceInfo 6 0 R',
    objects: [stream('the data of the stream', '/AF[7 0 R]'), '<</Type/Filespec/F(MARKER)/EF<</F 8 0 R>>>>', file],
  })
  const text = await readable((await processed(bytes, [MARK])).bytes)
  assert.doesNotMatch(text, /MARKER/)
  assert.match(text, /the data of the stream/)
})

test('removing active content keeps a page whose dictionary has the entries of a JavaScript action [documents.process.3]', async () => {
  const { bytes, units } = await processed(documentWith({ page: '/S/JavaScript/JS(MARKER)' }), [MARK])
  assert.equal(units, 1)
  assert.doesNotMatch(await readable(bytes), /MARKER/)
  assert.match((await textsOf(bytes)).join(), /seen/)
})
