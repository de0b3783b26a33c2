import { describe, test } from 'node:test'
import { WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { checkPage, OPERATOR_PAGES } from '@mediamill/lab/support/console/every-page'
import { inBrowser } from '@mediamill/lab/support/console/in-browser'
import type { LivedIn } from '@mediamill/lab/support/console/lived-in-service'
import { startLivedIn } from '@mediamill/lab/support/console/lived-in-service'
import type { Pages } from '@mediamill/lab/support/console/open-pages'
import { openPages } from '@mediamill/lab/support/console/open-pages'

describe('every page of the operator', { skip: WITHOUT_BROWSER }, () => {
  let lived: LivedIn
  let asOperator: Pages
  inBrowser(async ({ browser, use }) => {
    lived = use(await startLivedIn())
    asOperator = await openPages(browser, lived.service, { kind: 'operator' })
  })

  for (const [path, heading] of OPERATOR_PAGES) {
    test(`the operator page (${heading}) is accessible, fits the window, obeys its Content-Security-Policy, and contacts no other host`, () =>
      checkPage(lived, asOperator, path(lived), heading))
  }
})
