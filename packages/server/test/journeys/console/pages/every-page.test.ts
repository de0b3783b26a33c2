import { describe, test } from 'node:test'
import { WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { ACCOUNT_PAGES, checkPage } from '@mediamill/lab/support/console/every-page'
import { inBrowser } from '@mediamill/lab/support/console/in-browser'
import type { LivedIn } from '@mediamill/lab/support/console/lived-in-service'
import { startLivedIn } from '@mediamill/lab/support/console/lived-in-service'
import type { Pages } from '@mediamill/lab/support/console/open-pages'
import { openPages } from '@mediamill/lab/support/console/open-pages'

describe('every page of an account', { skip: WITHOUT_BROWSER }, () => {
  let lived: LivedIn
  let asAccount: Pages
  inBrowser(async ({ browser, use }) => {
    lived = use(await startLivedIn())
    asAccount = await openPages(browser, lived.service, { kind: 'account', accountId: lived.accountId })
  })

  for (const [path, heading] of ACCOUNT_PAGES) {
    test(`(${heading}) is accessible, fits, breaks no policy, and contacts no other host`, () =>
      checkPage(lived, asAccount, path(lived), heading))
  }
})
