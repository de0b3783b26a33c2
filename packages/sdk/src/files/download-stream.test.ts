import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import { createRandom } from '@mediamill/lab/support/random'
import { scriptedRejection, scriptedRequest } from '@mediamill/lab/support/scripted-fetch'
import { createVirtualClock } from '@mediamill/lab/support/virtual-clock'
import type { DownloadableFile } from '../index.ts'
import { GoneError, IntegrityError, Mediamill } from '../index.ts'
import { withClock } from '../transport/clock.ts'

const BYTES = Uint8Array.from({ length: 50_000 }, (_, index) => (index * 7) % 251)
const SHA256 = createHash('sha256').update(BYTES).digest('hex')

function fileOf(serve: (from: number, index: number) => Response, more: object = {}) {
  const clock = createVirtualClock()
  const ranges: (string | null)[] = []
  const fetch = async (_url: unknown, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    assert.equal(headers.get('authorization'), null, 'the key is not sent with a link')
    ranges.push(headers.get('range'))
    return serve(Number(/^bytes=(\d+)-$/.exec(headers.get('range') ?? '')?.[1] ?? 0), ranges.length - 1)
  }
  const client = new Mediamill(
    withClock({ baseUrl: 'https://m.example', apiKey: 'svc_test_a', fetch: fetch as typeof globalThis.fetch }, clock),
  )
  const file = {
    url: 'https://m.example/v1/results/17?signature=a',
    url_expires_at: '',
    format: 'webp',
    size: BYTES.length,
    sha256: SHA256,
    ...more,
  }
  const request = client.requests.from(
    scriptedRequest('succeeded', { result: { data: {}, files: [file] } }) as never,
  ) as {
    result: { files: DownloadableFile[] }
  }
  return { file: request.result.files[0] as DownloadableFile, ranges, clock }
}

/** Returns a response with `count` bytes of the file, from offset `from` on. It ends with an error or without one. */
function partial(from: number, count: number, end: 'error' | 'close', status = from === 0 ? 200 : 206): Response {
  let at = from
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = Math.min(4096, from + count - at, BYTES.length - at)
      if (size > 0) controller.enqueue(BYTES.slice(at, at + size))
      else if (end === 'close' || at >= BYTES.length) controller.close()
      else controller.error(new TypeError('terminated'))
      at += size
    },
  })
  return new Response(body, { status })
}

test('a download that is interrupted 200 times at random bytes resumes each time and is complete', async () => {
  const random = createRandom(7)
  const { file, ranges, clock } = fileOf((from, index) =>
    index < 200
      ? partial(from, random.integer(1, 400), random.chance(0.5) ? 'error' : 'close')
      : partial(from, 1e9, 'close'),
  )
  assert.deepEqual(await file.bytes(), BYTES)
  assert.equal(ranges[0], null)
  assert.ok(ranges.length > 150)
  assert.equal(clock.timers, 0)
})

test('a download fails after two retries in which it receives no bytes', async () => {
  const { file, ranges } = fileOf((from, index) => partial(from, index === 0 ? 4096 : 0, 'error'))
  await assert.rejects(file.bytes())
  assert.deepEqual(ranges, [null, 'bytes=4096-', 'bytes=4096-'])
})

test('if a file server ignores ranges, the download continues with the whole file and skips the bytes that it already has', async () => {
  const { file } = fileOf((_from, index) => partial(0, index === 0 ? 30_000 : 1e9, 'error'))
  assert.deepEqual(await file.bytes(), BYTES)
})

test('every download method rejects bytes that do not match the digest of the result, and saves no file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-save-'))
  const changed = () => {
    const bytes = BYTES.slice()
    bytes[40_000] = 0xff
    return new Response(bytes)
  }
  try {
    for (const [serve, more] of [
      [changed, {}],
      [() => new Response(BYTES), { size: BYTES.length - 1 }],
      [changed, { size: null }],
    ] as const) {
      const { file } = fileOf(serve, more)
      for (const get of [() => file.bytes(), () => file.blob(), () => file.save(join(folder, 'a.webp'))]) {
        await assert.rejects(get(), IntegrityError)
      }
    }
    assert.deepEqual(await readdir(folder), [])
    const { file } = fileOf(() => partial(0, 1e9, 'close'))
    await file.save(join(folder, 'a.webp'))
    assert.deepEqual(new Uint8Array(await readFile(join(folder, 'a.webp'))), BYTES)
    assert.deepEqual(await readdir(folder), ['a.webp'])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('save() overwrites a regular file, but not a device or a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-save-'))
  try {
    const { file } = fileOf(() => partial(0, 1e9, 'close'))
    await writeFile(join(folder, 'a.webp'), 'old')
    await file.save(join(folder, 'a.webp'))
    assert.deepEqual(new Uint8Array(await readFile(join(folder, 'a.webp'))), BYTES)
    for (const path of [folder, '/dev/null']) await assert.rejects(file.save(path), /is not a regular file/)
    assert.deepEqual(await readdir(folder), ['a.webp'])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test("downloading a file that the service has deleted fails with the service's error, without another attempt", async () => {
  const { status, body } = scriptedRejection(410, 'gone', 'result_expired')
  const { file, ranges } = fileOf(() => Response.json(body, { status }))
  await assert.rejects(file.bytes(), (error: unknown) => error instanceof GoneError && error.code === 'result_expired')
  assert.equal(ranges.length, 1)
})

test('aborting the AbortSignal of a download, or canceling its stream, stops the download and leaves no connection and no timer', async () => {
  let canceled = 0
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(BYTES),
        cancel() {
          canceled += 1
        },
      }),
    )
  const controller = new AbortController()
  const first = fileOf(endless, { size: null })
  const reader = first.file.stream({ signal: controller.signal }).getReader()
  await reader.read()
  controller.abort(new Error('enough'))
  await assert.rejects(async () => {
    for (;;) await reader.read()
  }, /enough/)
  const second = fileOf(endless, { size: null })
  const other = second.file.stream().getReader()
  await other.read()
  await other.cancel()
  assert.deepEqual([canceled, first.clock.timers, second.clock.timers], [2, 0, 0])
})

test('JSON.stringify() of a result file returns the fields of the file in the API response, without the methods of the client', () => {
  const { file } = fileOf(() => new Response(null))
  assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(file))), ['url', 'url_expires_at', 'format', 'size', 'sha256'])
})

test('the Blob of a file has the content type of its format', async () => {
  for (const [format, type] of Object.entries(CONTENT_TYPES)) {
    const { file } = fileOf(() => new Response(BYTES), { format })
    assert.equal((await file.blob()).type, type, format)
  }
})
