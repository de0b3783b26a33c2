import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { axeViolations } from '@mediamill/lab/support/console/axe'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForCount, waitForFieldError } from '@mediamill/lab/support/console/page-state'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { shared } from '@mediamill/lab/support/shared'
import { startSmtpServer, tokenIn } from '@mediamill/lab/support/smtp-server'
import type { Page } from 'playwright-core'
import { createAccount } from '../../../../src/accounts/create-account.ts'

describe('signing in by mail with a browser', { skip: WITHOUT_BROWSER }, async () => {
  const smtp = shared(await startSmtpServer())
  const service = await sharedService({ workers: false, settings: { SMTP_URL: smtp.url, SIGN_UP: 'open' } })
  const browser = await sharedBrowser()

  async function followMail(page: Page, mails: number) {
    const mail = (await smtp.arrived(mails)).at(-1) ?? assert.fail()
    await page.goto(`${service.url}/console/#token=${tokenIn(mail.text)}`)
    await page.getByRole('button', { name: 'Sign in to the console' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  }

  test('a user can request a sign-in link in the console, gets it by mail, and signs in with it [console.sign_in.6]', async () => {
    await createAccount(service.sql, SECRET_KEY, { name: 'Grace', email: 'grace@example.com' })
    await using opened = await openPages(browser, service)
    const { page } = opened
    await page.goto(`${service.url}/console/`)
    await page.getByRole('textbox', { name: 'Email address', exact: true }).waitFor()
    assert.deepEqual(await axeViolations(page), [])
    const before = smtp.mails.length
    await page.getByRole('textbox', { name: 'Email address', exact: true }).fill('grace@example.com')
    await page.getByRole('button', { name: 'Email me a sign-in link' }).click()
    await page.getByText('Check your email').waitFor()
    await followMail(page, before + 1)
    await page.getByRole('button', { name: 'Grace' }).waitFor()
    opened.assertClean()
  })

  test('a sign-up link that is mailed to a new email address opens an account [console.sign_in.7]', async () => {
    await using opened = await openPages(browser, service)
    const { page } = opened
    await page.goto(`${service.url}/console/`)
    const before = smtp.mails.length
    await page.getByRole('textbox', { name: 'Name' }).fill('Barbara')
    await page.getByRole('textbox', { name: 'Your email address' }).fill('barbara@example.com')
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByText('Open the link that we sent you to confirm your address.').waitFor()
    await followMail(page, before + 1)
    await page.getByRole('button', { name: 'Barbara' }).waitFor()
    await page.getByText('$1.00').first().waitFor()
    opened.assertClean()
  })

  test('the sign-in and sign-up forms of the console show errors from the page and from the service at the same field', async () => {
    await using opened = await openPages(browser, service)
    const { page } = opened
    await page.goto(`${service.url}/console/`)
    const signUp = page.getByRole('textbox', { name: 'Your email address' })
    await page.getByRole('button', { name: 'Create an account' }).click()
    await waitForFieldError(page.getByRole('textbox', { name: 'Name' }), 'Enter a name.')
    await waitForFieldError(signUp, 'Enter an email address.')
    await page.getByRole('textbox', { name: 'Name' }).fill('Barbara')
    await signUp.fill('barbara')
    await page.getByRole('button', { name: 'Create an account' }).click()
    await waitForFieldError(signUp, 'Enter an email address, such as ada@example.com.')
    await signUp.fill('barbara@b,c')
    const rejected = page.waitForResponse((response) => response.url().endsWith('/sign-up'))
    await page.getByRole('button', { name: 'Create an account' }).click()
    const { error } = (await (await rejected).json()) as { error: { errors: { message: string }[] } }
    await waitForFieldError(signUp, (error.errors[0]?.message ?? '').replace(/^email/, 'Email'))

    const mail = page.getByRole('textbox', { name: 'Email address', exact: true })
    await mail.fill('barbara')
    await page.getByRole('button', { name: 'Email me a sign-in link' }).click()
    await waitForFieldError(mail, 'Enter an email address, such as ada@example.com.')
    opened.assertClean()
  })

  test('the console has no forms for sign-in and sign-up by mail if the service sends no mail [console.sign_in.6]', async () => {
    await using silent = await startService({ workers: false })
    await using opened = await openPages(browser, silent)
    await opened.page.goto(`${silent.url}/console/`)
    await opened.page.getByLabel('API key').waitFor()
    await opened.page.waitForLoadState('networkidle')
    await waitForCount(opened.page.getByRole('textbox', { name: /mail address/i }), 0)
    opened.assertClean()
  })
})
