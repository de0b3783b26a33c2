import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { bodyOf, readRecipes } from '../../../../scripts/recipes/recipe.ts'
import { launchChromium, WITHOUT_BROWSER } from '../../../support/console/chromium.ts'
import type { Pages } from '../../../support/console/open-pages.ts'
import { openPages } from '../../../support/console/open-pages.ts'
import { startService } from '../../../support/service.ts'

/** What the playground can show: a recipe of several calls is none of its forms. */
const single = readRecipes().filter(({ steps }) => steps.length === 1)
assert.ok(single.length >= 18, String(single.length))

describe('the playground that recipes lead to', { skip: WITHOUT_BROWSER }, () => {
  let service: Awaited<ReturnType<typeof startService>>
  let browser: Browser
  let opened: Pages
  before(async () => {
    service = await startService({ workers: false })
    browser = await launchChromium()
    opened = await openPages(browser, service, { kind: 'account', accountId: service.account.id })
  })
  after(async () => {
    await browser.close()
    await service[Symbol.asyncDispose]()
  })

  for (const recipe of single) {
    const { path, text } = recipe.last
    test(`is filled with all that "${recipe.title}" sends [rulings 13, 20]`, async () => {
      const { page, assertClean } = opened
      const body = bodyOf({ path, text, gives: undefined }, service.url, new Map())
      await page.goto(`${service.url}/docs/recipes/${recipe.name}`)
      await page.getByRole('link', { name: 'Open it in the playground' }).click()
      await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
      const steps = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Move / }) })
      await page.getByRole('tab', { name: 'curl' }).click()
      const code = page.getByRole('region', { name: 'Code for curl' })
      await code.getByText(`/v1/${path}`).first().waitFor()
      const sent = / -d '(\{[^]*\})'/.exec((await code.innerText()).replaceAll('\u00a0', ' '))?.[1] ?? 'null'
      assert.deepEqual(JSON.parse(sent), body)
      assert.equal(await steps.count(), body.operations?.length ?? 0)
      assertClean()
    })
  }
})
