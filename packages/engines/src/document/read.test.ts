import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { PDFDocument } from '@cantoo/pdf-lib'
import { metadataOf, onePage, pdfOf, processed, snapshot, stream, textsOf } from './document-fixture.ts'

const MARK = { type: 'watermark', image_url: 'mark', x: 12, y: 24 }
const CATALOG = '<</Type/Catalog/Pages 2 0 R>>'
const page = (more = '') => `<</Type/Page/Parent 2 0 R/MediaBox[0 0 144 240]${more}>>`

test('a metadata read returns pages, displayed size, version, encryption, and title [documents.data.2]', async () => {
  const document = await PDFDocument.create()
  document.addPage([300.5, 200.25])
  document.addPage([300.5, 200.25])
  document.setTitle('Übersicht 概要')
  const bytes = Buffer.from(await document.save())
  assert.deepEqual(await metadataOf(bytes), {
    page_count: 2,
    page_size: { width: 300.5, height: 200.25, unit: 'pt' },
    format: 'PDF',
    size: bytes.length,
    pdf_version: '1.7',
    encrypted: false,
    page_sizes_vary: false,
    title: 'Übersicht 概要',
    has_javascript: false,
    attachments: 0,
  })
})

test('a metadata read reports the size of the first page, and sets page_sizes_vary if one page is rotated', async () => {
  const bytes = pdfOf([CATALOG, '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>', page('/Rotate 90'), page()])
  const { page_size: size, page_sizes_vary: vary, title } = await metadataOf(bytes)
  assert.deepEqual({ size, vary, title }, { size: { width: 240, height: 144, unit: 'pt' }, vary: true, title: null })
})

test('the PDF version in the catalog overrides the version in the header only if the version in the catalog is newer', async () => {
  const of = (version: string) =>
    metadataOf(
      pdfOf([`<</Type/Catalog/Pages 2 0 R/Version/${version}>>`, '<</Type/Pages/Kids[3 0 R]/Count 1>>', page()]),
    )
  assert.equal((await of('1.6'))['pdf_version'], '1.6')
  assert.equal((await of('1.2'))['pdf_version'], '1.4')
})

test('a metadata read replaces invalid characters in the title of a hostile file, so that a database can store the title', async () => {
  const objects = [CATALOG, '<</Type/Pages/Kids[3 0 R]/Count 1>>', page(), '<</Title<FEFF0041000000420000D8000043>>>']
  assert.equal((await metadataOf(pdfOf(objects, { trailer: '/Info 4 0 R' })))['title'], 'AB\ufffdC')
})

test('the PDF engine counts and charges the pages in the page tree, and ignores /Count [documents.process.2]', async () => {
  const kids = '/Kids[3 0 R 4 0 R 5 0 R]'
  for (const count of ['3', '1', '2', '7', '2000000000', '-5', '0', '/None', 'null']) {
    const bytes = pdfOf([CATALOG, `<</Type/Pages${kids}/Count ${count}>>`, page(), page(), page('/Rotate 90')])
    assert.equal((await metadataOf(bytes))['page_count'], 3, `read, /Count ${count}`)
    const done = await processed(bytes, [MARK])
    assert.equal(done.units, 3, `process, /Count ${count}`)
    assert.equal((await textsOf(done.bytes)).length, 3, `the result of /Count ${count}`)
    const { width, height } = (await snapshot(bytes, 3)).data
    assert.deepEqual([width, height], [500, 300], `snapshot, /Count ${count}`)
  }
})

test('the PDF engine counts the pages of a page tree with cycles and invalid nodes', async () => {
  const trees: [string, string[]][] = [
    ['a node among its own kids', ['<</Type/Pages/Kids[2 0 R 3 0 R 2 0 R]/Count 3>>', page()]],
    [
      'two nodes in a ring',
      ['<</Type/Pages/Kids[4 0 R]/Count 9>>', page(), '<</Type/Pages/Kids[2 0 R 3 0 R]/Count 9>>'],
    ],
    ['kids that are not there', ['<</Type/Pages/Kids[null 9 0 R (text) 3 0 R 17]/Count 5>>', page()]],
    [
      'a page far below',
      [...Array.from({ length: 3000 }, (_, at) => `<</Type/Pages/Kids[${at + 3} 0 R]/Count 1>>`), page()],
    ],
    ['a page written into its parent', [`<</Type/Pages/Kids[${page()}]/Count 1>>`]],
  ]
  for (const [name, objects] of trees) {
    const bytes = pdfOf([CATALOG, ...objects])
    assert.equal((await metadataOf(bytes))['page_count'], 1, name)
    const done = await processed(bytes, [MARK])
    assert.equal(done.units, 1, name)
    assert.equal((await metadataOf(done.bytes))['page_count'], 1, `the result of ${name}`)
    assert.deepEqual([(await snapshot(bytes)).data['width']], [300], `the snapshot of ${name}`)
  }
})

test('the PDF engine counts a page each time the page tree refers to it, up to the limit [limits.media.1]', async () => {
  const of = (times: number) =>
    pdfOf([CATALOG, `<</Type/Pages/Kids[${'3 0 R '.repeat(times)}]/Count ${times}>>`, page()])
  assert.equal((await metadataOf(of(3)))['page_count'], 3)
  assert.equal((await processed(of(3), [MARK])).units, 3)
  assert.equal((await metadataOf(of(20_000)))['page_count'], 20_000)
  for (const task of [metadataOf, (bytes: Buffer) => processed(bytes, [MARK])]) {
    await assert.rejects(task(of(20_001)), { code: 'processing_failed', message: /20,000 pages/ })
  }
})

test('the PDF engine rejects a document without pages, and a file that is not a document', async () => {
  const empty = pdfOf([CATALOG, '<</Type/Pages/Kids[]/Count 3>>'])
  const noise = Buffer.from(`%PDF-1.7\n${'no objects here\n'.repeat(50)}`)
  for (const task of [metadataOf, (bytes: Buffer) => processed(bytes, [MARK]), (bytes: Buffer) => snapshot(bytes)]) {
    await assert.rejects(task(empty), { code: 'processing_failed', message: /no pages|damaged/ })
    await assert.rejects(task(noise), { code: 'processing_failed', message: /damaged/ })
    await assert.rejects(task(Buffer.from('%PDF-1.4')), { code: 'processing_failed', message: /damaged/ })
  }
})

test('the PDF engine repairs a file with a missing or wrong cross-reference table, or a missing end', async () => {
  const whole = onePage('/MediaBox[0 0 144 240]/Resources<</Font<</F 5 0 R>>>>', 'BT /F 20 Tf 20 100 Td (here) Tj ET')
  const text = whole.toString('latin1')
  const damaged = [
    text.slice(0, text.indexOf('xref')),
    text.replace(/startxref\n\d+/, 'startxref\n7'),
    text.replace(/0{6}(\d{4}) 00000 n/g, '0000009999 00000 n'),
    `junk before the header\n${text}`,
  ]
  for (const [index, file] of damaged.entries()) {
    const bytes = Buffer.from(file, 'latin1')
    assert.equal((await metadataOf(bytes))['page_count'], 1, `case ${index}`)
    const done = await processed(bytes, [MARK])
    assert.deepEqual(
      (await textsOf(done.bytes)).map((found) => found.trim()),
      ['here'],
      `case ${index}`,
    )
  }
})

test('a metadata read and a snapshot use the same size as the result if the offset of a page box is wrong', async () => {
  const text = onePage('/MediaBox 5 0 R', '', ['[0 0 200 100]']).toString('latin1')
  const row = `${String(text.indexOf('5 0 obj')).padStart(10, '0')} 00000 n`
  assert.ok(text.includes(row))
  const damaged = Buffer.from(text.replace(row, '0000000009 00000 n'), 'latin1')
  const size = { width: 612, height: 792, unit: 'pt' }
  assert.deepEqual((await processed(damaged, [MARK])).data['page_size'], size)
  assert.deepEqual((await metadataOf(damaged))['page_size'], size)
  const { data } = await snapshot(damaged)
  assert.deepEqual([data['width'], data['height']], [1275, 1650])
})

test('the PDF engine reads compressed tables and objects, with predictors and several sections', async () => {
  const document = await PDFDocument.create()
  for (let number = 0; number < 150; number += 1) document.addPage([100 + number, 200])
  const bytes = Buffer.from(await document.save({ useObjectStreams: true }))
  assert.equal((await metadataOf(bytes))['page_count'], 150)
  const packed = await processed(bytes, [MARK])
  assert.ok(packed.bytes.includes('/Predictor 12'))
  assert.equal((await metadataOf(packed.bytes))['page_count'], 150)
})

test('the PDF engine stops inflating a decompression bomb', async () => {
  const bomb = deflateSync(Buffer.alloc(300 * 1024 * 1024)).toString('latin1')
  const objects = [
    CATALOG,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    page(),
    stream(bomb, '/Type/ObjStm/N 1/First 5/Filter/FlateDecode'),
  ]
  assert.equal((await metadataOf(pdfOf(objects)))['page_count'], 1)
})

test('a metadata read reports a document that needs a password as encrypted, and opens a document with only an owner password [documents.passwords.1]', async () => {
  const locked = async (userPassword: string) => {
    const document = await PDFDocument.create()
    document.addPage([144, 240])
    document.setTitle('known')
    document.encrypt({ userPassword, ownerPassword: 'owner', permissions: { modifying: false } })
    return Buffer.from(await document.save())
  }
  const closed = await locked('secret')
  for (const task of [metadataOf, (bytes: Buffer) => processed(bytes, [MARK]), (bytes: Buffer) => snapshot(bytes)]) {
    await assert.rejects(task(closed), { code: 'encrypted_document', message: /password/ })
  }
  const open = await metadataOf(await locked(''))
  assert.deepEqual([open['encrypted'], open['page_count'], open['title']], [true, 1, 'known'])
})
