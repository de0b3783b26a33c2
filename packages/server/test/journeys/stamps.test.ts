import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openAccount } from '@mediamill/lab/support/request-rows'
import type { CallResponse, Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import sharp from 'sharp'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'

const service = await sharedService()
const { call, finish, sql, account } = service

const stamp = async (body: object, key = account.liveKey): Promise<CallResponse> =>
  await call('POST', '/v1/stamps', { body, key })

async function upload(bytes: Buffer, key = account.liveKey): Promise<Json> {
  const response = await fetch(`${service.url}/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'image/png' },
    body: new Uint8Array(bytes),
  })
  return await response.json()
}

/** Reads the file of an upload from the store, because the API has no endpoint that returns it. */
async function fileOf({ id }: { id: string }): Promise<Buffer> {
  const rows = await sql<{ key: string }[]>`select key from upload_parts where upload_id = ${id} order by start`
  const folder = join(service.dataDir, 'results')
  const stored = await readdir(folder, { recursive: true })
  const paths = rows.map(({ key }) => stored.find((path) => path.endsWith(key)) ?? key)
  return Buffer.concat(await Promise.all(paths.map((path) => readFile(join(folder, path)))))
}

const pixelsOf = async (file: Buffer) => {
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return {
    ...info,
    at: (x: number, y: number) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)],
  }
}

const open = async () => (await sql<{ n: number }[]>`select count(*)::integer as n from stamps`)[0]?.n

const FIELDS = [
  'id',
  'object',
  'status',
  'source',
  'size',
  'sha256',
  'format',
  'created_at',
  'expires_at',
  'width',
  'height',
]

test('a text watermark is drawn as a transparent PNG, and returned as an upload with its size [stamps.text.1]', async () => {
  const { status, body } = await stamp({ type: 'text', text: '© Jane Doe', size: 60, color: 'ff0000' })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(Object.keys(body), FIELDS)
  const file = await fileOf(body)
  assert.equal(body.sha256, createHash('sha256').update(file).digest('hex'))
  assert.equal(body.size, file.length)
  assert.equal(body.format, 'PNG')
  const image = await pixelsOf(file)
  assert.deepEqual([image.width, image.height], [body.width, body.height])
  assert.equal(image.at(0, 0)[3], 0)
  assert.equal(await open(), 0)
  const { width: _width, height: _height, ...uploaded } = body
  assert.deepEqual((await call('GET', `/v1/uploads/${body.id}`)).body, uploaded)
})

test('the text of a text watermark is never interpreted as markup [stamps.text.1]', async () => {
  const bold = await stamp({ type: 'text', text: '<b>&amp;</b>' })
  const shorter = await stamp({ type: 'text', text: '&' })
  assert.deepEqual([bold.status, shorter.status], [201, 201])
  assert.ok(bold.body.width > 5 * shorter.body.width, `${bold.body.width} pixels`)
  for (const text of ['<', '</span>', '<span foreground="red">x', '&#0;', '&bogus;', '"\'>']) {
    assert.equal((await stamp({ type: 'text', text })).status, 201, text)
  }
})

test('the bundled fonts draw lines in any script, and the error for a missing character contains the character [stamps.fonts.1, stamps.fonts.2]', async () => {
  const scripts = 'Jane\nПривет\nΕλλάδα\nالعربية\nשלום\nहिन्दी\n日本語かな\n版权\n한국어\n👩‍👩‍👧 ❤️ 1️⃣'
  for (const font of ['arimo', 'tinos_bold', 'cousine_italic', 'courier_prime_bold_italic'])
    assert.equal((await stamp({ type: 'text', text: scripts, font })).status, 201, font)
  const thai = await stamp({ type: 'text', text: 'Jane ก' })
  assert.equal(thai.status, 422)
  assert.equal(thai.body.error.code, 'validation_failed')
  assert.equal(thai.body.error.param, 'text')
  assert.match(thai.body.error.message, /The bundled fonts do not have the character U\+0E01 "ก"/)
  const hidden = await stamp({ type: 'text', text: '\u{e000}' })
  assert.match(hidden.body.error.message, /do not have the character U\+E000/)
  assert.equal(await open(), 0)
})

test('a text watermark rejects empty text, control characters, and text that cannot be stored, and accepts direction marks [stamps.text.2, stamps.text.3]', async () => {
  const rejected: [string, string][] = [
    ['', 'too_short'],
    ['a\tb', 'invalid_value'],
    ['a\r\nb', 'invalid_value'],
    ['a\u0000b', 'invalid_value'],
    ['a\u0085b', 'invalid_value'],
    ['a\u2028b', 'invalid_value'],
    ['a\ud800b', 'invalid_value'],
    ['a\ufffe', 'invalid_value'],
    ['x'.repeat(201), 'too_long'],
    ['\u{1d54f}'.repeat(201), 'too_long'],
  ]
  for (const [text, code] of rejected) {
    const { status, body } = await stamp({ type: 'text', text })
    assert.deepEqual(
      [status, body.error.code, body.error.errors[0].code],
      [422, 'validation_failed', code],
      JSON.stringify(text),
    )
  }
  for (const text of ['\u200b', ' \n ', '\u202e', '\ufe0f'])
    assert.match((await stamp({ type: 'text', text })).body.error.message, /^text: The text is invisible/)
  for (const text of ['a\u202eb', '\u2069a', 'a\u200bb', '\u2067a', '😀'.repeat(200), 'Z' + '\u0337'.repeat(199)])
    assert.equal((await stamp({ type: 'text', text, size: 8 })).status, 201, JSON.stringify(text))
})

test('the fields of a text watermark have limits, and all errors are reported together [errors.body.2]', async () => {
  const params = async (body: object) =>
    (await stamp(body)).body.error?.errors?.map((error: Json) => `${error.param} ${error.code}`)
  const text = { type: 'text', text: 'x' }
  assert.deepEqual(await params({}), ['type required'])
  assert.deepEqual(await params({ type: 'video' }), ['type invalid_value'])
  assert.deepEqual(await params({ type: 7 }), ['type invalid_type'])
  assert.deepEqual(await params({ type: 'text' }), ['text required'])
  assert.deepEqual(await params({ type: 'image' }), ['source required'])
  assert.deepEqual(
    await params({ ...text, size: 3, opacity: 0, rotation: 361, color: 'red', font: 'arial', align: 'top' }),
    [
      'size out_of_range',
      'opacity out_of_range',
      'rotation out_of_range',
      'color invalid_value',
      'font invalid_value',
      'align invalid_value',
    ],
  )
  assert.deepEqual(await params({ ...text, size: 1001, width: 10 }), ['size out_of_range', 'width unknown_parameter'])
  assert.deepEqual(
    await params({ ...text, outline: { width: 51 }, shadow: { blur: 101, x: 201, y: -201, opacity: 101 } }),
    [
      'outline.width out_of_range',
      'shadow.blur out_of_range',
      'shadow.x out_of_range',
      'shadow.y out_of_range',
      'shadow.opacity out_of_range',
    ],
  )
  assert.deepEqual(await params({ type: 'image', source: 'upload:x', width: 8001 }), ['width out_of_range'])
  assert.deepEqual(
    (await stamp({ ...text, size: 4, outline: { width: 50 }, shadow: { blur: 100, x: -200, y: 200 } })).status,
    201,
  )
  for (const body of ['[]', '7', '"x"', 'null']) {
    assert.equal((await call('POST', '/v1/stamps', { body })).status, 422)
  }
})

test('a text watermark of more than 8,000 pixels per side or 16 megapixels is rejected before it is drawn [stamps.create.1]', async () => {
  for (const body of [
    { text: 'W'.repeat(200), size: 1000 },
    { text: '\ufdfd'.repeat(200), size: 1000 },
    { text: 'a\n'.repeat(99) + 'a', size: 1000 },
    { text: 'W'.repeat(80), size: 90, rotation: 45 },
  ]) {
    const { status, body: response } = await stamp({ type: 'text', ...body })
    assert.equal(status, 422)
    assert.match(response.error.message, /^text: The watermark would be [\d,]+ × [\d,]+ pixels; the limit is 8,000/)
  }
  const { body } = await stamp({ type: 'text', text: 'Hg', size: 1000 })
  assert.ok(body.width > 1000 && body.height > 800)
})

test('align moves the lines of a text watermark to the given side, even for right-to-left text', async () => {
  const ink = async (align: string) => {
    const { body } = await stamp({ type: 'text', text: 'WWWWWWWW\nשלום', align, color: '000000' })
    const image = await pixelsOf(await fileOf(body))
    const filled = Array.from({ length: image.width }, (_, x) =>
      Array.from({ length: 20 }, (_, y) => image.at(x, image.height - 22 + y)[3] ?? 0).some((alpha) => alpha > 128),
    )
    return { from: filled.indexOf(true), to: image.width - 1 - filled.lastIndexOf(true) }
  }
  const [left, center, right] = [await ink('left'), await ink('center'), await ink('right')]
  assert.ok(left.from < 8 && left.to > 100, JSON.stringify(left))
  assert.ok(right.to < 8 && right.from > 100, JSON.stringify(right))
  assert.ok(Math.abs(center.from - center.to) < 12, JSON.stringify(center))
})

test('a logo watermark can be trimmed of its border, resized to a width, rotated, and made translucent [stamps.image.2]', async () => {
  const inner = await sharp({ create: { width: 40, height: 20, channels: 4, background: '#ff0000' } })
    .png()
    .toBuffer()
  const framed = await sharp({ create: { width: 100, height: 80, channels: 4, background: '#ffffff' } })
    .composite([{ input: inner, left: 30, top: 10 }])
    .png()
    .toBuffer()
  const { source } = await upload(framed)
  const whole = await stamp({ type: 'image', source })
  assert.deepEqual([whole.status, whole.body.width, whole.body.height], [201, 100, 80], JSON.stringify(whole.body))
  const { body } = await stamp({ type: 'image', source, trim: true, width: 80, opacity: 50 })
  assert.deepEqual([body.width, body.height], [80, 40])
  const image = await pixelsOf(await fileOf(body))
  assert.deepEqual(image.at(40, 20), [255, 0, 0, 128])
  const turned = (await stamp({ type: 'image', source: body.source, rotation: 45 })).body
  const corners = await pixelsOf(await fileOf(turned))
  assert.deepEqual([turned.width, turned.height], [85, 85])
  assert.equal(corners.at(0, 0)[3], 0)
  assert.deepEqual(corners.at(42, 42), [255, 0, 0, 128])
  const blank = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#123456' } })
    .png()
    .toBuffer()
  const nothing = await stamp({ type: 'image', source: (await upload(blank)).source, trim: true })
  assert.match(nothing.body.error.message, /^source: The image has a single color/)
})

test('the source of a logo watermark follows the same rules as any other source [stamps.image.3]', async () => {
  const codes = async (source: string, key?: string) => {
    const { status, body } = await stamp({ type: 'image', source }, key)
    return `${status} ${body.error?.code} ${body.error?.param}`
  }
  assert.equal(await codes('http://127.0.0.1/x.png'), '422 url_blocked source')
  assert.equal(await codes('ftp://example.com/x.png'), '422 url_invalid source')
  assert.equal(await codes('upload:upl_0'), '422 upload_not_found source')
  const other = await openAccount(sql)
  const mine = (await upload(await readFile(sampleFile('logo.png')))).source
  assert.equal(await codes(mine, other.liveKey), '422 upload_not_found source')
  assert.equal(await codes(mine, account.testKey), '422 upload_not_found source')
  const [text, clip] = [Buffer.from('no picture at all'), await readFile(sampleFile('clip.mp4'))]
  for (const bytes of [text, clip]) {
    const { status, body } = await stamp({ type: 'image', source: (await upload(bytes)).source })
    assert.deepEqual([status, body.error.code, body.error.param], [422, 'validation_failed', 'source'])
    assert.match(body.error.message, /The source must be a JPEG/)
  }
  const photo = await readFile(sampleFile('photo.jpg'))
  assert.equal(await codes((await upload(photo.subarray(0, 9000))).source), '422 validation_failed source')
  const request = await finish('/v1/images/process', { source: mine, operations: [{ type: 'orient' }] })
  assert.equal((await stamp({ type: 'image', source: request.result.files[0].url, width: 50 })).status, 201)
  assert.equal(await open(), 0)
})

test('a text watermark is free, and is not listed, counted, or charged as a request [stamps.create.3]', async () => {
  const before = [await call('GET', '/v1/requests'), await call('GET', '/v1/usage'), await call('GET', '/v1/account')]
  assert.equal((await stamp({ type: 'text', text: 'free' })).status, 201)
  const after = [await call('GET', '/v1/requests'), await call('GET', '/v1/usage'), await call('GET', '/v1/account')]
  assert.deepEqual(
    after.map(({ body }) => body),
    before.map(({ body }) => body),
  )
  assert.equal((await stamp({ type: 'text', text: 'x' }, 'svc_live_none')).status, 401)
})

test('a text watermark uses the upload quota, and is rejected if the quota is full [stamps.create.6]', async () => {
  const full = await openAccount(sql)
  await sql`update accounts set max_source_bytes = 60, requests_per_minute = 1000 where id = ${full.id}`
  const { status, body } = await stamp({ type: 'text', text: 'no room' }, full.liveKey)
  assert.deepEqual([status, body.error.code], [422, 'upload_too_large'], JSON.stringify(body))
  const [row] = await sql<{ n: number }[]>`select count(*)::integer as n from uploads where account_id = ${full.id}`
  assert.equal(row?.n, 0)
})
