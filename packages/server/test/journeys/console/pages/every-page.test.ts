import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { ACCOUNT_PAGES, checkPage } from '@mediamill/lab/support/console/every-page'
import { startLivedIn } from '@mediamill/lab/support/console/lived-in-service'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { decimalPoints } from '@mediamill/lab/support/console/page-state'
import { shared } from '@mediamill/lab/support/shared'

describe('every page of an account', { skip: WITHOUT_BROWSER }, async () => {
  const lived = shared(await startLivedIn())
  const asAccount = await openPages(await sharedBrowser(), lived.service, {
    kind: 'account',
    accountId: lived.accountId,
  })

  for (const [path, heading] of ACCOUNT_PAGES) {
    test(`the console page (${heading}) is accessible, fits the window, obeys its Content-Security-Policy, and contacts no other host`, () =>
      checkPage(lived, asAccount, path(lived), heading))
  }

  test("the console's header covers no element that gets the focus", async () => {
    const { page } = asAccount
    await page.setViewportSize({ width: 1280, height: 320 })
    await page.goto(`${lived.service.url}/console/requests`)
    const frame = page.getByRole('group', { name: 'Requests' })
    await frame.focus()
    const box = await frame.boundingBox()
    assert.ok(box !== null && box.y >= 56, JSON.stringify(box))
  })

  test("the prices in the console's list of requests are aligned at the decimal point", async () => {
    const { page } = asAccount
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(`${lived.service.url}/console/requests`)
    const prices = page.getByText(/^\$\d+\.\d+$/)
    await prices.first().waitFor()
    const lengths = new Set((await prices.allTextContents()).map((text) => text.length))
    assert.ok(lengths.size > 1, 'all prices have the same length')
    assert.equal(new Set(await decimalPoints(prices)).size, 1)
  })
})
