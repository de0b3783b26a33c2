import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { isNear, pixelOf, plain, QUARTERS, quarters } from '@mediamill/lab/support/pictures'
import { startService } from '@mediamill/lab/support/service'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import sharp from 'sharp'

const sources = await startSourceServer({
  '/photo.jpg': await quarters(400, 300, 'jpeg'),
  '/photo.png': await quarters(400, 300, 'png'),
  '/photo.webp': await quarters(400, 300, 'webp'),
  '/logo.png': await plain(20, 10, [255, 0, 255], 0.5),
  '/text.jpg': Buffer.from('this is not a picture at all'),
  '/cut.jpg': (await quarters(400, 300, 'jpeg')).subarray(0, 700),
  '/empty.jpg': Buffer.alloc(0),
})
const service = await startService({ allowed: [sources.host] })
after(async () => {
  await service[Symbol.asyncDispose]()
  await sources[Symbol.asyncDispose]()
})

const process = (source: string, operations: object[], format = 'png') =>
  service.finish('/v1/images/process', { source: sources.url(source), operations, output: { format } })

async function fileOf(request: { result: { files: { url: string }[] } }): Promise<Buffer> {
  const response = await fetch(request.result.files[0]?.url ?? '')
  assert.equal(response.status, 200)
  return Buffer.from(await response.arrayBuffer())
}

test('an image goes from the call to a signed link: queued, processing, succeeded, charged [requests.states.1, results.links.1]', async () => {
  const body = {
    source: sources.url('/photo.jpg'),
    operations: [{ type: 'resize', width: 200, height: 200 }],
    customer: 'c-1',
    metadata: { order: '7' },
  }
  const accepted = await service.call('POST', '/v1/images/process', { body })
  assert.equal(accepted.status, 202)
  assert.deepEqual(Object.keys(accepted.body).slice(0, 6), ['id', 'object', 'endpoint', 'status', 'livemode', 'source'])
  assert.equal(accepted.body.status, 'queued')
  const request = await service.settled(accepted.body.id)
  assert.equal(request.status, 'succeeded')
  assert.equal(request.endpoint, 'images/process')
  assert.equal(request.livemode, true)
  assert.equal(request.source, body.source)
  assert.deepEqual(request.input, { operations: body.operations })
  assert.equal(request.customer, 'c-1')
  assert.deepEqual(request.metadata, { order: '7' })
  assert.deepEqual(request.price, { amount: '0.002000', currency: 'usd', micro_usd: 2000 })
  const { data, files, deleted_at } = request.result
  const bytes = await fileOf(request)
  assert.deepEqual(data, { width: 200, height: 150, format: 'JPEG', size: bytes.length })
  assert.equal(files[0].size, bytes.length)
  assert.equal(files[0].sha256, createHash('sha256').update(bytes).digest('hex'))
  assert.equal(files[0].url_expires_at, deleted_at)
  assert.equal(Date.parse(deleted_at) - Date.parse(request.completed_at), 7 * 86_400_000)
  const { width, height, format } = await sharp(bytes).metadata()
  assert.deepEqual([width, height, format], [200, 150, 'jpeg'])
  assert.ok(isNear(await pixelOf(bytes, 20, 20), QUARTERS[0] ?? []))
  assert.ok(isNear(await pixelOf(bytes, 180, 130), QUARTERS[3] ?? []))
})

test('reads JPEG, PNG, and WebP, and writes all five formats with matching content [sources.formats.5]', async () => {
  for (const source of ['/photo.jpg', '/photo.png', '/photo.webp']) {
    for (const [format, name] of [
      ['jpg', 'JPEG'],
      ['png', 'PNG'],
      ['webp', 'WEBP'],
      ['gif', 'GIF'],
      ['tif', 'TIFF'],
    ]) {
      const request = await process(source, [{ type: 'crop', x: 0, y: 0, width: 100, height: 100 }], format)
      assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
      assert.equal(request.result.data.format, name)
      assert.equal(request.result.files[0].format, format)
      const bytes = await fileOf(request)
      const read = await sharp(bytes).metadata()
      assert.equal(read.format, name?.toLowerCase())
      assert.ok(isNear(await pixelOf(bytes, 50, 50), QUARTERS[0] ?? [], 10), `${source} to ${format}`)
    }
  }
})

test('operations run in order, and another order changes the image [operations.list.1]', async () => {
  const crop = { type: 'crop', x: 0, y: 0, width: 200, height: 150 }
  const mark = { type: 'watermark', image_url: sources.url('/logo.png'), x: 190, y: 10 }
  const border = { type: 'border', top: 5, bottom: 5, left: 5, right: 5, color: '#000' }
  const bytes = await fileOf(await process('/photo.png', [crop, mark, border]))
  assert.deepEqual([(await sharp(bytes).metadata()).width, (await sharp(bytes).metadata()).height], [210, 160])
  const [red = [0, 0, 0]] = QUARTERS
  const marked = red.map((part, index) => Math.round(part * 0.5 + ([255, 0, 255][index] ?? 0) * 0.5))
  assert.ok(isNear(await pixelOf(bytes, 5 + 195, 5 + 15), marked, 2), 'the mark ends at the crop')
  assert.deepEqual(await pixelOf(bytes, 2, 80), [0, 0, 0, 255])
  const other = await fileOf(await process('/photo.png', [mark, border, crop]))
  assert.equal((await sharp(other).metadata()).width, 200)
  assert.deepEqual(await pixelOf(other, 2, 80), [0, 0, 0, 255])
  assert.ok(isNear(await pixelOf(other, 199, 20), marked, 2), 'the mark stands 5 pixels further right')
})

test('images/read returns metadata and no file [requests.files.1]', async () => {
  const request = await service.finish('/v1/images/read', { source: sources.url('/photo.webp') })
  assert.equal(request.status, 'succeeded')
  const size = (sources.files.get('/photo.webp') as Buffer).length
  const facts = {
    frames: 1,
    orientation: 'Undefined',
    format: 'WEBP',
    colorspace: 'sRGB',
    width: 400,
    height: 300,
    size,
  }
  assert.deepEqual(request.result.data, facts)
  assert.deepEqual(request.result.files, [])
  assert.equal(request.price.micro_usd, 500)
})

test('an unavailable or unreadable source fails with its code, a sentence, and no charge [errors.failures.1]', async () => {
  const gray = [{ type: 'grayscale' }]
  for (const [source, code] of [
    ['/missing.jpg', 'source_unreachable'],
    ['/text.jpg', 'unsupported_media'],
    ['/empty.jpg', 'unsupported_media'],
    ['/cut.jpg', 'processing_failed'],
  ]) {
    const request = await process(source ?? '', gray)
    assert.equal(request.status, 'failed', source)
    assert.equal(request.error.code, code, source)
    assert.match(request.error.message, /^[A-Z].{15,}\.$/s)
    assert.deepEqual(request.price, { amount: '0.000000', currency: 'usd', micro_usd: 0 })
    assert.equal(request.result, undefined)
  }
})

test('an unavailable or unreadable watermark image names its operation [operations.watermark.5]', async () => {
  const resize = { type: 'resize', width: 50, height: 50 }
  for (const [path, code] of [
    ['/missing.png', 'source_unreachable'],
    ['/text.jpg', 'unsupported_media'],
  ]) {
    const mark = { type: 'watermark', image_url: sources.url(path ?? ''), x: 0, y: 0 }
    const request = await process('/photo.png', [resize, mark])
    assert.equal(request.error?.code, code)
    assert.equal(request.error.operation, 1)
  }
})

test('an operation with an empty result or above the limits fails before decoding, with its index [errors.failures.2]', async () => {
  const outside = await process('/photo.png', [
    { type: 'grayscale' },
    { type: 'crop', x: 500, y: 0, width: 5, height: 5 },
  ])
  assert.equal(outside.error.code, 'processing_failed')
  assert.equal(outside.error.operation, 1)
  const huge = { type: 'resize', width: 20_000, height: 20_000, preserve_aspect_ratio: false }
  const large = await process('/photo.png', [huge])
  assert.equal(large.error.operation, 0)
  assert.match(large.error.message, /100/)
})

test('downloads a watermark image once per request, even if it is used several times [operations.watermark.5]', async () => {
  const mark = (x: number) => ({ type: 'watermark', image_url: sources.url('/logo.png'), x, y: 0 })
  const before = sources.calls.filter((call) => call.path === '/logo.png').length
  await process('/photo.png', [mark(0), mark(40), mark(80)])
  assert.equal(sources.calls.filter((call) => call.path === '/logo.png').length, before + 1)
})

test('serves a result by ranges with its type, never as a page; HEAD works; a range past the end returns 416 [results.files.2, results.files.3]', async () => {
  const request = await process('/photo.png', [{ type: 'grayscale' }])
  const { url } = request.result.files[0]
  const redirect = await service.call('GET', url, { key: null })
  assert.equal(redirect.status, 302)
  assert.equal(redirect.headers.get('cache-control'), 'no-store')
  const location = redirect.headers.get('location') ?? ''
  const whole = await fetch(location)
  const bytes = Buffer.from(await whole.arrayBuffer())
  assert.equal(whole.headers.get('content-type'), 'image/png')
  assert.equal(whole.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(whole.headers.get('accept-ranges'), 'bytes')
  const part = await fetch(location, { headers: { range: 'bytes=10-19' } })
  assert.equal(part.status, 206)
  assert.equal(part.headers.get('content-range'), `bytes 10-19/${bytes.length}`)
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(10, 20))
  const beyond = await service.call('GET', location, { headers: { range: `bytes=${bytes.length}-` } })
  assert.deepEqual([beyond.status, beyond.body.error?.code], [416, 'range_not_satisfiable'])
  assert.match(beyond.body.error.message, new RegExp(` ${bytes.length} bytes`))
  assert.deepEqual(
    ['content-range', 'content-type', 'content-disposition', 'etag'].map((name) => beyond.headers.get(name)),
    [`bytes */${bytes.length}`, 'application/json; charset=utf-8', null, null],
  )
  const known = await fetch(location, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } })
  assert.equal(known.status, 304)
  const head = await fetch(location, { method: 'HEAD' })
  assert.equal(head.status, 200)
  assert.equal(head.headers.get('content-length'), String(bytes.length))
  assert.equal((await fetch(url, { method: 'HEAD', redirect: 'manual' })).status, 302)
})

test('a test key runs the same work free of charge, with livemode false [auth.keys.2]', async () => {
  const { testKey } = service.account
  const body = { source: sources.url('/photo.png'), operations: [{ type: 'grayscale' }] }
  const accepted = await service.call('POST', '/v1/images/process', { body, key: testKey })
  const request = await service.settled(accepted.body.id)
  assert.equal(request.status, 'succeeded')
  assert.equal(request.livemode, false)
  assert.equal(request.price.micro_usd, 0)
  assert.equal((await fileOf(request)).length, request.result.data.size)
})
