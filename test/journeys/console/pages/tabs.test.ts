import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { createKey } from '../../../../src/accounts/create-key.ts'
import { launchChromium, WITHOUT_BROWSER } from '../../../support/console/chromium.ts'
import { openPages } from '../../../support/console/open-pages.ts'
import { startService } from '../../../support/service.ts'

describe('two tabs of one browser', { skip: WITHOUT_BROWSER }, () => {
  let service: Awaited<ReturnType<typeof startService>>
  let browser: Browser
  before(async () => {
    service = await startService({ workers: false })
    browser = await launchChromium()
  })
  after(async () => {
    await browser.close()
    await service[Symbol.asyncDispose]()
  })

  test('a key that one of them revoked is shown as revoked by the other once it is told so [rulings 20]', async () => {
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
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke it' }).click()
      await row(page).getByText('revoked').waitFor()
    }
    one.assertClean()
  })

  test('are both signed out by either, at once, and are both whose link one of them follows next [rulings 20]', async () => {
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
    assert.equal(await one.page.getByRole('link', { name: 'API keys' }).count(), 0)
    one.assertClean()
  })
})
