import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedService } from '@mediamill/lab/support/service'

const ORIGIN = 'https://app.example.com'
const service = await sharedService({
  workers: false,
  settings: { CORS_ORIGINS: `${ORIGIN},http://localhost:5173` },
})
const { call, account } = service
const key = { authorization: `Bearer ${account.liveKey}` }

const ask = (url: string, method: string, headers: Record<string, string>) => fetch(url, { method, headers })
const grants = ({ headers }: { headers: Headers }) =>
  [...headers].filter(([name]) => name.startsWith('access-control-')).map(([name]) => name)

test('a page of an origin in CORS_ORIGINS can call the API with a key, and read errors and headers [api.cors.1]', async () => {
  for (const origin of [ORIGIN, 'http://localhost:5173']) {
    const preflight = await ask(`${service.url}/v1/images/process`, 'OPTIONS', {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key,prefer',
    })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), origin)
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /\bPOST\b.*\bPUT\b.*\bDELETE\b/)
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(', ') ?? []
    for (const name of ['authorization', 'content-type', 'idempotency-key', 'prefer']) assert.ok(allowed.includes(name))
    for (const [path, status] of [
      ['/v1/account', 200],
      ['/v1/requests?limit=0', 422],
      ['/v1/requests/99', 404],
      ['/v1/nothing', 404],
    ] as const) {
      const response = await call('GET', path, { headers: { origin } })
      assert.equal(response.status, status, path)
      assert.equal(response.headers.get('access-control-allow-origin'), origin)
      assert.equal(response.headers.get('vary'), 'Origin')
      assert.match(response.headers.get('access-control-expose-headers') ?? '', /Location, Preference-Applied/)
    }
  }
  const keyless = await call('GET', '/v1/account', { key: null, headers: { origin: ORIGIN } })
  assert.deepEqual([keyless.status, keyless.headers.get('access-control-allow-origin')], [401, ORIGIN])
})

test('CORS allows no other origins, no cookies, and no paths outside /v1 [api.cors.1]', async () => {
  for (const origin of ['https://evil.example', `${ORIGIN}.evil.example`, 'http://app.example.com', 'null', '']) {
    const preflight = await ask(`${service.url}/v1/requests`, 'OPTIONS', {
      origin,
      'access-control-request-method': 'GET',
    })
    assert.deepEqual([preflight.status, grants(preflight)], [404, []], origin)
    assert.deepEqual(grants(await call('GET', '/v1/account', { headers: { origin } })), [], origin)
  }
  const credentials = (await call('GET', '/v1/account', { headers: { origin: ORIGIN } })).headers
  assert.equal(credentials.get('access-control-allow-credentials'), null)
  assert.deepEqual(grants(await ask(`${service.url}/metrics`, 'GET', { origin: ORIGIN })), [])
})

test('CORS allows no page of another origin if CORS_ORIGINS is not set [api.cors.1]', async () => {
  const plain = await service.another({ corsOrigins: [] })
  const preflight = await ask(`${plain}/v1/requests`, 'OPTIONS', {
    ...key,
    origin: ORIGIN,
    'access-control-request-method': 'GET',
  })
  assert.deepEqual([preflight.status, grants(preflight), preflight.headers.get('vary')], [404, [], null])
  const response = await ask(`${plain}/v1/account`, 'GET', { ...key, origin: ORIGIN })
  assert.deepEqual([response.status, grants(response), response.headers.get('vary')], [200, [], null])
})

test('if the origin of an upload contains the default port, pages whose origin omits the port can send the upload [uploads.url.2]', async () => {
  const { body: upload } = await call('POST', '/v1/uploads', {
    body: { size: 100, origin: 'https://port.example:443' },
  })
  const preflight = await ask(upload.upload_url, 'OPTIONS', {
    origin: 'https://port.example',
    'access-control-request-method': 'PUT',
  })
  assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://port.example')
})

test('a signed upload URL allows only the origin of its upload, whether CORS_ORIGINS contains it or not [uploads.url.2]', async () => {
  for (const origin of [ORIGIN, 'https://other.example.com']) {
    const { body: upload } = await call('POST', '/v1/uploads', { body: { size: 100, origin } })
    const preflight = await ask(upload.upload_url, 'OPTIONS', {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'content-type,tus-resumable,upload-offset',
    })
    assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, origin])
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /\bPUT\b.*\bPATCH\b/)
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Tus-Resumable, Upload-Offset/)
    assert.equal(preflight.headers.get('tus-resumable'), '1.0.0')
    const elsewhere = await ask(upload.upload_url, 'OPTIONS', {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'PUT',
    })
    assert.deepEqual(grants(elsewhere), [])
  }
})
