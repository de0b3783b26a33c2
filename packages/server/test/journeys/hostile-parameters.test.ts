import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROUTES } from '@mediamill/contract/routes'
import { CONSOLE_ROUTES, signedIn } from '@mediamill/lab/support/browser'
import { sharedService } from '@mediamill/lab/support/service'

const STRIPE = { STRIPE_SECRET_KEY: 'sk_test_0123456789', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789' }

const logged: { level: number; msg: string }[] = []
const service = await sharedService({
  workers: false,
  settings: { ...STRIPE, LOG_LEVEL: 'error' },
  logTo: { write: (line) => void logged.push(JSON.parse(line) as { level: number; msg: string }) },
})
const operator = await signedIn(service, { kind: 'operator' })
const { id: account, liveKey } = service.account

const VALUES = [
  '%00',
  'a%00b',
  '1%00',
  'upl_%00',
  'evt_%00',
  '%ED%A0%80',
  '%FF',
  '%C3',
  '%',
  '9'.repeat(400),
  '9007199254740993',
  '99999999999999999999',
  '2147483648',
  '-1',
  '1e400',
  'NaN',
  '0x10',
  '__proto__',
  "'",
  '%F0%9F%98%80',
  '0001-01-01',
  '999999-01-01',
  'a'.repeat(4_000),
]

type Target = { method: string; path: string; query: readonly string[] }

function urlsOf({ path, query }: Target, value: string): string[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([braced]) => braced)
  const plain = names.reduce((url, name) => url.replace(name, '1'), path)
  const inPath = names.map((name) => path.replace(name, value).replaceAll(/\{\w+\}/g, '1'))
  return [...inPath, ...query.flatMap((name) => [`${plain}?${name}=${value}`, `${plain}?${name}[${value}]=${value}`])]
}

const TARGETS: readonly Target[] = [...ROUTES, ...CONSOLE_ROUTES].map(({ method, path, query }) => ({
  method: method.toUpperCase(),
  path,
  query: Object.keys(query?.shape ?? {}),
}))

test('no value of a path or query parameter of any route leads to a 5xx response', async () => {
  const failed: string[] = []
  for (const target of TARGETS) {
    for (const value of VALUES) {
      for (const url of urlsOf(target, value)) {
        const status = await statusOf(target.method, url)
        if (status >= 500) failed.push(`${target.method} ${url.slice(0, 200)}: ${status}`)
      }
    }
  }
  assert.deepEqual(failed, [])
  assert.ok(TARGETS.length > 50, String(TARGETS.length))
})

async function statusOf(method: string, url: string, headers: Record<string, string> = {}): Promise<number> {
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
  const isConsole = url.startsWith('/console/')
  const ofAccount = isConsole && !url.includes('account=') ? `${url.includes('?') ? '&' : '?'}account=${account}` : ''
  const response = await fetch(service.url + url + ofAccount, {
    method,
    redirect: 'manual',
    headers: {
      ...(isConsole
        ? { cookie: operator.cookie ?? '', 'sec-fetch-site': 'same-origin' }
        : { authorization: `Bearer ${liveKey}` }),
      ...(hasBody && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(hasBody && { body: '{}' }),
  })
  await response.body?.cancel()
  return response.status
}

const HEADERS = [
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-type',
  'cookie',
  'idempotency-key',
  'if-none-match',
  'if-range',
  'last-event-id',
  'mediamill-mode',
  'origin',
  'prefer',
  'range',
  'stripe-signature',
  'traceparent',
  'tracestate',
  'tus-resumable',
  'upload-checksum',
  'upload-offset',
  'user-agent',
  'x-forwarded-for',
  'x-http-method-override',
]

const HEADER_VALUES = [
  '',
  '\xff\xfe',
  '\xed\xa0\x80',
  '9'.repeat(400),
  '-1',
  'NaN',
  '1e400',
  't=NaN,v1=',
  `t=1,${'v1=,'.repeat(3_000)}`,
  ','.repeat(1_000),
  '=;=',
  '"',
  '\\',
  '__proto__',
  'constructor',
]

test('no header value leads to a 5xx response or an error in the log', async () => {
  const failed: string[] = []
  for (const target of [
    'GET /v1/requests/1',
    'GET /v1/requests/1/events',
    'GET /v1/events',
    'GET /v1/results/1',
    'GET /docs',
    'POST /v1/images/read',
    'POST /v1/uploads',
    'PATCH /v1/uploads/upl_0/content',
    'POST /mcp',
    'GET /console/api/session',
    'POST /console/api/stripe/webhook',
  ]) {
    const [method = '', path = ''] = target.split(' ')
    for (const header of HEADERS) {
      for (const value of HEADER_VALUES) {
        const status = await statusOf(method, path, { [header]: value })
        if (status >= 500) failed.push(`${target} ${header}: ${value.slice(0, 40)}: ${status}`)
      }
    }
  }
  assert.deepEqual(failed, [])
  assert.deepEqual(logged, [])
})

test('an empty or repeated Stripe signature is rejected with 403', async () => {
  for (const signature of ['t=NaN,v1=', 't=1,v1=', 't=,v1=', `t=1,${'v1=,'.repeat(3_000)}`]) {
    const response = await fetch(`${service.url}/console/api/stripe/webhook`, {
      method: 'POST',
      headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
      body: '{}',
    })
    assert.equal(response.status, 403, signature.slice(0, 40))
  }
})
