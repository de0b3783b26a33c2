import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { minCpuMs } from '@mediamill/lab/support/min-cpu-ms'
import { openRawConnection } from '@mediamill/lab/support/raw-http'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { openDiskStore } from '../../src/store/disk.ts'
import { deriveLinkKeys, filePath } from '../../src/store/link.ts'

const STRIPE_WEBHOOK_SECRET = 'whsec_0123456789abcdef'

const service = await sharedService({
  workers: false,
  settings: {
    STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET,
    CORS_ORIGINS: 'https://app.example',
  },
})
const { account, call } = service
const port = Number(new URL(service.url).port)

/** The length of a long header. Node.js accepts 16 KB for the URL and all headers. */
const FILL_BYTES = 15_000

/** The maximum CPU time of a call. A harmless call needs 5 ms, a call with a quadratic regular expression 200 ms. */
const MAX_CPU_MS = 50

const FILLS = [
  ...' \t\xa0,;="\\\xff*-./:@%',
  'a',
  '0',
  'a,',
  'a;',
  'a=',
  '", ',
  ' ,',
  '\\"',
  '://',
  'W/',
  'text/markdown,',
  'text/html;',
  '00-',
]

const upload = (await call('POST', '/v1/uploads', { body: { size: 1_000_000 } })).body
const file = { key: `${'0'.repeat(40)}.png`, name: '1.png', sha256: 'a'.repeat(64) }
const store = await openDiskStore(join(service.dataDir, 'results'))
await store.write(file.key, Readable.from([Buffer.from('image')]))
const fileUrl = filePath(deriveLinkKeys([SECRET_KEY]), file, new Date(Date.now() + 600_000))
const patch = `PATCH ${new URL(upload.upload_url).pathname}${new URL(upload.upload_url).search}`
const stripeTime = Math.floor(Date.now() / 1000)
const stripeSignature = createHmac('sha256', STRIPE_WEBHOOK_SECRET).update(`${stripeTime}.{}`).digest('hex')

const HEADERS: readonly (readonly [header: string, target: string, beginnings: readonly string[]])[] = [
  ['Authorization', 'GET /', ['', 'Bearer', 'Bearer x']],
  ['Authorization', 'GET /v1/account', ['Bearer']],
  ['Authorization', 'POST /mcp', ['Bearer']],
  ['Prefer', 'GET /v1/events', ['', 'wait=x', 'wait="x']],
  ['If-None-Match', `GET ${fileUrl}`, ['', 'a', 'W/"a"']],
  ['If-Range', `GET ${fileUrl}`, ['', '"a"']],
  ['Range', `GET ${fileUrl}`, ['', 'bytes=', 'bytes=1-']],
  ['Accept', 'GET /docs', ['', 'text/markdown', 'text/html']],
  ['Accept', 'GET /', ['', 'text/html', 'text/html;q=']],
  ['Accept', 'POST /mcp', ['', 'text/event-stream']],
  ['Accept-Encoding', 'GET /docs/search.json', ['', 'gzip']],
  [
    'Content-Type',
    'POST /v1/images/read',
    ['', 'application/json', 'application/json; charset=', 'multipart/form-data'],
  ],
  ['Content-Type', 'POST /console/api/sign-in-links', ['', 'application/json']],
  ['Content-Type', `${patch}`, ['', 'application/offset+octet-stream']],
  ['Content-Encoding', 'POST /v1/images/read', ['', 'gzip']],
  ['Content-Length', 'POST /v1/images/read', ['', '1']],
  ['Transfer-Encoding', 'POST /v1/images/read', ['', 'chunked']],
  ['Cookie', 'GET /console/api/session', ['', 'mediamill', 'mediamill=']],
  ['Idempotency-Key', 'POST /v1/images/read', ['', 'a']],
  [
    'Stripe-Signature',
    'POST /console/api/stripe/webhook',
    ['', 't=', `t=${stripeTime},v1=`, `t=${stripeTime},v1=${stripeSignature}x,`],
  ],
  ['Tus-Resumable', patch, ['', '1.0.0']],
  ['Upload-Offset', patch, ['', '0']],
  ['Upload-Length', patch, ['', '1']],
  ['Upload-Metadata', patch, ['', 'filename ']],
  ['Upload-Checksum', patch, ['', 'sha1', 'sha1 ']],
  ['X-HTTP-Method-Override', patch, ['', 'PATCH']],
  ['Traceparent', 'GET /v1/account', ['', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`]],
  ['Tracestate', 'GET /v1/account', ['', 'a=']],
  ['X-Forwarded-For', 'GET /console/api/session', ['', '1.2.3.4']],
  ['X-Forwarded-Proto', 'GET /console/api/session', ['', 'https']],
  ['Forwarded', 'GET /console/api/session', ['', 'for=']],
  ['Origin', 'GET /v1/account', ['', 'https://']],
  ['Origin', 'POST /mcp', ['', 'https://']],
  ['Origin', 'POST /console/api/sign-in-links', ['', 'https://']],
  ['Access-Control-Request-Method', 'OPTIONS /v1/account', ['', 'GET']],
  ['Host', 'POST /console/api/sign-in-links', ['', 'localhost', '127.0.0.1:', '[::1']],
  ['Sec-Fetch-Site', 'POST /console/api/sign-in-links', ['', 'same-origin']],
  ['Last-Event-ID', 'GET /v1/requests/1/events', ['', '1']],
  ['User-Agent', 'POST /console/api/session', ['', 'x']],
  ['Mediamill-Mode', 'GET /console/api/session', ['', 'live']],
  ['Expect', 'POST /v1/images/read', ['', '100-continue']],
  ['Upgrade', 'GET /v1/account', ['', 'h2c']],
  ['Connection', 'GET /v1/account', ['', 'close']],
]

for (const [header, target, beginnings] of HEADERS) {
  test(`a call to ${target.split('?', 1)[0]} with 15 KB in its header ${header} uses less than ${MAX_CPU_MS} ms of processor time`, async () => {
    const slow: string[] = []
    for (const beginning of beginnings) {
      for (const fill of FILLS) {
        for (const end of ['x', '\xa0']) {
          const value = beginning + fill.repeat(Math.ceil(FILL_BYTES / fill.length)).slice(0, FILL_BYTES) + end
          const ms = await minCpuMs(() => send(bytesOf(target, header, value)), MAX_CPU_MS)
          if (ms > MAX_CPU_MS) slow.push(`${JSON.stringify([beginning, fill, end])}: ${Math.round(ms)} ms`)
        }
      }
    }
    assert.deepEqual(slow, [])
  })
}

function bytesOf(target: string, header: string, value: string): Buffer {
  const body = target.startsWith('GET') || target.startsWith('OPTIONS') ? '' : '{}'
  const others: Record<string, string> = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${account.liveKey}`,
    ...(body !== '' && { 'content-type': 'application/json', 'content-length': '2' }),
    ...(target.startsWith('PATCH') && {
      'content-type': 'application/offset+octet-stream',
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
    }),
    ...(target.includes('/console/') && { 'sec-fetch-site': 'same-origin' }),
  }
  const lines = Object.entries(others).filter(([name]) => name !== header.toLowerCase())
  const head = [...lines, [header, value] as const, ['connection', 'close'] as const].map(
    ([name, text]) => `${name}: ${text}`,
  )
  return Buffer.from(`${target} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`, 'latin1')
}

async function send(bytes: Buffer): Promise<void> {
  using wire = openRawConnection(port)
  await wire.send(bytes).catch(() => undefined)
}
