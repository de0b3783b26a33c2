import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { axeViolations } from '@mediamill/lab/support/console/axe'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { assertReadable } from '@mediamill/lab/support/docs-page'
import { sharedService } from '@mediamill/lab/support/service'

const KINDS = {
  '': 'Mediamill',
  '/start': 'Mediamill',
  '/images': 'Images',
  '/uploads': 'Uploads',
  '/console': 'Console',
  '/errors': 'Error codes',
  '/operate': 'Operate Mediamill',
  '/operate/configuration': 'Configuration',
  '/recipes': 'Recipes',
  '/recipes/watermark-tiles': /\w/,
  '/changelog': 'Changelog',
  '/notes': 'Design notes',
  '/notes/contract': 'Contract and clients',
} as const

describe('the documentation in a browser', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService({ workers: false })
  const browser = await sharedBrowser()
  const opened = await openPages(browser, service)

  for (const [path, heading] of Object.entries(KINDS)) {
    test(`/docs${path} is accessible in both themes, fits a phone, and loads nothing from other hosts [docs.pages.1]`, async () => {
      await assertReadable(opened, `${service.url}/docs${path}`, heading)
    })
  }

  test("the documentation's menu scrolls to the current page if the menu is longer than the window", async () => {
    const { page } = opened
    await page.setViewportSize({ width: 1280, height: 600 })
    await page.goto(`${service.url}/docs/operate/configuration`)
    const isVisible = await page.locator('.menu [aria-current]').evaluate((link) => {
      const { top, bottom } = link.getBoundingClientRect()
      return top > 0 && bottom < 600
    })
    assert.equal(isVisible, true)
  })

  test('on a phone, every column of a long table and of the recipe images in the documentation is visible', async () => {
    const { page } = opened
    await page.setViewportSize({ width: 375, height: 900 })
    for (const path of ['operate/configuration', 'operate/monitoring', 'recipes', 'recipes/product-sizes']) {
      await page.goto(`${service.url}/docs/${path}`)
      const tables = await page
        .locator('.table')
        .evaluateAll((found) => found.map((table) => table.scrollWidth - table.clientWidth))
      assert.deepEqual(
        tables.filter((hidden) => hidden > 0),
        [],
        path,
      )
      assert.ok(tables.length > 1)
    }
  })

  test('Enter in the search of the documentation opens the first result', async () => {
    const { page, assertClean } = opened
    await page.goto(`${service.url}/docs`)
    const search = page.getByRole('searchbox', { name: 'Search the documentation' })
    await search.fill('webhooks')
    await search.press('Enter')
    await page.waitForURL(/\/docs\/webhooks$/)
    assertClean()
  })

  test('the error pages for an unknown address, a dead result link, and an unknown sample are accessible and contain links', async () => {
    const { page, assertClean } = opened
    for (const [path, heading] of [
      ['/docs/nope', 'Page not found'],
      ['/v1/results/1?expires=1&signature=no', 'This link is not valid'],
    ] as const) {
      await page.goto(service.url + path)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      assert.deepEqual(await axeViolations(page), [])
      await page.getByRole('link', { name: 'Read the documentation' }).click()
      await page.getByRole('heading', { level: 1, name: 'Mediamill' }).waitFor()
    }
    await page.goto(`${service.url}/docs/samples/nope.jpg`)
    assert.deepEqual(await axeViolations(page), [])
    await page.getByRole('link', { name: 'photo.jpg' }).click()
    await page.waitForURL(/\/docs\/samples\/photo\.jpg$/)
    assertClean(/ (?:\/docs\/(?:samples\/)?nope(?:\.jpg)? returned 404|\/v1\/results\/1 returned 403)$/)
  })

  test('a documentation page shows its text, menu, contents, and images without JavaScript [docs.pages.1]', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } })
    try {
      const page = await context.newPage()
      await page.goto(`${service.url}/docs/recipes`)
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Images' }).first().waitFor()
      const link = page
        .getByRole('main')
        .getByRole('link', { name: /avatar/i })
        .last()
      await link.click()
      await page.getByRole('heading', { level: 2, name: 'curl' }).waitFor()
      assert.equal(await page.getByRole('main').getByRole('img').count(), 2)
      await page.getByText('"crop_center"').first().waitFor()
      await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Python' }).click()
      await page.waitForURL(/#python$/)
    } finally {
      await context.close()
    }
  })
})
