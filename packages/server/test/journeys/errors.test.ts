import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyResponse } from '@mediamill/lab/support/fuzz'
import { openRawConnection } from '@mediamill/lab/support/raw-http'
import { sharedService } from '@mediamill/lab/support/service'

const service = await sharedService({ workers: false })
const { call, account } = service
const port = Number(new URL(service.url).port)

async function outcomeOf(bytes: string | Buffer): Promise<string> {
  using wire = openRawConnection(port)
  return classifyResponse(await wire.send(bytes))
}

test('an unknown path or method returns 404 not_found, with and without a key [api.paths.1]', async () => {
  const unknown = [
    ['GET', '/'],
    ['GET', '/v1'],
    ['GET', '/v2/account'],
    ['GET', '/v1/account/'],
    ['GET', '/V1/account'],
    ['POST', '/v1/account'],
    ['DELETE', '/v1/requests/1'],
    ['PUT', '/v1/images/process'],
    ['GET', '/v1/images/process'],
    ['OPTIONS', '/v1/account'],
    ['GET', '/v1/requests/%zz'],
    ['POST', '/v1/images'],
  ] as const
  for (const key of [null, account.liveKey]) {
    for (const [method, path] of unknown) {
      const { status, body, headers } = await call(method, path, { key })
      assert.deepEqual([status, body.error.type, body.error.code], [404, 'not_found', 'not_found'], `${method} ${path}`)
      assert.equal(body.error.request_id, headers.get('request-id'))
    }
  }
  assert.equal((await call('POST', '/v1/nothing', { key: null, body: '{' })).body.error.code, 'not_found')
  for (const method of ['BREW', 'TRACE', 'QUERY', 'PROPFIND']) {
    assert.equal(await outcomeOf(`${method} /v1/account HTTP/1.1\r\nHost: x\r\n\r\n`), '404 not_found', method)
  }
  assert.equal(await outcomeOf('CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n'), '404 not_found')
})

test('a call to an unknown path counts toward the rate limit of its key, and a call without a key gets no rate limit headers [limits.rate.1]', async () => {
  for (const path of ['/v1/nothing', '/']) {
    const counted = await call('GET', path)
    assert.ok(Number(counted.headers.get('x-ratelimit-remaining')) > 0, path)
    assert.equal((await call('GET', path, { key: null })).headers.get('x-ratelimit-remaining'), null, path)
  }
})

test('a request id that is not an integer, of any length, returns 404 request_not_found [auth.scope.2]', async () => {
  const ids = ['abc', '0', '-1', '01', '1e3', '1.0', '+1', '%31x', '9'.repeat(16), '9'.repeat(19), '9'.repeat(4000)]
  const responses = []
  for (const id of [...ids, '123456']) {
    for (const [method, path] of [
      ['GET', `/v1/requests/${id}`],
      ['POST', `/v1/requests/${id}/abort`],
    ] as const) {
      const { status, body } = await call(method, path)
      assert.deepEqual([status, body.error.code], [404, 'request_not_found'], id.slice(0, 30))
      responses.push(JSON.stringify({ ...body.error, request_id: '' }))
    }
  }
  assert.equal(new Set(responses).size, 1)
})

test('a body that is compressed, too deeply nested, too long, or of another type returns 422, and the connection stays open [api.body.1, api.body.2]', async () => {
  const body = JSON.stringify({ source: 'https://1.1.1.1/a.jpg' })
  const rejected: [Record<string, string>, string][] = [
    [{ 'content-type': 'text/plain' }, body],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'source=a'],
    [{ 'content-type': 'application/json; charset=iso-8859-1' }, body],
    [{ 'content-type': 'application/json;charset="utf-16"' }, body],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, body],
    [{ 'content-type': 'application/json', 'content-encoding': 'identity' }, body],
    [{ 'content-type': 'application/json' }, `{"a":${'['.repeat(50)}${']'.repeat(50)}}`],
    [{ 'content-type': 'application/json' }, `{"a":[${'1,'.repeat(10_000)}1]}`],
    [{ 'content-type': 'application/json' }, `{"a":"${'x'.repeat(1024 * 1024)}"}`],
    [{ 'content-type': 'application/json' }, `{"a":"${'x'.repeat(20 * 1024 * 1024)}"}`],
  ]
  for (const [headers, text] of rejected) {
    const { status, body: response } = await call('POST', '/v1/images/read', { headers, body: text })
    assert.deepEqual([status, response.error?.code], [422, 'validation_failed'], JSON.stringify(headers))
    assert.equal(response.error.param, undefined)
  }
  const nested = JSON.stringify({ source: 'x', a: JSON.parse(`${'['.repeat(49)}${']'.repeat(49)}`) })
  assert.equal((await call('POST', '/v1/images/read', { body: nested })).body.error.param, 'a')
  const many = `{"a":[${'1,'.repeat(9_998)}1]}`
  assert.equal((await call('POST', '/v1/images/read', { body: many })).body.error.param, 'a')
  const exact = `{"a":"${'x'.repeat(1024 * 1024 - 8)}"}`
  assert.equal((await call('POST', '/v1/images/read', { body: exact })).body.error.param, 'a')
  const accepted = await call('POST', '/v1/images/read', {
    body,
    headers: { 'content-type': 'Application/JSON; charset=UTF-8' },
  })
  assert.equal(accepted.status, 202)
})

test("an error from Node's HTTP parser has the standard error shape [api.http.1]", async () => {
  for (const line of ['GARBAGE', 'no http', 'GET /v1/account HTTP/x', 'BREW /v1/account', 'BREW /v1/account HTTP/9']) {
    assert.equal(await outcomeOf(`${line}\r\n\r\n`), '422 validation_failed', line)
  }
  assert.equal(await outcomeOf('GET /v1/account HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n'), '422 validation_failed')
  const large = `GET /v1/account HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`
  assert.equal(await outcomeOf(large), '422 validation_failed')
  const length = 'POST /v1/images/read HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n'
  assert.equal(await outcomeOf(length), '422 validation_failed')
  assert.equal(await outcomeOf('GET /v1/account HTTP/1.1\r\n\r\n'), '401 missing_api_key')
  assert.equal(await outcomeOf('GET /v1/account HTTP/1.1\r\nHost: x\r\nExpect: rain\r\n\r\n'), '401 missing_api_key')
  assert.equal(await outcomeOf('GET /v1/account HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n\r\n'), '401 missing_api_key')
  assert.equal(await outcomeOf('GET http://x/v1/account HTTP/1.1\r\nHost: x\r\n\r\n'), '401 missing_api_key')
})

test('every response has its own Request-Id, and a response to a call with a key also has rate limit headers [api.headers.1, limits.rate.2]', async () => {
  const ids = new Set<string>()
  for (const path of ['/v1/account', '/v1/operations', '/v1/requests', '/v1/requests/9', '/v1/usage?from=x']) {
    const { headers } = await call('GET', path)
    ids.add(headers.get('request-id') ?? '')
    assert.match(headers.get('ratelimit-policy') ?? '', /^"calls";q=100000;w=60$/, path)
    assert.match(headers.get('ratelimit') ?? '', /^"calls";r=\d+;t=\d+$/)
    assert.equal(headers.get('x-ratelimit-limit'), '100000')
    const reset = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000
    assert.ok(reset > 0 && reset < 62, String(reset))
  }
  for (const path of ['/livez', '/readyz', '/v1/openapi.json', '/docs', '/nothing']) {
    ids.add((await call('GET', path, { key: null })).headers.get('request-id') ?? '')
  }
  assert.equal(ids.size, 10)
  for (const id of ids) assert.match(id, /^req_[0-9a-f]{24}$/)
})

test('the charset of a body can be UTF-8, under any of its names, or ASCII [api.body.1]', async () => {
  for (const charset of ['utf-8', '"UTF-8"', 'utf8', 'us-ascii']) {
    const headers = { 'content-type': `application/json; charset=${charset}` }
    const { body } = await call('POST', '/v1/images/read', { body: '{}', headers })
    assert.equal(body.error.param, 'source', charset)
  }
})
