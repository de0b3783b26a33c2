import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { tokenFor } from '../../../support/browser.ts'
import { launchChromium, WITHOUT_BROWSER } from '../../../support/console/chromium.ts'
import { openPages } from '../../../support/console/open-pages.ts'
import { focusedText, isFocused } from '../../../support/console/page-facts.ts'
import { startService } from '../../../support/service.ts'

describe('signing in with a browser', { skip: WITHOUT_BROWSER }, () => {
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

  test('by a link takes a click: opening it alone uses nothing up [rulings 20]', async () => {
    const link = `${service.url}/console/#token=${await tokenFor(service, { kind: 'account', accountId: service.account.id })}`
    await using scanner = await openPages(browser, service)
    await scanner.page.goto(link)
    await scanner.page.getByRole('button', { name: 'Sign in to the console' }).waitFor()

    await using owner = await openPages(browser, service)
    await owner.page.goto(link)
    await owner.page.getByRole('button', { name: 'Sign in to the console' }).click()
    await owner.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    assert.equal(new URL(owner.page.url()).hash, '')

    await scanner.page.getByRole('button', { name: 'Sign in to the console' }).click()
    await scanner.page.getByRole('alert').waitFor()
    await scanner.page.getByRole('button', { name: 'Sign in another way' }).click()
    await scanner.page.getByLabel('API key').waitFor()
    owner.assertClean()
    scanner.assertClean()
  })

  test('by an API key works by keyboard alone, shows no secrets, and ends by signing out [rulings 20]', async () => {
    await using visitor = await openPages(browser, service)
    const { page } = visitor
    await page.goto(`${service.url}/console/requests`)
    const field = page.getByLabel('API key')
    await field.waitFor()
    while (!(await isFocused(field))) await page.keyboard.press('Tab')
    await page.keyboard.type('letmein')
    await page.keyboard.press('Enter')
    await page.getByText('A key begins with svc_live_ or svc_test_.').waitFor()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type(`svc_test_${'x'.repeat(40)}`)
    await page.keyboard.press('Enter')
    await page.getByText('This API key is not valid').waitFor()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type(service.account.testKey)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
    await page.getByText('Test key', { exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'API keys' }).count(), 0)

    await page.keyboard.press('Tab')
    assert.equal(await focusedText(page), 'To the page')
    const menu = page.getByRole('button', { name: 'Ada' })
    await menu.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Sign out' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    visitor.assertClean()
  })
})
