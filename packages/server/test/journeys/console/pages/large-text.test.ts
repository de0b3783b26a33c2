import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { launchChromium, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { ACCOUNT_PAGES, OPERATOR_PAGES } from '@mediamill/lab/support/console/every-page'
import { startLivedIn } from '@mediamill/lab/support/console/lived-in-service'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { cutTexts, overhang } from '@mediamill/lab/support/console/page-state'
import { shared } from '@mediamill/lab/support/shared'

describe('a page of the console with large text', { skip: WITHOUT_BROWSER }, async () => {
  const lived = shared(await startLivedIn())

  test("a console page cuts nothing off if the browser's text is twice as large", async () => {
    const large = await launchChromium({ fontSize: 32 })
    try {
      await using account = await openPages(large, lived.service, { kind: 'account', accountId: lived.accountId })
      await using operator = await openPages(large, lived.service, { kind: 'operator' })
      for (const [{ page }, pages] of [
        [account, ACCOUNT_PAGES],
        [operator, OPERATOR_PAGES],
      ] as const) {
        for (const [path, heading] of pages) {
          await page.goto(`${lived.service.url}/console${path(lived)}`)
          await page.getByRole('heading', { level: 1, name: heading }).waitFor()
          await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
          assert.deepEqual(await cutTexts(page), [], path(lived))
          assert.ok((await overhang(page)) <= 0, path(lived))
        }
      }
    } finally {
      await large.close()
    }
  })

  test('a console page keeps the account name and the menu visible in a narrow window with large text', async () => {
    const large = await launchChromium({ fontSize: 32 })
    try {
      await using account = await openPages(
        large,
        lived.service,
        { kind: 'account', accountId: lived.accountId },
        { width: 640 },
      )
      const { page } = account
      await lived.service.sql`update accounts set name = ${'Longname'.repeat(12)} where id = ${lived.accountId}`
      await page.goto(`${lived.service.url}/console/keys`)
      const menu = await page.getByRole('button', { name: 'Longname' }).boundingBox()
      assert.ok(menu !== null && menu.x + menu.width <= 640, JSON.stringify(menu))
      const past = page.getByRole('link', { name: 'Skip to content' })
      const hidden = await past.boundingBox()
      assert.ok(hidden !== null && hidden.y + hidden.height <= 0, JSON.stringify(hidden))
      await past.focus()
      const shown = await past.boundingBox()
      assert.ok(shown !== null && shown.y >= 0, JSON.stringify(shown))
    } finally {
      await lived.service.sql`update accounts set name = 'Ada' where id = ${lived.accountId}`
      await large.close()
    }
  })
})
