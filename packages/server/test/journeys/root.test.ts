import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { naming } from '@mediamill/lab/support/message'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService, startService } from '@mediamill/lab/support/service'

const service = await sharedService({ workers: false })
const { call, account, url } = service

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const open = (accept: string | undefined, path = '/') =>
  fetch(url + path, { redirect: 'manual', headers: accept === undefined ? {} : { accept } })

test('the root address redirects a browser to the console, or to /docs if the console is off [api.paths.3]', async () => {
  const first = await open(BROWSER)
  assert.deepEqual([first.status, first.headers.get('location')], [302, '/console/'])
  await using without = await startService({ workers: false, settings: { CONSOLE: 'off' } })
  const { url } = without
  const response = await fetch(url, { redirect: 'manual', headers: { accept: BROWSER } })
  assert.deepEqual([response.status, response.headers.get('location')], [302, '/docs'])
  assert.equal(response.headers.get('vary'), 'Accept')
  const page = await fetch(url, { headers: { accept: BROWSER } })
  assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  assert.equal(new URL(page.url).pathname, '/docs')
})

test('the root address returns the standard 404 to programs, and the message of every 404 mentions /docs [api.paths.1]', async () => {
  for (const accept of [
    undefined,
    '*/*',
    'application/json',
    'text/html;q=0, */*',
    'application/json, text/html;q=0.0',
  ]) {
    for (const path of ['/', '/v1/nothing']) {
      const response = await open(accept, path)
      const { error } = (await response.json()) as Json
      assert.deepEqual([response.status, error.code], [404, 'not_found'], `${accept} ${path}`)
      assert.match(error.message, /GET \/docs .*GET \/v1\/openapi\.json/)
    }
  }
  const { headers } = await call('GET', '/', { key: account.liveKey })
  assert.ok(Number(headers.get('x-ratelimit-remaining')) > 0)
})

describe('a source URL that the operator can allow', () => {
  const messageOf = async (field: object): Promise<string> => {
    const body = { source: 'https://203.0.113.9/a.jpg', operations: [{ type: 'orient' }], ...field }
    return (await call('POST', '/v1/images/process', { body })).body.error.message
  }
  const hint = (host: string) =>
    `If this service is yours, start it with ALLOWED_PRIVATE_HOSTS=${host} to allow this URL.`

  test('a source URL on a private host is rejected; if the service runs on loopback, the error names ALLOWED_PRIVATE_HOSTS [sources.urls.7]', async () => {
    assert.equal(
      await messageOf({ source: 'http://localhost:8000/photo.jpg' }),
      `source: The URL must use the default port: 80 for http, 443 for https. ${hint('localhost:8000')}`,
    )
    assert.ok((await messageOf({ source: 'http://127.0.0.1/photo.jpg' })).includes(hint('127.0.0.1:80')))
    assert.ok((await messageOf({ source: 'http://nas/photo.jpg' })).includes(hint('nas:80')))
    assert.ok((await messageOf({ source: 'https://[::1]:9000/photo.jpg' })).includes(hint('[::1]:9000')))
    const mark = { type: 'watermark', image_url: 'http://files.local:81/a.png', x: 0, y: 0 }
    assert.match(
      await messageOf({ source: 'http://8.8.8.8/a.jpg', operations: [mark] }),
      /^operations\[0\]\.image_url: /,
    )
    assert.ok(
      (await messageOf({ source: 'http://8.8.8.8/a.jpg', operations: [mark] })).includes(hint('files.local:81')),
    )
  })

  test('the error for a local file path as source_url has a hint about uploads, and other errors have none [errors.messages.1]', async () => {
    for (const source of [
      '/home/me/photo.jpg',
      'file:///home/me/photo.jpg',
      './photo.jpg',
      '~/photo.jpg',
      'C:\\a.jpg',
    ]) {
      const uploads = /(?:To use a local file|file: URLs).* POST \/v1\/uploads/i
      assert.match(await messageOf({ source }), uploads, source)
      // A webhook URL cannot be an upload, so the message must not suggest one.
      assert.doesNotMatch(await messageOf({ webhook_url: source }), uploads, source)
    }
    for (const source of ['ftp://example.com/a', 'http://a:b@localhost/', 'http:///a', 'http://a..b:8/']) {
      assert.doesNotMatch(await messageOf({ source }), /ALLOWED_PRIVATE_HOSTS|uploads/, source)
    }
  })
})

test('a public service reveals no settings in errors, and redirects a browser to a path below its BASE_URL [sources.urls.7, api.paths.3]', async () => {
  await using public_ = await startService({
    workers: false,
    settings: { BASE_URL: 'https://media.example.com/mill/' },
  })
  const messageOf = async (source: string): Promise<string> =>
    (await public_.call('POST', '/v1/images/read', { body: { source } })).body.error.message
  assert.match(
    await messageOf('http://localhost:8000/photo.jpg'),
    /^source: (?!.*ALLOWED_PRIVATE_HOSTS).*port: 80 for http, 443/,
  )
  assert.match(
    await messageOf('http://127.0.0.1/photo.jpg'),
    /^source: The host 127\.0\.0\.1 is not on the public internet\. (?!.*ALLOWED_PRIVATE_HOSTS).*POST \/v1\/uploads/,
  )
  assert.match(await messageOf('ftp://example.com/a'), naming('source', 'http:// or https://', 'host'))
  const response = await public_.call('GET', '/', { key: null, headers: { accept: BROWSER } })
  assert.deepEqual([response.status, response.headers.get('location')], [302, '/mill/console/'])
})
