import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ResultFile } from '@mediamill/contract/domain/request'
import type { BrowserResponse } from '@mediamill/lab/support/browser'
import { signedIn } from '@mediamill/lab/support/browser'
import { openAccount } from '@mediamill/lab/support/request-rows'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import type { Metadata } from 'sharp'
import sharp from 'sharp'
import { addPreview } from '../../../src/db/previews.ts'
import { listOrphans } from '../../../src/db/sweep.ts'
import { expire } from '../../../src/requests/cleanup/expire.ts'
import { openDiskStore } from '../../../src/store/disk.ts'

// Versions before this one had the setting THUMBNAILS. It has no effect now.
const service = await sharedService({ settings: { THUMBNAILS: 'off' } })
const { account, sql, url, dataDir } = service
const browser = await signedIn(service, { kind: 'account', accountId: account.id })

const LARGE = { width: 2400, height: 1600 }
const photo = await sharp({ create: { ...LARGE, channels: 3, background: '#3a7' } })
  .jpeg()
  .toBuffer()
const FLIP = { type: 'flip', vertical: true }
const MARK = { type: 'watermark', image_url: `${url}/docs/samples/logo.png`, x: 20, y: 20 }
const resize = (width: number, height: number) => ({ type: 'resize', width, height, preserve_aspect_ratio: false })

async function made(endpoint: string, file: Buffer | string, body: object): Promise<Json> {
  const source = typeof file === 'string' ? `${url}/docs/samples/${file}` : await uploaded(file)
  const response = await browser.call('POST', endpoint, { body: { source, ...body }, headers: { prefer: 'wait=60' } })
  assert.equal(response.body.status, 'succeeded', JSON.stringify(response.body))
  return response.body
}

async function uploaded(file: Buffer): Promise<string> {
  const sent = await browser.call('POST', '/uploads', { body: file, headers: { 'content-type': 'image/png' } })
  assert.equal(sent.status, 201)
  return sent.body.source ?? `upload://${sent.body.id}`
}

const preview = (id: number) => browser.call('GET', `/requests/${id}/preview`)

async function shown(response: BrowserResponse): Promise<Metadata> {
  assert.equal(response.status, 200)
  return await sharp(response.bytes).metadata()
}

async function filesOf(id: number): Promise<ResultFile[]> {
  const [row] = await sql<{ files: ResultFile[] }[]>`select files from requests where id = ${id}`
  return row?.files ?? []
}

const stored = async () => (await readdir(join(dataDir, 'results'), { recursive: true })).map((name) => name.slice(4))

describe('previews in the console', () => {
  test('a preview of an image is rendered once, when it is first shown, and is visible only to its account [console.previews.1, console.previews.2]', async () => {
    const { id, result } = await made('/images/process', photo, { operations: [FLIP], output: { format: 'tif' } })
    assert.equal((await filesOf(id))[0]?.thumbnail, undefined, 'processing renders none')
    const [first, second] = await Promise.all([preview(id), preview(id)])
    const { format, width, height } = await shown(first)
    assert.deepEqual([format, width, height], ['webp', 256, 171])
    assert.deepEqual(second.bytes, first.bytes)
    const { headers } = first
    assert.equal(headers.get('content-type'), 'image/webp')
    assert.match(headers.get('cache-control') ?? '', /^private/)
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
    const [kept] = await filesOf(id)
    await preview(id)
    assert.deepEqual(await filesOf(id), [kept], 'another call renders no other')
    assert.equal((await stored()).filter((name) => name === kept?.thumbnail).length, 1)
    const { body } = await browser.call('GET', `/requests/${id}`)
    assert.deepEqual(Object.keys(body.result.files[0]), Object.keys(result.files[0]))
    const stranger = await signedIn(service, { kind: 'account', accountId: (await openAccount(sql)).id })
    assert.equal((await stranger.call('GET', `/requests/${id}/preview`)).status, 404)
    assert.equal((await fetch(`${url}/console/api/requests/${id}/preview`)).status, 401)
    const [row] = await sql`select result_bytes from requests where id = ${id}`
    assert.equal(row?.['result_bytes'], result.files[0].size)
  })

  test('a preview keeps transparency, and shows the first frame of an animation [console.previews.1]', async () => {
    const half = await sharp({
      create: { width: 1600, height: 1600, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } },
    })
      .composite([
        { input: { create: { width: 800, height: 1600, channels: 4, background: '#00f' } }, left: 0, top: 0 },
      ])
      .png()
      .toBuffer()
    const clear = await preview(
      (await made('/images/process', half, { operations: [FLIP], output: { format: 'tif' } })).id,
    )
    const { data, info } = await sharp(clear.bytes).raw().toBuffer({ resolveWithObject: true })
    const alphaAt = (x: number) => data[(100 * info.width + x) * info.channels + 3]
    assert.deepEqual([info.channels, alphaAt(40), alphaAt(220)], [4, 255, 0])
    const noise = randomBytes(600 * 400 * 3)
    const frames = [0, 1].map((nth) => {
      const pixels = Buffer.from(noise.map((value, at) => (at % 3 === 2 * nth ? 200 + (value % 50) : value % 50)))
      return sharp(pixels, { raw: { width: 600, height: 400, channels: 3 } })
    })
    const images = await Promise.all(frames.map((frame) => frame.png().toBuffer()))
    const moving = await sharp(images, { join: { animated: true } })
      .gif()
      .toBuffer()
    const { id, result } = await made('/images/process', moving, { operations: [FLIP], output: { format: 'gif' } })
    assert.ok(result.files[0].size > 256 * 1024, 'too large to be shown itself')
    const first = await preview(id)
    const still = await shown(first)
    assert.deepEqual([still.format, still.width, still.height, still.pages ?? 1], ['png', 256, 171, 1])
    const [red = 0, , blue = 0] = await sharp(first.bytes).raw().toBuffer()
    assert.ok(red > 150 && blue < 60, `${red} ${blue}`)
  })

  test('a preview of a long, narrow image keeps its shape, and an image that is small enough is used as its own preview [console.previews.1]', async () => {
    const strip = await made('/images/process', photo, { operations: [resize(1, 5000)], output: { format: 'tif' } })
    const { width, height } = await shown(await preview(strip.id))
    assert.deepEqual([width, height], [1, 256])
    const small = await made('/images/process', photo, { operations: [resize(300, 200)], output: { format: 'jpg' } })
    const response = await preview(small.id)
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/jpeg'])
    assert.equal((await filesOf(small.id))[0]?.thumbnail, undefined)
  })

  test('a preview shows the first page of a document or a frame of a video, and a metadata request has no preview [console.previews.1]', async () => {
    const pdf = await made('/documents/process', 'report.pdf', { operations: [MARK] })
    const page = await shown(await preview(pdf.id))
    assert.deepEqual([page.format, page.height], ['webp', 256])
    const video = await made('/videos/process', 'clip.mp4', { operations: [FLIP] })
    const frame = await shown(await preview(video.id))
    assert.deepEqual([frame.format, frame.width], ['webp', 256])
    const metadata = await made('/images/read', photo, {})
    assert.equal((await preview(metadata.id)).status, 204)
  })

  test('a preview is deleted when a client deletes the result or when the result expires, and is not rendered again [console.previews.2]', async () => {
    const store = await openDiskStore(join(dataDir, 'results'))
    const ask = { operations: [FLIP], output: { format: 'tif' } }
    // Run one request after the other, because a free account can run only two at the same time.
    const wished = (await made('/images/process', photo, ask)).id
    const expired = (await made('/images/process', photo, ask)).id
    const never = (await made('/images/process', photo, ask)).id
    for (const id of [wished, expired]) await shown(await preview(id))
    const keys = (await Promise.all([filesOf(wished), filesOf(expired)]))
      .flat()
      .flatMap((file) => [file.key, file.thumbnail ?? ''])
    const left = async () => {
      const names = await stored()
      return keys.map((key) => names.includes(key))
    }
    assert.deepEqual(await left(), [true, true, true, true])
    const candidates = [
      ...keys.slice(0, 2).map((key) => ({ key, requestId: wished })),
      ...keys.slice(2).map((key) => ({ key, requestId: expired })),
    ]
    assert.deepEqual(await listOrphans(sql, candidates), [], 'the sweep of orphans leaves them')
    assert.equal((await browser.call('DELETE', `/requests/${wished}/files`)).status, 200)
    assert.deepEqual(await left(), [false, false, true, true])
    await sql`update requests set sweep_at = now(), deleted_at = now() where id = any(${[expired, never]}::bigint[])`
    for (const id of [wished, expired, never]) assert.equal((await preview(id)).status, 204)
    assert.equal(
      await addPreview(sql, never, { fileKey: (await filesOf(never))[0]?.key ?? '', previewKey: 'late' }),
      false,
    )
    await expire(sql, (key) => store.delete(key))
    assert.deepEqual(await left(), [false, false, false, false])
  })

  test('a preview that cannot be rendered does not change its request, and cleanup removes preview files without a request [console.previews.2]', async () => {
    const { id } = await made('/images/process', photo, { operations: [FLIP], output: { format: 'tif' } })
    const [file] = await filesOf(id)
    const path = join(dataDir, 'results', file?.key.slice(0, 1) ?? '', file?.key.slice(1, 2) ?? '', file?.key ?? '')
    await writeFile(path, 'no image')
    assert.equal((await preview(id)).status, 204)
    assert.deepEqual(await filesOf(id), [file])
    assert.equal((await browser.call('GET', `/requests/${id}`)).body.status, 'succeeded')
    const lost = join(dataDir, 'lost')
    await writeFile(lost, 'of an attempt that was lost')
    const store = await openDiskStore(join(dataDir, 'results'))
    const key = await store.put(lost, 'webp', id)
    assert.deepEqual(await listOrphans(sql, [{ key, requestId: id }]), [key])
  })
})
