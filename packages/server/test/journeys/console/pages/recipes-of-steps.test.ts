import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForCount, waitForState } from '@mediamill/lab/support/console/page-state'
import { sharedService } from '@mediamill/lab/support/service'
import { bodyOf, readRecipes } from '../../../../../../scripts/recipes/recipe.ts'
import { code, open, sent } from './recipes-fixture.ts'

const several = readRecipes().filter(({ steps }) => steps.length > 1)
assert.ok(several.length >= 6, String(several.length))

describe('the playground with a recipe of several steps', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService()
  const opened = await openPages(await sharedBrowser(), service, { kind: 'account', accountId: service.account.id })

  for (const recipe of several) {
    test(`the playground creates the inputs of "${recipe.title}" first, and then runs the recipe`, async () => {
      const { page, assertClean } = opened
      await open(opened, service.url, recipe)
      const first = page.getByRole('region', { name: 'Steps before this request' })
      await waitForCount(first.getByRole('listitem'), recipe.steps.length - 1)
      await page.getByText(/^Free in test mode/).waitFor()
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByText('succeeded').waitFor({ timeout: 240_000 })
      await first.waitFor({ state: 'detached' })
      // The URL contains the earlier calls instead of their results, so it also works after the results are deleted.
      await page.waitForURL(/earlier=/)
      await waitForState<unknown>(() => sent(opened, recipe), bodyOf(recipe.last, service.url, new Map()))
      assert.doesNotMatch(await code(opened).innerText(), /upload:upl_|results/)
      assertClean()
    })
  }

  test('the playground creates a text watermark before the run, and shows it on the image', async () => {
    const { page, assertClean } = opened
    const recipe = several.find(({ name }) => name === 'watermark-tiles')
    assert.ok(recipe !== undefined)
    await open(opened, service.url, recipe)
    await page.getByText('Create the text watermark “© Jane Doe”').waitFor()
    await page.getByRole('button', { name: 'Run these steps now' }).click()
    const steps = page.getByRole('region', { name: 'Steps before this request' })
    await steps.waitFor({ state: 'detached' })
    await page
      .getByRole('button', { name: /^Watermark position/ })
      .locator('img[src*=upl_]')
      .waitFor()
    assertClean()
  })
})
