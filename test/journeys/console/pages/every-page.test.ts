import { describe, test } from 'node:test'
import { WITHOUT_BROWSER } from '../../../support/console/chromium.ts'
import { ACCOUNT_PAGES, checkPage } from '../../../support/console/every-page.ts'
import { inBrowser } from '../../../support/console/in-browser.ts'
import type { LivedIn } from '../../../support/console/lived-in-service.ts'
import { startLivedIn } from '../../../support/console/lived-in-service.ts'
import type { Pages } from '../../../support/console/open-pages.ts'
import { openPages } from '../../../support/console/open-pages.ts'

describe('every page of an account', { skip: WITHOUT_BROWSER }, () => {
  let lived: LivedIn
  let asAccount: Pages
  inBrowser(async ({ browser, use }) => {
    lived = use(await startLivedIn())
    asAccount = await openPages(browser, lived.service, { kind: 'account', accountId: lived.accountId })
  })

  for (const [path, heading] of ACCOUNT_PAGES) {
    test(`(${heading}) is accessible, fits, breaks no policy, and contacts no other host [rulings 20]`, () =>
      checkPage(lived, asAccount, path(lived), heading))
  }
})
