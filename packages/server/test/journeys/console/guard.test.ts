import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { CONSOLE_ROUTES, openBrowser, signedIn } from '@mediamill/lab/support/browser'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService, startService } from '@mediamill/lab/support/service'

const service = await sharedService({ workers: false })
const { account, url, sql } = service
const browser = await signedIn(service, { kind: 'account', accountId: account.id })
const BODY = { url: null }

describe('changes in the console', () => {
  const change = (headers: Record<string, string | undefined>, body: unknown = BODY) =>
    browser.call('PUT', '/webhook', { body, headers })

  test('a change in the console is rejected from another site, with any cookie [console.changes.1]', async () => {
    for (const site of ['cross-site', 'same-site', 'none']) {
      const { status, body } = await change({ 'sec-fetch-site': site })
      assert.deepEqual([status, body.error.code], [403, 'cross_site'], site)
    }
    assert.equal((await change({ 'sec-fetch-site': 'cross-site', origin: url })).status, 403)
    const upload = await browser.call('POST', '/uploads', {
      body: Buffer.from('GIF89a'),
      headers: { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' },
    })
    assert.deepEqual([upload.status, upload.body.error.code], [403, 'cross_site'])
    const removal = await browser.call('DELETE', '/session', { headers: { 'sec-fetch-site': 'cross-site' } })
    assert.equal(removal.status, 403)
  })

  test('a change in the console without Sec-Fetch-Site is accepted only from the origin of BASE_URL [console.changes.1]', async () => {
    const without = { 'sec-fetch-site': undefined }
    assert.equal((await change(without)).status, 403)
    for (const origin of ['https://evil.example', 'null', `${url}.evil.example`, url.replace('http:', 'https:')]) {
      assert.equal((await change({ ...without, origin })).status, 403, origin)
    }
    assert.equal((await change({ ...without, origin: url })).status, 200)
  })

  test('a change in the console must be JSON: form content types are rejected before the body is read [console.changes.1]', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', undefined]) {
      const { status, body } = await change({ 'content-type': type }, '{"url":null}')
      assert.deepEqual([status, body.error.code], [422, 'validation_failed'], type)
      const abort = await browser.call('POST', '/requests/1/abort', { body: 'a=b', headers: { 'content-type': type } })
      assert.deepEqual([abort.status, abort.body.error.code], [422, 'validation_failed'], `abort ${type}`)
    }
  })

  test('a GET never makes a change in the console, because every route that changes data has another method [console.changes.1]', async () => {
    const before = await sql`select count(*)::integer as count from audit`
    for (const { path, method } of CONSOLE_ROUTES) {
      if (method === 'get') continue
      const { status } = await browser.call('GET', path.slice('/console/api'.length).replace('{id}', '1'))
      assert.ok(status === 200 || status === 403 || status === 404, `${path} ${status}`)
    }
    assert.deepEqual(await sql`select count(*)::integer as count from audit`, before)
  })
})

/** Makes a call with a Host header, which `fetch` cannot set. Resolves to the status. */
function withHost(host: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url)
  const headers = { host, cookie: browser.cookie ?? '' }
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  request({ host: hostname, port, path, headers }, (response) => {
    response.resume()
    resolve(response.statusCode ?? 0)
  })
    .on('error', reject)
    .end()
  return promise
}

test('the console accepts only calls whose Host header contains the host of BASE_URL or a loopback host [console.changes.2]', async () => {
  const port = new URL(url).port
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, '[::1]:9', 'LOCALHOST']) {
    assert.equal(await withHost(host, '/console/api/session'), 200, host)
  }
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.', '10.0.0.1']) {
    assert.equal(await withHost(host, '/console/api/session'), 403, host)
  }
  await using proxied = await startService({ workers: false, settings: { BASE_URL: 'https://media.example.com/mill' } })
  const inside = openBrowser(proxied)
  const { body } = await inside.call('POST', '/session', { body: { api_key: proxied.account.testKey } })
  assert.equal(body.kind, 'key')
  assert.match(inside.cookie ?? '', /^__Host-mediamill=/)
})

test('a session of an account cannot call operator routes, and returns only its own account even if a query names another account [console.sign_in.5]', async () => {
  const other = await openAccount(sql)
  for (const { method, path, allowedSessions } of CONSOLE_ROUTES) {
    if (allowedSessions === 'anyone' || allowedSessions.some((kind) => kind !== 'operator')) continue
    const { status, body } = await browser.call(
      method.toUpperCase(),
      path.slice('/console/api'.length).replace('{id}', String(other.id)),
    )
    assert.deepEqual([status, body.error.code], [403, 'not_allowed'], path)
  }
  assert.equal((await browser.call('GET', `/account?account=${other.id}`)).body.id, account.id)
  assert.equal((await browser.call('GET', `/audit?account=${other.id}`)).body.data[0].account, account.id)
})

test('all sessions of an account share one limit of calls per minute; sessions that are signed in with an API key have their own limit [console.limits.1]', async () => {
  const { id: accountId, testKey } = await openAccount(service.sql)
  const sessions = [
    await signedIn(service, { kind: 'account', accountId }),
    await signedIn(service, { kind: 'account', accountId }),
  ]
  for (const session of sessions) assert.equal((await session.call('GET', '/service')).status, 200)
  const statuses = new Map<number, number>()
  const calls = sessions.flatMap((session) => Array.from({ length: 605 }, () => session.call('GET', '/session')))
  for (const { status } of await Promise.all(calls)) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  assert.deepEqual([statuses.get(200), statuses.get(429)], [1_200, 10])
  const ofKey = openBrowser(service)
  assert.equal((await ofKey.call('POST', '/session', { body: { api_key: testKey } })).status, 201)
  assert.equal((await ofKey.call('GET', '/session')).status, 200)
})

test('the sessions of an account can send 120 bodies over 64 KiB a minute, and bodies of uploads do not count [console.limits.1]', async () => {
  const { id: accountId } = await openAccount(service.sql)
  const session = await signedIn(service, { kind: 'account', accountId })
  const send = (bytes: number, path = '/images/read') =>
    session.call('POST', path, { body: { source: 'x'.repeat(bytes) } })
  const statuses = await Promise.all(Array.from({ length: 125 }, async () => (await send(65_536)).status))
  assert.equal(statuses.filter((status) => status === 429).length, 5)
  assert.equal((await send(65_000)).status, 422)
  assert.equal((await send(65_536, '/uploads')).status, 422)
})

describe('the pages of the console', () => {
  test('the console pages contain their base path and the nonce of their styles, and load nothing from other hosts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mediamill-console-'))
    after(() => rm(folder, { recursive: true, force: true }))
    await using built = await startService({
      workers: false,
      settings: { BASE_URL: 'http://127.0.0.1:1/mill' },
      console: { folder: pathToFileURL(`${folder}/`) },
    })
    const missing = await fetch(`${built.url}/console/`)
    assert.deepEqual([missing.status, (await missing.text()).includes('npm install --include=dev')], [503, true])
    await mkdir(join(folder, 'assets'))
    await writeFile(
      join(folder, 'index.html'),
      '<meta name="base" content="__BASE__"><meta name="nonce" content="__NONCE__"><script src="./assets/a-1.js"></script>',
    )
    await writeFile(join(folder, 'assets', 'a-1.js'), 'export {}')
    await writeFile(join(folder, 'assets', 'secret'), 'no')
    for (const path of ['/console', '/console/', '/console/requests/12']) {
      const page = await fetch(built.url + path)
      const policy = page.headers.get('content-security-policy') ?? ''
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
      assert.equal(
        await page.text(),
        `<meta name="base" content="/mill/console"><meta name="nonce" content="${nonce}"><script src="/mill/console/assets/a-1.js"></script>`,
      )
      assert.ok(nonce.length >= 22)
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/)
      assert.doesNotMatch(policy, /unsafe|\*/)
      assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    }
    const script = await fetch(`${built.url}/console/assets/a-1.js`)
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.match(script.headers.get('cache-control') ?? '', /immutable/)
    for (const path of ['secret', 'none.js', '..%2Findex.html', '%2e%2e%2f%2e%2e%2fpackage.json']) {
      assert.equal((await fetch(`${built.url}/console/assets/${path}`)).status, 404, path)
    }
    assert.equal((await fetch(`${built.url}/console/api/nothing`)).status, 404)
  })

  test('with CONSOLE=off, the console pages and all their files return 404 [console.api.2]', async () => {
    await using without = await startService({ workers: false, settings: { CONSOLE: 'off' } })
    for (const path of ['/console', '/console/', '/console/api/service', '/console/api/session']) {
      assert.equal((await fetch(without.url + path)).status, 404, path)
    }
    const shown = async (from: string) =>
      (await (await fetch(`${from}/docs/reference/calls`)).text()).includes('/console/playground')
    assert.deepEqual([await shown(without.url), await shown(url)], [false, true], 'the pages lead there')
    const body = JSON.stringify({ api_key: without.account.liveKey })
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const response = await fetch(`${without.url}/console/api/session`, { method: 'POST', headers, body })
    assert.equal(response.status, 404)
  })
})
