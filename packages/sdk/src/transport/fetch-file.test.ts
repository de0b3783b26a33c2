import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { Mediamill, sendUpload } from '../index.ts'

const SIZE = 1_000_000
const STEP = 65_536

async function uploadServer() {
  const received: { length: string | undefined; bytes: number }[] = []
  const server = await startHttpServer((call, response) => {
    let bytes = 0
    call.on('data', (piece: Buffer) => (bytes += piece.length))
    call.on('end', () => {
      if (call.method !== 'HEAD') received.push({ length: call.headers['content-length'], bytes })
      response.setHeader('upload-offset', String(call.method === 'HEAD' ? 0 : bytes))
      response.end(call.method === 'POST' ? JSON.stringify({ id: 'upl_1', source: 'upload:upl_1' }) : undefined)
    })
  })
  return { ...server, received }
}

function assertSteps(seen: readonly [number, number][]): void {
  assert.ok(seen.length >= Math.floor(SIZE / STEP), `${seen.length} reports`)
  assert.deepEqual(seen.at(-1), [SIZE, SIZE])
  for (const [index, [sent, size]] of seen.entries()) {
    const before = seen[index - 1]?.[0] ?? 0
    assert.ok(size === SIZE && sent > before - 1 && sent - before <= STEP, `report ${index}: ${before} to ${sent}`)
  }
}

test('upload progress is reported every 64 kB, and the call has a Content-Length', async () => {
  await using server = await uploadServer()
  const client = new Mediamill({ baseUrl: server.url, apiKey: 'a' })
  const file = new Blob([new Uint8Array(SIZE)])
  const seen: [number, number][] = []
  await client.uploads.create(file, { onProgress: (...step) => seen.push(step) })
  assertSteps(seen)
  const chunked: [number, number][] = []
  await sendUpload(`${server.url}/content`, file, { onProgress: (...step) => chunked.push(step) })
  assertSteps(chunked)
  const expected = { length: String(SIZE), bytes: SIZE }
  assert.deepEqual(server.received, [expected, expected])
})

test('a browser sends a file by XMLHttpRequest, which reports progress and stops with its signal', async (t) => {
  const sent: unknown[] = []
  class Xhr {
    upload: { onprogress?: (event: { loaded: number }) => void } = {}
    status = 204
    responseText = ''
    onload?: () => void
    onabort?: () => void
    onloadend?: () => void
    open(...given: unknown[]) {
      sent.push(given)
    }
    setRequestHeader() {}
    getAllResponseHeaders = () => 'upload-offset: 10\r\ncontent-type: text/plain\r\n'
    send(body: Blob) {
      if (sent.length > 1) return
      this.upload.onprogress?.({ loaded: body.size / 2 })
      this.onload?.()
      this.onloadend?.()
    }
    abort() {
      this.onabort?.()
      this.onloadend?.()
    }
  }
  const scope = globalThis as { XMLHttpRequest?: unknown }
  scope.XMLHttpRequest = Xhr
  const { fetch } = globalThis
  globalThis.fetch = async () => new Response(null, { headers: { 'upload-offset': '0' } })
  t.after(() => {
    delete scope.XMLHttpRequest
    globalThis.fetch = fetch
  })
  const seen: number[] = []
  const onProgress = (bytes: number) => seen.push(bytes)
  await sendUpload('https://m.example/content', new Blob(['0123456789']), { onProgress })
  assert.deepEqual(seen, [0, 5, 10])
  assert.deepEqual(sent, [['PATCH', 'https://m.example/content']])
  const controller = new AbortController()
  const stopped = sendUpload('https://m.example/content', new Blob(['0123456789']), {
    onProgress: () => queueMicrotask(() => controller.abort(new Error('enough'))),
    signal: controller.signal,
  })
  await assert.rejects(stopped, /enough/)
})
