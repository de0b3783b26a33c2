import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { imageWidth } from '@mediamill/lab/support/console/page-state'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { freePort } from '@mediamill/lab/support/process'
import { sharedService } from '@mediamill/lab/support/service'
import { shared } from '@mediamill/lab/support/shared'
import { makeSignInLink } from '../../../../src/accounts/sign-in/links.ts'

describe('the console below a path of BASE_URL', { skip: WITHOUT_BROWSER }, async () => {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}/media/mill`
  const service = await sharedService({ settings: { BASE_URL: baseUrl } })
  shared(
    await startHttpServer((call, response) => {
      const path = call.url?.startsWith('/media/mill/') === true ? call.url.slice('/media/mill'.length) : undefined
      if (path === undefined) return void response.writeHead(404).end()
      const target = new URL(service.url)
      const onward = request(
        { host: target.hostname, port: target.port, method: call.method, path, headers: call.headers },
        (from) => {
          response.writeHead(from.statusCode ?? 502, from.headers)
          from.pipe(response)
        },
      )
      call.pipe(onward)
    }, port),
  )
  const browser = await sharedBrowser()

  test('the console below a path of BASE_URL loads every page from its address, even after a reload', async () => {
    await using opened = await openPages(
      browser,
      { ...service, url: baseUrl },
      { kind: 'operator', accountId: service.account.id },
    )
    const { page } = opened
    const { body } = await service.call('POST', '/v1/images/read', {
      body: { source: `${baseUrl}/docs/samples/photo.jpg` },
    })
    await service.settled(body.id)
    for (const [path, heading] of [
      ['/', 'Overview'],
      ['/requests', 'Requests'],
      [`/requests/${body.id}`, `Request ${body.id}`],
      ['/playground', 'Playground'],
      ['/filters', 'Filters and operations'],
      ['/usage', 'Usage'],
      ['/keys', 'API keys'],
      ['/webhooks', 'Webhooks'],
      ['/settings', 'Settings'],
      ['/operator/accounts', 'Accounts'],
      [`/operator/accounts/${service.account.id}`, 'Ada'],
      ['/operator/queue', 'Queue'],
      ['/operator/billing', 'Billing'],
      ['/operator/deliveries', 'Deliveries'],
      ['/operator/health', 'Health'],
      ['/operator/audit', 'Audit'],
    ] as const) {
      await page.goto(`${baseUrl}/console${path}`)
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
      await page.reload()
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
      assert.equal(page.url(), `${baseUrl}/console${path}`)
    }
    opened.assertClean()
  })

  test('below a path of BASE_URL, a user can sign in, open the playground by its address, and see a result; the first view loads at most 250 kB of script', async () => {
    const target = { kind: 'account', accountId: service.account.id } as const
    const link = await makeSignInLink(service.sql, baseUrl, { actor: 'command', sessionId: null }, target)
    await using opened = await openPages(browser, { ...service, url: baseUrl })
    const { page } = opened
    const scripts: Promise<Buffer>[] = []
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(response.body())
    })
    await page.goto(link.url)
    await page.getByRole('button', { name: 'Sign in to the console' }).click()
    await page.getByRole('figure', { name: 'Requests by day' }).waitFor()
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
    await page.waitForLoadState('networkidle')
    assert.equal(page.url(), `${baseUrl}/console/`)
    const first = (await Promise.all(scripts)).map((body) => gzipSync(body).length)
    await page.goto(`${baseUrl}/console/playground`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('succeeded').waitFor()
    assert.ok((await imageWidth(page.getByRole('img', { name: 'Result' }))) > 0)
    opened.assertClean()

    const bytes = first.reduce((sum, size) => sum + size, 0)
    assert.ok(bytes > 50_000 && bytes <= 250_000, `${bytes} bytes of script`)
  })
})
