import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { checkPage } from '@mediamill/lab/support/console/every-page'
import { startLivedIn } from '@mediamill/lab/support/console/lived-in-service'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { cutTexts, painted } from '@mediamill/lab/support/console/page-state'
import { shared } from '@mediamill/lab/support/shared'
import type { Locator } from 'playwright-core'
import { createKey } from '../../../../src/accounts/create-key.ts'
import { insertAudit } from '../../../../src/db/accounts/audit.ts'

describe('pages of the console with long content', { skip: WITHOUT_BROWSER }, async () => {
  const lived = shared(await startLivedIn())
  const browser = await sharedBrowser()
  const asAccount = await openPages(browser, lived.service, { kind: 'account', accountId: lived.accountId })

  test("the console's page of webhooks keeps the buttons and times of deliveries within a narrow window", async () => {
    const { page } = asAccount
    await page.setViewportSize({ width: 375, height: 900 })
    await page.goto(`${lived.service.url}/console/webhooks`)
    const button = await page.getByRole('button', { name: 'Resend' }).first().boundingBox()
    assert.ok(button !== null && button.x + button.width <= 375, JSON.stringify(button))
    await page.getByRole('row').nth(1).locator('time').filter({ visible: true }).waitFor()
  })

  test("the console's page of keys fits the window with the longest key name, and the key can still be revoked", async () => {
    const { page } = asAccount
    await createKey(lived.service.sql, lived.service.account.id, { mode: 'test', name: 'W'.repeat(100) })
    await checkPage(lived, asAccount, '/keys', 'API keys')
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 900 })
      await painted(page)
      const button = await page
        .getByRole('row')
        .filter({ hasText: 'WWW' })
        .getByRole('button', { name: 'Revoke' })
        .boundingBox()
      assert.ok(button !== null && button.x + button.width <= width, `${width}: ${JSON.stringify(button)}`)
    }
  })

  test('a console dialog and the list of changes show a long name in full', async () => {
    const { page } = asAccount
    const name = 'M'.repeat(100)
    const { accountId, service } = lived
    await createKey(service.sql, accountId, { mode: 'test', name })
    const change = { accountId, sessionId: null, actor: 'command', action: 'account.created', detail: {} } as const
    await insertAudit(service.sql, { ...change, subject: name })
    await page.setViewportSize({ width: 1280, height: 900 })
    const fits = async (text: Locator, within: Locator) => {
      const [inner, outer] = await Promise.all([text.boundingBox(), within.boundingBox()])
      assert.ok(inner !== null && outer !== null && inner.x + inner.width <= outer.x + outer.width)
    }
    await page.goto(`${service.url}/console/keys`)
    await page.getByRole('row').filter({ hasText: name }).getByRole('button', { name: 'Revoke' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading').waitFor()
    await fits(dialog.getByRole('heading'), dialog)
    await fits(dialog.getByRole('button', { name: 'Close' }), dialog)
    await page.goto(`${service.url}/console/settings`)
    const changes = page.getByRole('region', { name: 'Changes' })
    await fits(changes.getByText(name), changes)
    await fits(changes.getByRole('columnheader', { name: 'When' }), changes)
  })

  test("the console's page of a request shows all of the metadata, even with the longest metadata", async () => {
    const { service } = lived
    const metadata = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `${at}-`.padEnd(40, 'k'),
        at % 2 === 0 ? 'w'.repeat(500) : 'a few words '.repeat(41),
      ]),
    )
    const source = `${service.url}/docs/samples/photo.jpg`
    const { id } = await service.finish('/v1/images/read', { source, metadata })
    await checkPage(lived, asAccount, `/requests/${id}`, `Request ${id}`)
    const panel = asAccount.page.getByRole('region', { name: 'Metadata' })
    for (const text of Object.entries(metadata).flat()) {
      const box = await panel.getByText(text.trim(), { exact: true }).first().boundingBox()
      assert.ok((box?.width ?? 0) > 200, `${box?.width} ${text}`)
    }
    assert.deepEqual(await cutTexts(asAccount.page), [])
  })

  test("the console's page of a request keeps bidirectional controls in the name of its source encoded", async () => {
    const source = `${lived.receiver.url()}%E2%80%AEgpj.exe`
    const { id } = await lived.service.finish('/v1/images/read', { source })
    await asAccount.page.goto(`${lived.service.url}/console/requests/${id}`)
    await asAccount.page.getByText(`%E2%80%AEgpj.exe at ${lived.receiver.host}`).waitFor()
  })

  test('in a console session of an API key, the pages for account owners and operators show an accessible error and load no data [console.sign_in.5]', async () => {
    await using withKey = await openPages(browser, lived.service)
    const { page } = withKey
    await page.goto(`${lived.service.url}/console/`)
    await page.getByLabel('API key').fill(lived.service.account.testKey)
    await page.getByRole('button', { name: 'Sign in with this key' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    for (const path of [
      '/keys',
      '/webhooks',
      '/settings',
      '/operator/billing',
      `/operator/accounts/${lived.accountId}`,
    ]) {
      await checkPage(lived, withKey, path, 'You don’t have access to this page')
      assert.equal(await page.getByRole('alert').count(), 0, path)
    }
    await checkPage(lived, withKey, '/requests', 'Requests')
  })

  test("the console's sign-in page is accessible, fits the window, obeys its Content-Security-Policy, and contacts no other host", async () => {
    await using stranger = await openPages(browser, lived.service)
    await checkPage(lived, stranger, '/', 'Sign in')
    await checkPage(lived, stranger, '/#token=abc', 'Sign in')
  })
})
