import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { checkPage, OPERATOR_PAGES } from '@mediamill/lab/support/console/every-page'
import { startLivedIn } from '@mediamill/lab/support/console/lived-in-service'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { shared } from '@mediamill/lab/support/shared'

describe('every page of the operator', { skip: WITHOUT_BROWSER }, async () => {
  const lived = shared(await startLivedIn())
  const asOperator = await openPages(await sharedBrowser(), lived.service, { kind: 'operator' })

  for (const [path, heading] of OPERATOR_PAGES) {
    test(`the operator page (${heading}) is accessible, fits the window, obeys its Content-Security-Policy, and contacts no other host`, () =>
      checkPage(lived, asOperator, path(lived), heading))
  }
})
