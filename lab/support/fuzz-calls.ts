import { OUTPUT_FORMATS } from '@mediamill/contract/domain/media'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import type { Random } from './random.ts'

/** The bytes of an HTTP call. `head` is true for a HEAD call, whose response has no body. */
type WireCall = { bytes: Buffer; head: boolean }

type List<Item> = readonly [Item, ...Item[]]

/** Values that often cause errors: limits of parameters, values that exceed them by one, and unusual values. */
const VALUES: List<() => unknown> = [
  () => null,
  () => true,
  () => -1,
  () => 0,
  () => -0,
  () => 1,
  () => 1.5,
  () => 20,
  () => 100,
  () => 101,
  () => 20_000,
  () => 20_001,
  () => 2 ** 31,
  () => 2 ** 53,
  () => 1e308,
  () => '',
  () => 'a',
  () => '\u0000',
  () => '\ud800',
  () => '😀'.repeat(65),
  () => 'x'.repeat(2049),
  () => '1; drop table requests',
  () => '#fff',
  () => 'https://1.1.1.1/a.jpg',
  () => 'http://127.0.0.1/',
  () => 'http://user:pass@1.1.1.1/',
  () => 'https://1.1.1.1:8443/',
  () => 'ftp://1.1.1.1/',
  () => 'https://name.invalid/',
  () => 'http://[::1]/',
  () => '//1.1.1.1',
  () => 'resize',
  () => 'jpg',
  () => 'infinity',
  () => [],
  () => [[]],
  () => [null],
  () => ({}),
  () => ({ type: 'resize', width: 1, height: 1 }),
  () => JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{}}}'),
  () => Array.from({ length: 21 }, () => ({ type: 'grayscale' })),
  () => Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'v'])),
]

const NAMES: List<string> = [
  'type',
  'x',
  'width',
  '__proto__',
  'constructor',
  'toString',
  '',
  '\u0000',
  '\udfff',
  'a.b',
]

const OPERATIONS: List<() => Record<string, unknown>> = [
  () => ({ type: 'resize', width: 10, height: 10 }),
  () => ({ type: 'crop', x: 0, y: 0, width: 1, height: 1 }),
  () => ({ type: 'watermark', image_url: 'https://1.1.1.1/a.png', x: 0, y: 0, tile_spacing_x: 0.5 }),
  () => ({ type: 'border', top: 1, bottom: 1, left: 1, right: 1, color: '#fff' }),
  () => ({ type: 'filter', name: 'lomo' }),
  () => ({ type: 'rotate', degrees: 90 }),
  () => ({ type: 'compress', quality: 80 }),
]

const FORMATS: List<string> = [...OUTPUT_FORMATS.image, ...OUTPUT_FORMATS.video, ...OUTPUT_FORMATS.document]

function body(random: Random, path: string): Record<string, unknown> {
  const made: Record<string, unknown> = { source: 'https://1.1.1.1/a.jpg' }
  if (path.endsWith('/process') !== random.chance(0.1)) {
    made['operations'] = Array.from({ length: random.integer(1, 3) }, () => random.pick(OPERATIONS)())
  }
  if (random.chance(0.1)) made['output'] = { format: random.pick(FORMATS) }
  if (random.chance(0.2)) made['customer'] = 'c-1'
  if (random.chance(0.2)) made['metadata'] = { a: 'b' }
  if (path.endsWith('/screenshot')) made['seconds'] = random.integer(-1, 86_401)
  if (path.endsWith('/snapshot')) made['page'] = random.integer(0, 2001)
  if (random.chance(0.2)) made['webhook_url'] = 'https://1.1.1.1/hook'
  return made
}

/** Replaces a random value in a body by an invalid value, adds an unknown key, or removes a value. */
function mutate(random: Random, value: unknown): unknown {
  if (random.chance(0.15)) return random.pick(VALUES)()
  if (typeof value !== 'object' || value === null) return random.chance(0.5) ? random.pick(VALUES)() : value
  const keys = Object.keys(value)
  const key = keys[random.below(keys.length)]
  const items = Array.isArray(value) ? [...value] : { ...value }
  const at = items as Record<string, unknown>
  if (random.chance(0.2)) {
    Object.defineProperty(at, Array.isArray(items) ? String(items.length) : random.pick(NAMES), {
      value: random.pick(VALUES)(),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  } else if (key !== undefined) {
    if (random.number() < 0.2) delete at[key]
    else at[key] = mutate(random, at[key])
  }
  return items
}

/** Converts a value to JSON. Sometimes returns invalid JSON, or valid JSON that `JSON.stringify` never produces. */
function textOf(random: Random, value: unknown): Buffer {
  const text = JSON.stringify(value) ?? ''
  const at = random.integer(0, text.length)
  switch (random.integer(0, 40)) {
    case 0:
      return Buffer.from(text.slice(0, at))
    case 1:
      return Buffer.from(
        `${text.slice(0, at)}${random.pick(['"', '{', ']', ',', '\\', '\u0000', 'e9'])}${text.slice(at)}`,
      )
    case 2:
      return Buffer.from(`${text.slice(0, -1)},"source":"https://1.1.1.1/b.jpg","source":1}`)
    case 3:
      return Buffer.from(`${'['.repeat(random.integer(49, 5000))}${text}`)
    case 4:
      return Buffer.from(`${'{"a":'.repeat(51)}1${'}'.repeat(51)}`)
    case 5:
      return Buffer.from(
        text.replace(/\d+/, random.pick(['1e400', '-0', '1.0', '1E5', '0x10', '9'.repeat(400), 'NaN'])),
      )
    case 6:
      return Buffer.from(Array.from({ length: random.integer(0, 300) }, () => random.integer(0, 255)))
    case 7:
      return Buffer.from(text, 'utf16le')
    case 8:
      return Buffer.from(`${text.slice(0, -1)},"k\\ud800":"\\u0000"}`)
    default:
      return Buffer.from(text)
  }
}

const IDS: List<string> = [
  '1',
  '0',
  '-1',
  '01',
  '1e3',
  '1.0',
  '9'.repeat(19),
  '9'.repeat(400),
  'abc',
  '%00',
  '%zz',
  '%20',
  '',
  '..',
  '1;2',
]
const NUMBERS: List<string> = [
  '1',
  '0',
  '-1',
  '100',
  '101',
  '',
  'x',
  '1e9',
  '9'.repeat(30),
  '1.5',
  '%31',
  'null',
  '+1',
  '2026-02-30',
  'infinity',
]
const DATES: List<string> = [
  '2026-11-01',
  '2026-02-30',
  'infinity',
  'now',
  '2024-1-1',
  '0000-01-01',
  '9999-12-31',
  '9999-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00%2B14:00',
  '2026-11-01%00',
  '',
]
const PARAMETERS: List<string> = [
  'x',
  'constructor',
  '__proto__',
  'toString',
  'metadata[__proto__]',
  'limit[]',
  'status[a]',
  '%00',
  '',
]

function target(random: Random): string {
  const id = () => random.pick(IDS)
  const number = () => random.pick(NUMBERS)
  const date = () => random.pick(DATES)
  const group = () => random.pick(['day', 'endpoint', 'customer', 'status', 'x', '', '__proto__'])
  return random.pick([
    () => `/v1/requests?limit=${number()}&before=${number()}&x=${id()}`,
    () => `/v1/requests?created_from=${date()}&created_to=${date()}&${random.pick(PARAMETERS)}=${id()}`,
    () => `/v1/events?after=${id()}&request_id=${id()}&${random.pick(PARAMETERS)}=1`,
    () => `/v1/templates?after=${id()}&limit=${number()}&${random.pick(PARAMETERS)}=1`,
    () => `/v1/${random.pick(['templates', 'uploads', 'stamps', 'requests'])}/${id()}`,
    () => `/v1/requests/${id()}`,
    () => `/v1/requests/${id()}/abort`,
    () => `/v1/results/${id()}?expires=${number()}&signature=${id()}`,
    () => `/v1/files/${id()}/${id()}?expires=${number()}&signature=${id()}&sha256=${id()}`,
    () => `/v1/usage?from=${date()}&to=${date()}&group_by=${group()}&customer=${id()}`,
    () => `/v1/usage?group_by=${group()}&customer=${'x'.repeat(random.integer(60, 70))}`,
    () =>
      random.pick(['/v1/account', '/v1/operations', '/v1/openapi.json', '/docs', '/livez', '/readyz', '/v1/account/']),
    () =>
      random.pick([
        '/',
        '*',
        '//',
        '/v1',
        '/v2/account',
        '/v1/%2e%2e/account',
        '/%',
        '/v1/requests/%E0%A4%A',
        'http://x/v1/account',
      ]),
  ])()
}

export function randomCall(random: Random, keys: List<string>): WireCall {
  const posts = random.chance(0.65)
  const endpoint = ENDPOINTS[random.below(ENDPOINTS.length)]?.name ?? ''
  const path = posts && !random.chance(0.05) ? `/v1/${endpoint}` : target(random)
  const method = posts
    ? 'POST'
    : random.pick(['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'QUERY', 'BREW'])
  let value: unknown = body(random, path)
  for (let times = random.pick([0, 1, 1, 2]); times > 0; times -= 1) value = mutate(random, value)
  const sent = posts || random.chance(0.2) ? textOf(random, value) : Buffer.alloc(0)
  const headers: string[] = []
  const add = (probability: number, name: string, values: List<string>) => {
    if (random.chance(probability)) headers.push(`${name}: ${random.pick(values)}`)
  }
  add(0.98, 'Host', ['x', '', '127.0.0.1:80', 'ü'])
  if (random.chance(0.9)) headers.push(`Authorization: Bearer ${random.pick(keys)}`)
  else
    add(0.7, 'Authorization', [
      '',
      'Bearer',
      'Bearer x',
      'Basic eDp5',
      'Bearer svc_live_',
      `Bearer ${'k'.repeat(3000)}`,
      'Bearer é',
    ])
  if (sent.length > 0 && random.chance(0.9)) headers.push('Content-Type: application/json')
  else
    add(0.5, 'Content-Type', [
      '',
      'text/plain',
      'application/json; charset=utf-16',
      'application/json;;',
      'x',
      'multipart/form-data',
    ])
  add(0.03, 'Content-Encoding', ['gzip', 'identity', ''])
  add(0.2, 'Idempotency-Key', [
    String(random.number()),
    'a',
    'b',
    '',
    'x'.repeat(255),
    'x'.repeat(256),
    'é',
    '\u0001',
    "'",
  ])
  add(0.03, 'Expect', ['100-continue', 'rain'])
  add(0.02, 'Upgrade', ['websocket'])
  add(0.02, 'X-Large', ['y'.repeat(17_000)])
  add(0.02, 'Range', ['bytes=0-1', 'bytes=9-1', 'x'])
  if (random.chance(0.03)) headers.push(`Content-Length: ${random.pick(['x', '-1', '5 5', '1e3'])}`)
  else if (random.chance(0.05)) return chunked(method, path, headers, sent)
  else if (sent.length > 0) headers.push(`Content-Length: ${sent.length}`)
  const start = Buffer.from(`${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1')
  return { bytes: Buffer.concat([start, sent]), head: method === 'HEAD' }
}

function chunked(method: string, path: string, headers: string[], sent: Buffer): WireCall {
  const start = `${method} ${path} HTTP/1.1\r\n${[...headers, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n`
  const chunk = sent.length > 0 ? [Buffer.from(`${sent.length.toString(16)}\r\n`), sent, Buffer.from('\r\n')] : []
  return {
    bytes: Buffer.concat([Buffer.from(start, 'latin1'), ...chunk, Buffer.from('0\r\n\r\n')]),
    head: method === 'HEAD',
  }
}
