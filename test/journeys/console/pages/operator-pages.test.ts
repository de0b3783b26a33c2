import { describe, test } from 'node:test'
import { WITHOUT_BROWSER } from '../../../support/console/chromium.ts'
import { checkPage, OPERATOR_PAGES } from '../../../support/console/every-page.ts'
import { inBrowser } from '../../../support/console/in-browser.ts'
import type { LivedIn } from '../../../support/console/lived-in-service.ts'
import { startLivedIn } from '../../../support/console/lived-in-service.ts'
import type { Pages } from '../../../support/console/open-pages.ts'
import { openPages } from '../../../support/console/open-pages.ts'

describe('every page of the operator', { skip: WITHOUT_BROWSER }, () => {
  let lived: LivedIn
  let asOperator: Pages
  inBrowser(async ({ browser, use }) => {
    lived = use(await startLivedIn())
    asOperator = await openPages(browser, lived.service, { kind: 'operator' })
  })

  for (const [path, heading] of OPERATOR_PAGES) {
    test(`(${heading}) is accessible, fits, breaks no policy, and contacts no other host [rulings 20]`, () =>
      checkPage(lived, asOperator, path(lived), heading))
  }
})
