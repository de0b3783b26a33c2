import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PDFDocument } from '@cantoo/pdf-lib'
import { metadataOf, onePage, processed, snapshot, textsOf } from '../document-fixture.ts'

const MARK = { type: 'watermark', image_url: 'mark', x: 12, y: 24 }

const WHOLE = onePage(
  '/MediaBox[0 0 144 240]/Resources<</Font<</F 5 0 R>>>>',
  'BT /F 20 Tf 20 100 Td (here) Tj ET',
).toString('latin1')
const BODY = WHOLE.slice(WHOLE.indexOf('1 0 obj'))

const HEADLESS: Readonly<Record<string, string>> = {
  'its first line cut off': WHOLE.slice(WHOLE.indexOf('\n') + 1),
  'nothing before its first object': BODY,
  'a misspelt mark': WHOLE.replace('%PDF', '%PFD'),
  'a mark of PostScript': WHOLE.replace('%PDF-1.4', '%!PS-Adobe-3.0 PDF-1.4'),
  'zeros for a mark': WHOLE.replace('%PDF-1.4', '\0\0\0\0\0\0\0\0'),
  'a header of HTTP': `HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n${BODY}`,
  'no mark and no end': BODY.slice(0, BODY.indexOf('xref')),
}

test('every document task opens a file without a PDF header if the file contains PDF objects', async () => {
  for (const [name, file] of Object.entries(HEADLESS)) {
    const bytes = Buffer.from(file, 'latin1')
    const metadata = await metadataOf(bytes)
    assert.deepEqual(
      [metadata['page_count'], metadata['page_size']],
      [1, { width: 144, height: 240, unit: 'pt' }],
      name,
    )
    assert.match(String(metadata['pdf_version']), /^1\.[47]$/, name)
    assert.equal((await snapshot(bytes)).data['width'], 300, name)
    const done = await processed(bytes, [MARK])
    assert.deepEqual(
      (await textsOf(done.bytes)).map((text) => text.trim()),
      ['here'],
      name,
    )
    assert.match(done.bytes.toString('latin1', 0, 8), /^%PDF-1\.\d$/, name)
  }
})

test('the PDF engine opens a file without a header whose objects are in object streams', async () => {
  const document = await PDFDocument.create()
  for (let number = 0; number < 3; number += 1) document.addPage([144, 240])
  const whole = Buffer.from(await document.save({ useObjectStreams: true }))
  const misspelt = Buffer.from(whole)
  misspelt.write('%PFD', 0, 'latin1')
  for (const bytes of [misspelt, whole.subarray(whole.indexOf('\n') + 1)]) {
    assert.equal((await metadataOf(bytes))['page_count'], 3)
    assert.equal((await processed(bytes, [MARK])).units, 3)
    assert.equal((await snapshot(bytes, 3)).data['width'], 300)
  }
})

test('a metadata read reports an encrypted file without a header or cross-reference table as encrypted, not damaged [documents.passwords.1]', async () => {
  const document = await PDFDocument.create()
  document.addPage([144, 240])
  document.encrypt({ userPassword: 'secret', ownerPassword: 'owner', permissions: {} })
  const whole = Buffer.from(await document.save({ useObjectStreams: false })).toString('latin1')
  for (const file of [whole.replace('%PDF', '%PFD'), whole.replace(/startxref\n\d+/, 'startxref\n608')]) {
    const bytes = Buffer.from(file, 'latin1')
    for (const task of [metadataOf, (sent: Buffer) => processed(sent, [MARK]), (sent: Buffer) => snapshot(sent)]) {
      await assert.rejects(task(bytes), { code: 'encrypted_document' })
    }
  }
})

test('the PDF engine opens a file whose encryption entry refers to a missing object', async () => {
  for (const entry of ['/Encrypt null', '/Encrypt 99 0 R']) {
    const bytes = Buffer.from(WHOLE.replace('trailer\n<<', `trailer\n<<${entry}`), 'latin1')
    assert.deepEqual(
      [(await metadataOf(bytes))['encrypted'], (await snapshot(bytes)).data['width']],
      [false, 300],
      entry,
    )
  }
})
