import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { ResultFile } from '@mediamill/contract/domain/request'
import type { BrowserAnswer } from '@mediamill/lab/support/browser'
import { signedIn } from '@mediamill/lab/support/browser'
import { openAccount } from '@mediamill/lab/support/line'
import type { Json } from '@mediamill/lab/support/service'
import { startService } from '@mediamill/lab/support/service'
import type { Metadata } from 'sharp'
import sharp from 'sharp'
import { listOrphans } from '../../../src/db/sweep.ts'
import { expire } from '../../../src/requests/tidy/expire.ts'
import { openDiskStore } from '../../../src/store/disk.ts'

const service = await startService({ settings: { THUMBNAILS: 'all' } })
after(() => service[Symbol.asyncDispose]())
const { account, sql, url, dataDir } = service
const browser = await signedIn(service, { kind: 'account', accountId: account.id })

const LARGE = { width: 2400, height: 1600 }
const photo = await sharp({ create: { ...LARGE, channels: 3, background: '#3a7' } })
  .jpeg()
  .toBuffer()
const FLIP = { type: 'flip', vertical: true }
const MARK = { type: 'watermark', image_url: `${url}/docs/samples/logo.png`, x: 20, y: 20 }
const resize = (width: number, height: number) => ({ type: 'resize', width, height, preserve_aspect_ratio: false })

/** Runs a request on a file of the browser's disk, as the playground does. */
async function made(endpoint: string, file: Buffer | string, body: object): Promise<Json> {
  const source = typeof file === 'string' ? `${url}/docs/samples/${file}` : await uploaded(file)
  const answer = await browser.call('POST', endpoint, { body: { source, ...body }, headers: { prefer: 'wait=60' } })
  assert.equal(answer.body.status, 'succeeded', JSON.stringify(answer.body))
  return answer.body
}

async function uploaded(file: Buffer): Promise<string> {
  const sent = await browser.call('POST', '/uploads', { body: file, headers: { 'content-type': 'image/png' } })
  assert.equal(sent.status, 201)
  return sent.body.source ?? `upload://${sent.body.id}`
}

const thumbnail = (id: number) => browser.call('GET', `/requests/${id}/thumbnail`)

async function shown(answer: BrowserAnswer): Promise<Metadata> {
  assert.equal(answer.status, 200)
  return await sharp(answer.bytes).metadata()
}

async function filesOf(id: number): Promise<ResultFile[]> {
  const [row] = await sql<{ files: ResultFile[] }[]>`select files from requests where id = ${id}`
  return row?.files ?? []
}

const stored = async () => (await readdir(join(dataDir, 'results'), { recursive: true })).map((name) => name.slice(4))

describe('a thumbnail', () => {
  test('of a picture is a WebP of 256 pixels that only the account sees [rulings 20]', async () => {
    const { id, result } = await made('/images/process', photo, { operations: [FLIP], output: { format: 'jpg' } })
    const answer = await thumbnail(id)
    const { format, width, height } = await shown(answer)
    assert.deepEqual([format, width, height], ['webp', 256, 171])
    const { headers } = answer
    assert.equal(headers.get('content-type'), 'image/webp')
    assert.match(headers.get('cache-control') ?? '', /^private/)
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
    assert.deepEqual(Object.keys(result.files[0]), ['url', 'url_expires_at', 'format', 'size', 'sha256'])
    assert.equal(result.files.length, 1)
    const stranger = await signedIn(service, { kind: 'account', accountId: (await openAccount(sql)).id })
    assert.equal((await stranger.call('GET', `/requests/${id}/thumbnail`)).status, 404)
    const nobody = await fetch(`${url}/console/api/requests/${id}/thumbnail`)
    assert.equal(nobody.status, 401)
    const [row] = await sql`select result_bytes from requests where id = ${id}`
    assert.equal(row?.['result_bytes'], result.files[0].size)
  })

  test('keeps what is transparent, and is the first frame of an animation [rulings 20]', async () => {
    const half = await sharp({
      create: { width: 1600, height: 1600, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } },
    })
      .composite([
        { input: { create: { width: 800, height: 1600, channels: 4, background: '#00f' } }, left: 0, top: 0 },
      ])
      .png()
      .toBuffer()
    const clear = await thumbnail(
      (await made('/images/process', half, { operations: [FLIP], output: { format: 'png' } })).id,
    )
    const { data, info } = await sharp(clear.bytes).raw().toBuffer({ resolveWithObject: true })
    const alphaAt = (x: number) => data[(100 * info.width + x) * info.channels + 3]
    assert.deepEqual([info.channels, alphaAt(40), alphaAt(220)], [4, 255, 0])
    const frames = ['#f00', '#00f'].map((background) => ({
      create: { width: 300, height: 200, channels: 3 as const, background },
    }))
    const images = await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer()))
    const moving = await sharp(images, { join: { animated: true } })
      .gif()
      .toBuffer()
    for (const format of ['gif', 'webp']) {
      const first = await thumbnail(
        (await made('/images/process', moving, { operations: [FLIP], output: { format } })).id,
      )
      const still = await shown(first)
      assert.deepEqual([still.format, still.width, still.height, still.pages ?? 1], ['webp', 256, 171, 1])
      const [red = 0, , blue = 0] = await sharp(first.bytes).raw().toBuffer()
      assert.ok(red > 200 && blue < 60, `${format} ${red} ${blue}`)
    }
  })

  test('of a strip is a strip, and a small picture is its own [rulings 20]', async () => {
    const strip = await made('/images/process', photo, { operations: [resize(1, 5000)], output: { format: 'tif' } })
    const { width, height } = await shown(await thumbnail(strip.id))
    assert.deepEqual([width, height], [1, 256])
    const small = await made('/images/process', photo, { operations: [resize(300, 200)], output: { format: 'jpg' } })
    const answer = await thumbnail(small.id)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/jpeg'])
    assert.equal((await filesOf(small.id))[0]?.thumbnail, undefined)
  })

  test('is made of a page, a document and a frame of a video; facts have none [rulings 20]', async () => {
    const pdf = await made('/documents/process', 'report.pdf', { operations: [MARK] })
    const page = await made('/documents/snapshot', 'report.pdf', { page: 1, output: { format: 'png' } })
    for (const { id } of [pdf, page]) assert.equal((await shown(await thumbnail(id))).format, 'webp')
    const frame = await made('/videos/screenshot', 'clip.mp4', { seconds: 0, output: { format: 'png' } })
    assert.ok(['webp', 'png'].includes((await shown(await thumbnail(frame.id))).format))
    const facts = await made('/images/read', photo, {})
    assert.equal((await thumbnail(facts.id)).status, 204)
  })

  test('is deleted with the result: at the client’s wish, and when its time is over [rulings 20]', async () => {
    const store = await openDiskStore(join(dataDir, 'results'))
    const ask = { operations: [FLIP], output: { format: 'jpg' } }
    const wished = await made('/images/process', photo, ask)
    const expired = await made('/images/process', photo, ask)
    const keys = (await Promise.all([filesOf(wished.id), filesOf(expired.id)]))
      .flat()
      .flatMap((file) => [file.key, file.thumbnail ?? ''])
    const left = async () => {
      const names = await stored()
      return keys.map((key) => names.includes(key))
    }
    assert.deepEqual(await left(), [true, true, true, true])
    const candidates = [
      ...keys.slice(0, 2).map((key) => ({ key, requestId: wished.id })),
      ...keys.slice(2).map((key) => ({ key, requestId: expired.id })),
    ]
    assert.deepEqual(await listOrphans(sql, candidates), [], 'the sweep of orphans leaves them')
    assert.equal((await browser.call('DELETE', `/requests/${wished.id}/files`)).status, 200)
    assert.deepEqual(await left(), [false, false, true, true])
    assert.equal((await thumbnail(wished.id)).status, 204)
    await sql`update requests set sweep_at = now(), deleted_at = now() where id = ${expired.id}`
    assert.equal((await thumbnail(expired.id)).status, 204)
    await expire(sql, (key) => store.delete(key))
    assert.deepEqual(await left(), [false, false, false, false])
  })

  test('that was lost leaves the request as it is; of an attempt that was lost it is an orphan [rulings 20]', async () => {
    const { id } = await made('/images/process', photo, { operations: [FLIP], output: { format: 'jpg' } })
    const [file] = await filesOf(id)
    const store = await openDiskStore(join(dataDir, 'results'))
    await store.delete(file?.thumbnail ?? '')
    assert.equal((await thumbnail(id)).status, 204)
    const { body } = await browser.call('GET', `/requests/${id}`)
    assert.equal((await fetch(body.result.files[0].url)).status, 200)
    const path = join(dataDir, 'lost')
    await writeFile(path, 'of an attempt that was lost')
    const key = await store.put(path, 'webp', id)
    assert.deepEqual(await listOrphans(sql, [{ key, requestId: id }]), [key])
  })
})

test('a PDF has one only with THUMBNAILS=all: its page has to be drawn for it [rulings 20]', async () => {
  await using usual = await startService()
  const operations = [{ ...MARK, image_url: `${usual.url}/docs/samples/logo.png` }]
  const { id } = await usual.finish('/v1/documents/process', {
    source: `${usual.url}/docs/samples/report.pdf`,
    operations,
  })
  const [row] = await usual.sql<{ files: ResultFile[] }[]>`select files from requests where id = ${id}`
  assert.equal(row?.files[0]?.thumbnail, undefined)
})

test('THUMBNAILS=off makes none and shows none [rulings 20]', async () => {
  await using off = await startService({ settings: { THUMBNAILS: 'off' } })
  const session = await signedIn(off, { kind: 'account', accountId: off.account.id })
  const body = { source: `${off.url}/docs/samples/photo.jpg`, operations: [FLIP], output: { format: 'tif' } }
  const answer = await session.call('POST', '/images/process', { body, headers: { prefer: 'wait=60' } })
  assert.equal(answer.body.status, 'succeeded')
  assert.equal((await session.call('GET', `/requests/${answer.body.id}/thumbnail`)).status, 204)
  const rows = await off.sql<{ files: ResultFile[] }[]>`select files from requests`
  assert.deepEqual(
    rows.map(({ files }) => files[0]?.thumbnail),
    [undefined],
  )
  assert.equal((await session.call('GET', '/session')).body.service.thumbnails, false)
  assert.equal((await browser.call('GET', '/session')).body.service.thumbnails, true)
})
