import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForCount, waitForState } from '@mediamill/lab/support/console/page-state'
import { sharedService } from '@mediamill/lab/support/service'
import { bodyOf, readRecipes } from '../../../../../../scripts/recipes/recipe.ts'
import { open, sent } from './recipes-fixture.ts'

describe('the playground with a recipe', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService()
  const opened = await openPages(await sharedBrowser(), service, { kind: 'account', accountId: service.account.id })

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
