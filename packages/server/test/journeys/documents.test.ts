import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PDFDocument } from '@cantoo/pdf-lib'
import type { Service } from '@mediamill/lab/support/service'
import { startService } from '@mediamill/lab/support/service'
import type { SourceServer } from '@mediamill/lab/support/source-server'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import sharp from 'sharp'

let service: Service
let sources: SourceServer

before(async () => {
  const logo = await sharp({ create: { width: 40, height: 30, channels: 3, background: { r: 255, g: 0, b: 0 } } })
    .png()
    .toBuffer()
  sources = await startSourceServer({ '/five.pdf': await documentOf(5), '/logo.png': logo })
  sources.files.set('/locked.pdf', await lockedDocument())
  sources.files.set('/page.html', Buffer.from('<html><body>%PDF</body></html>'))
  sources.files.set('/headless.pdf', (await documentOf(2)).subarray('%PDF-1.7'.length))
  service = await startService({ allowed: [sources.host] })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await sources?.[Symbol.asyncDispose]()
})

async function documentOf(pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let number = 1; number <= pages; number += 1) document.addPage([300, 200]).drawText(`page ${number}`)
  return Buffer.from(await document.save())
}

async function lockedDocument(): Promise<Buffer> {
  const document = await PDFDocument.create()
  document.addPage()
  document.encrypt({ userPassword: 'secret', ownerPassword: 'owner' })
  return Buffer.from(await document.save())
}

const watermark = () => ({ type: 'watermark', image_url: sources.url('/logo.png'), x: 10, y: 20 })

test('a document is watermarked, downloaded as a PDF, and charged for the pages it keeps [documents.data.1, billing.units.2]', async () => {
  const body = { source: sources.url('/five.pdf'), operations: [watermark()], max_pages: 3 }
  const request = await service.finish('/v1/documents/process', body)
  assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
  assert.equal(request.result.data.page_count, 3)
  assert.deepEqual(request.result.data.page_size, { width: 300, height: 200, unit: 'pt' })
  assert.equal(request.price.micro_usd, 12_000)
  const [file] = request.result.files
  assert.equal(file.format, 'pdf')
  const link = await service.call('GET', file.url, { key: null })
  const download = await fetch(new URL(link.headers.get('location') ?? '', service.url))
  assert.equal(download.headers.get('content-type'), 'application/pdf')
  const bytes = Buffer.from(await download.arrayBuffer())
  assert.equal(bytes.length, file.size)
  assert.equal((await PDFDocument.load(bytes)).getPageCount(), 3)
})

test('metadata of a document has no files and costs one request [documents.data.2, requests.files.1]', async () => {
  const request = await service.finish('/v1/documents/read', { source: sources.url('/five.pdf') })
  assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
  assert.equal(request.result.data.page_count, 5)
  assert.equal(request.result.files.length, 0)
  assert.equal(request.price.micro_usd, 500)
})

test('a snapshot is an image of the requested page at 150 dots per inch [documents.snapshot.1]', async () => {
  const body = { source: sources.url('/five.pdf'), page: 2, output: { format: 'png' } }
  const request = await service.finish('/v1/documents/snapshot', body)
  assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
  const { width, height, format, page } = request.result.data
  assert.deepEqual({ width, height, format, page }, { width: 625, height: 417, format: 'PNG', page: 2 })
  assert.equal(request.price.micro_usd, 2_000)
})

test('every endpoint opens a document without its PDF header [sources.formats.4]', async () => {
  const source = sources.url('/headless.pdf')
  for (const [path, body] of [
    ['/v1/documents/process', { source, operations: [watermark()] }],
    ['/v1/documents/read', { source }],
    ['/v1/documents/snapshot', { source, page: 2 }],
  ] as const) {
    const request = await service.finish(path, body)
    assert.equal(request.status, 'succeeded', `${path}: ${JSON.stringify(request.error)}`)
  }
})

test('an invalid document fails with its code, free of charge [errors.failures.1]', async () => {
  const cases: [string, Record<string, unknown>, string, RegExp][] = [
    ['read', { source: sources.url('/locked.pdf') }, 'encrypted_document', /password/],
    ['read', { source: sources.url('/page.html') }, 'unsupported_media', /PDF/],
    ['snapshot', { source: sources.url('/five.pdf'), page: 6 }, 'processing_failed', /has 5 pages/],
    ['process', { source: sources.url('/logo.png'), operations: [watermark()] }, 'unsupported_media', /PDF/],
  ]
  for (const [endpoint, body, code, message] of cases) {
    const request = await service.finish(`/v1/documents/${endpoint}`, body)
    assert.equal(request.status, 'failed')
    assert.equal(request.error.code, code)
    assert.match(request.error.message, message)
    assert.equal(request.price.micro_usd, 0)
  }
})
