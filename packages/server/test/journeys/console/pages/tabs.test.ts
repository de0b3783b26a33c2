import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signedIn } from '@mediamill/lab/support/browser'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForCount } from '@mediamill/lab/support/console/page-state'
import { sharedService } from '@mediamill/lab/support/service'
import { createKey } from '../../../../src/accounts/create-key.ts'

describe('two tabs of one browser', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService({ workers: false })
  const browser = await sharedBrowser()

  test('if a key is revoked in one tab, and again in another tab that still shows it as active, the other tab then shows it as revoked', async () => {
    await createKey(service.sql, service.account.id, { mode: 'test', name: 'shared' })
    await using one = await openPages(browser, service, { kind: 'account', accountId: service.account.id })
    const two = await one.context.newPage()
    const row = (page: typeof two) => page.getByRole('row').filter({ hasText: 'shared' })
    for (const page of [one.page, two]) {
      await page.goto(`${service.url}/console/keys`)
      await row(page).getByRole('button', { name: 'Revoke' }).waitFor()
    }
    for (const page of [two, one.page]) {
      await row(page).getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
      await row(page).getByText('revoked').waitFor()
    }
    one.assertClean()
  })

  test('signing out of the console in one tab signs out the other tab, and signing in with an API key signs in both tabs', async () => {
    await using one = await openPages(browser, service, { kind: 'account', accountId: service.account.id })
    const two = await one.context.newPage()
    await one.page.goto(`${service.url}/console/settings`)
    await two.goto(`${service.url}/console/settings`)
    await two.getByRole('button', { name: 'Ada' }).click()
    await two.getByRole('menuitem', { name: 'Sign out' }).click()
    await one.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()

    await two.getByLabel('API key').fill(service.account.testKey)
    await two.getByRole('button', { name: 'Sign in with this key' }).click()
    await one.page.getByText('Test key', { exact: true }).waitFor()
    await waitForCount(one.page.getByRole('link', { name: 'API keys' }), 0)
    // The other tab signs out while this tab sends a call, which then returns 401.
    one.assertClean(/ returned 401$/)
  })

  test('if an API key is revoked, a tab that is signed in with this key shows the sign-in page with the reason [console.sign_in.4]', async () => {
    const made = await createKey(service.sql, service.account.id, { mode: 'test', name: 'borrowed' })
    assert.ok(made)
    await using keyed = await openPages(browser, service)
    await keyed.page.goto(`${service.url}/console/`)
    await keyed.page.getByLabel('API key').fill(made.key)
    await keyed.page.getByRole('button', { name: 'Sign in with this key' }).click()
    await keyed.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    const owner = await signedIn(service, { kind: 'account', accountId: service.account.id })
    assert.equal((await owner.call('DELETE', `/keys/${made.row.id}`)).status, 200)
    await keyed.page.getByRole('link', { name: 'Requests', exact: true }).click()
    await keyed.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await keyed.page
      .getByRole('alert')
      .getByText(/its key was revoked/)
      .waitFor()
    keyed.assertClean(/ returned 401$/)
  })
})
