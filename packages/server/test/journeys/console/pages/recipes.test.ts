import { describe, test } from 'node:test'
import { WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { inBrowser } from '@mediamill/lab/support/console/in-browser'
import type { Pages } from '@mediamill/lab/support/console/open-pages'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForCount, waitForState } from '@mediamill/lab/support/console/page-state'
import { startService } from '@mediamill/lab/support/service'
import { bodyOf, readRecipes } from '../../../../../../scripts/recipes/recipe.ts'
import { open, sent } from './recipes-fixture.ts'

describe('the playground with a recipe', { skip: WITHOUT_BROWSER }, () => {
  let service: Awaited<ReturnType<typeof startService>>
  let opened: Pages
  inBrowser(async ({ browser, use }) => {
    service = use(await startService())
    opened = await openPages(browser, service, { kind: 'account', accountId: service.account.id })
  })

  for (const recipe of readRecipes()) {
    const { path, text } = recipe.last
    test(`the link of the recipe "${recipe.title}" opens the playground with all values of the recipe`, async () => {
      const { page, assertClean } = opened
      const body = bodyOf({ path, text, gives: undefined }, service.url, new Map())
      await open(opened, service.url, recipe)
      const steps = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Move / }) })
      await waitForState(() => sent(opened, recipe), body)
      await waitForCount(steps, body.operations?.length ?? 0)
      assertClean()
    })
  }
})
