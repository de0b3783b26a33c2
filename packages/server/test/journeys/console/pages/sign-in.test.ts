import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tokenFor } from '@mediamill/lab/support/browser'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { focusedText, isFocused, waitForCount } from '@mediamill/lab/support/console/page-state'
import { sharedService } from '@mediamill/lab/support/service'

describe('signing in with a browser', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService({ workers: false })
  const browser = await sharedBrowser()

  test('signing in by a link requires a click on the page: opening the link does not use it up [console.sign_in.2]', async () => {
    const link = `${service.url}/console/#token=${await tokenFor(service, { kind: 'account', accountId: service.account.id })}`
    await using scanner = await openPages(browser, service)
    await scanner.page.goto(link)
    await scanner.page.getByRole('button', { name: `Sign in to the console as Ada (${service.account.id})` }).waitFor()

    await using owner = await openPages(browser, service)
    await owner.page.goto(link)
    await owner.page.getByRole('button', { name: 'Sign in to the console' }).click()
    await owner.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await owner.page.waitForURL((url) => url.hash === '')

    await scanner.page.getByRole('button', { name: 'Sign in to the console' }).click()
    await scanner.page.getByRole('alert').waitFor()
    await scanner.page.getByRole('button', { name: 'Sign in another way' }).click()
    await scanner.page.getByLabel('API key').waitFor()
    owner.assertClean()
    scanner.assertClean()
  })

  test("signing in by the link from the first start opens the operator pages and the pages of the operator's own account [console.sign_in.3]", async () => {
    await using first = await openPages(browser, service, { kind: 'operator', accountId: service.account.id })
    const { page } = first
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByRole('link', { name: 'Queue' }).waitFor()
    await page.getByRole('link', { name: 'Playground', exact: true }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
    await page.getByText('Free in test mode; $0.002 a request with a live key.').waitFor()
    first.assertClean()
  })

  test('signing in by an API key works with only the keyboard, shows no secrets, and ends when the user signs out [console.sign_in.4, console.sign_in.5]', async () => {
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
    await waitForCount(page.getByRole('link', { name: 'API keys' }), 0)

    await page.keyboard.press('Tab')
    assert.equal(await focusedText(page), 'Skip to content')
    const menu = page.getByRole('button', { name: 'Ada' })
    await menu.focus()
    await page.keyboard.press('Enter')
    const signOut = page.getByRole('menuitem', { name: 'Sign out' })
    await signOut.waitFor()
    // The menu gets the focus a moment after it appears.
    while (!(await isFocused(signOut))) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    visitor.assertClean()
  })

  test('if the session ended before a form is sent, the sign-in page appears, and signing in returns to the page of the form', async () => {
    const target = { kind: 'account', accountId: service.account.id } as const
    await using owner = await openPages(browser, service, target)
    const { page } = owner
    await page.goto(`${service.url}/console/keys`)
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('late')
    // Deleting the cookies has the same effect as signing out in another tab.
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await page.getByLabel('API key').fill(service.account.liveKey)
    await page.getByRole('button', { name: 'Sign in with this key' }).click()
    // A session of an API key may not open the page of keys.
    await page.getByRole('heading', { level: 1, name: 'You don’t have access to this page' }).waitFor()
    await page.waitForURL((url) => url.pathname === '/console/keys')
    await waitForCount(page.getByRole('table'), 0)
    owner.assertClean()
  })
})
