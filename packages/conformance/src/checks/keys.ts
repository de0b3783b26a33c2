import { checksOf } from '../kit/check.ts'
import { equal, match, ok } from '../kit/expect.ts'
import type { Kit } from '../kit/kit.ts'

/** Returns the calls of the OpenAPI description that require a key. The checks of keys come before the checks of ids. */
async function keyedCalls(kit: Kit): Promise<{ method: string; path: string }[]> {
  const { body } = await kit.call('GET', '/v1/openapi.json')
  const calls = Object.entries<Record<string, { security?: unknown[] }>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security?.length !== 0)
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, '1') })),
  )
  for (const call of ['POST /v1/images/process', 'GET /v1/requests', 'POST /v1/uploads', 'GET /v1/account']) {
    ok(
      calls.some(({ method, path }) => `${method} ${path}` === call),
      `the OpenAPI document has ${call}`,
    )
  }
  return calls
}

export const KEYS = checksOf([
  {
    title: 'every endpoint requires an API key, and reports a missing or an unknown key',
    rules: ['auth.keys.1', 'auth.keys.5'],
    run: async (kit) => {
      for (const { method, path } of await keyedCalls(kit)) {
        await kit.rejects(kit.call(method, path, { key: null }), 401, 'missing_api_key')
        await kit.rejects(kit.call(method, path, { key: 'svc_live_0000' }), 401, 'invalid_api_key')
      }
      const { headers } = await kit.call('GET', '/v1/account', { key: null })
      equal(headers.get('www-authenticate'), 'Bearer', 'WWW-Authenticate')
      const other = { key: null, headers: { authorization: `Basic ${kit.caller.key}` } }
      await kit.rejects(kit.call('GET', '/v1/account', other), 401, 'missing_api_key')
      const changed = `${kit.caller.key.slice(0, -1)}${kit.caller.key.endsWith('a') ? 'b' : 'a'}`
      await kit.rejects(kit.call('GET', '/v1/account', { key: changed }), 401, 'invalid_api_key')
    },
  },
  {
    title: 'a revoked API key is rejected',
    needs: ['revoked'],
    rules: ['auth.keys.4', 'auth.keys.5'],
    run: async (kit) => {
      for (const { method, path } of (await keyedCalls(kit)).slice(0, 5)) {
        await kit.rejects(kit.call(method, path, { key: kit.key('revoked') }), 401, 'invalid_api_key')
      }
    },
  },
  {
    title: 'every endpoint rejects the API key of a suspended account',
    needs: ['suspended'],
    rules: ['auth.keys.6'],
    run: async (kit) => {
      for (const { method, path } of await keyedCalls(kit)) {
        await kit.rejects(kit.call(method, path, { key: kit.key('suspended') }), 403, 'account_suspended')
      }
    },
  },
  {
    title: 'requests of a test key are free, and their results are real',
    needs: ['test'],
    rules: ['auth.keys.2'],
    run: async (kit) => {
      const key = kit.key('test')
      const request = await kit.succeed(
        'images/process',
        { source: await kit.image(key), operations: [{ type: 'flip' }], output: { format: 'png' } },
        { key },
      )
      equal([request.livemode, request.price.micro_usd], [false, 0], 'livemode and price')
      equal((await kit.pixels(request)).width, 80, 'a real result')
      const { body } = await kit.call('GET', '/v1/account', { key })
      equal(
        [body.livemode, body.limits],
        [false, { requests_per_minute: 10, concurrent_requests: 2, max_source_bytes: 10_485_760 }],
        'its limits',
      )
    },
  },
  {
    title: 'web pages of origins that are not allowed cannot call the API',
    rules: ['api.cors.1'],
    run: async (kit) => {
      const { headers } = await kit.call('GET', '/v1/account', {
        headers: { origin: 'https://stranger.example.com' },
      })
      equal(headers.get('access-control-allow-origin'), null, 'Access-Control-Allow-Origin')
    },
  },
  {
    title: 'the OpenAPI description, the documentation, and the health checks need no API key',
    rules: ['api.paths.2', 'api.versions.2'],
    run: async (kit) => {
      const get = (path: string) => kit.call('GET', path, { key: null })
      const { status, body } = await get('/v1/openapi.json')
      equal([status, body?.info?.version], [200, '1.0.0'], 'the description')
      ok(String(body.openapi).startsWith('3.1'), 'OpenAPI 3.1', body.openapi)
      for (const path of ['/docs', '/livez', '/readyz', '/metrics', '/docs/errors']) {
        const { status: code } = await get(path)
        // A public proxy may hide the metrics. The path then returns 404 even with a key.
        const isHidden = path === '/metrics' && code === 404
        ok(isHidden || code === 200 || (code >= 301 && code <= 308), `${path} needs no key`, code)
      }
      await kit.rejects(kit.call('GET', '/v2/account'), 404, 'not_found')
    },
  },
  {
    title:
      'HEAD returns the headers of GET without a body, and long JSON is compressed if the client accepts compression',
    rules: ['api.http.2', 'api.compression.1'],
    run: async (kit) => {
      const plain = await kit.call('GET', '/v1/operations', { headers: { 'accept-encoding': 'identity' } })
      const head = await kit.call('HEAD', '/v1/operations', { headers: { 'accept-encoding': 'identity' } })
      equal([head.status, head.bytes.length], [plain.status, 0], 'HEAD of the catalog')
      equal(head.headers.get('content-type'), plain.headers.get('content-type'), 'Content-Type of HEAD')
      ok(plain.bytes.length > 1024, 'a body over 1 kB', plain.bytes.length)
      equal(plain.headers.get('content-encoding'), null, 'Content-Encoding without Accept-Encoding')
      for (const encoding of ['gzip', 'br']) {
        const { body, headers } = await kit.call('GET', '/v1/operations', { headers: { 'accept-encoding': encoding } })
        equal([headers.get('content-encoding'), body], [encoding, plain.body], `the catalog in ${encoding}`)
      }
    },
  },
  {
    title: 'the root address of the service returns 404 to programs, and redirects browsers to a page',
    rules: ['api.paths.3'],
    run: async (kit) => {
      await kit.rejects(kit.call('GET', '/', { key: null }), 404, 'not_found')
      const { status, headers } = await kit.call('GET', '/', { key: null, headers: { accept: 'text/html' } })
      ok(status >= 301 && status <= 308, 'a redirect for browsers', status)
      match(headers.get('location'), /\/(?:console\/|docs)$/, 'its Location')
    },
  },
  {
    title: 'the service serves its sample files, and accepts them as sources',
    needs: ['samples'],
    rules: ['sources.samples.1'],
    run: async (kit) => {
      const names =
        'photo.jpg logo.png clip.mp4 report.pdf product.jpg portrait.jpg scan.jpg phone.heic animation.gif'.split(' ')
      for (const name of names)
        equal((await kit.call('GET', kit.sample(name), { key: null })).status, 200, `the sample ${name}`)
      equal(
        (await kit.succeed('images/read', { source: kit.sample('logo.png') })).result.data.width,
        180,
        'a sample that is read',
      )
    },
  },
])
