import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { createKey } from '../../../../src/accounts/create-key.ts'
import { axeViolations } from '../../../support/console/axe.ts'
import { launchChromium, WITHOUT_BROWSER } from '../../../support/console/chromium.ts'
import { inBrowser } from '../../../support/console/in-browser.ts'
import type { LivedIn } from '../../../support/console/lived-in-service.ts'
import { startLivedIn } from '../../../support/console/lived-in-service.ts'
import type { Pages } from '../../../support/console/open-pages.ts'
import { openPages } from '../../../support/console/open-pages.ts'
import { cutTexts, overhang, painted } from '../../../support/console/page-facts.ts'

const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 375].map((width) => ({ colorScheme, width })),
)

describe('every page of the console', { skip: WITHOUT_BROWSER }, () => {
  let lived: LivedIn
  let browser: Browser
  let asAccount: Pages
  let asOperator: Pages
  inBrowser(async (started) => {
    const { use } = started
    browser = started.browser
    lived = use(await startLivedIn())
    asAccount = await openPages(browser, lived.service, { kind: 'account', accountId: lived.accountId })
    asOperator = await openPages(browser, lived.service, { kind: 'operator' })
  })

  /** Looks at a page in both themes and both widths; nothing may be wrong with it in any. */
  async function look({ page, assertClean }: Pages, path: string, heading: string | RegExp) {
    await page.goto(`${lived.service.url}/console${path}`)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
    for (const { colorScheme, width } of LOOKS) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
      await painted(page)
      assert.deepEqual(await axeViolations(page), [], `${path}, ${colorScheme}, ${width}`)
      const excess = await overhang(page)
      assert.ok(excess <= 0, `${path} is ${excess} pixels too wide at ${width}`)
    }
    assertClean()
  }

  const ofAccount: [path: (lived: LivedIn) => string, heading: string | RegExp][] = [
    [() => '/', 'Overview'],
    [() => '/requests', 'Requests'],
    [() => '/requests?status=queued', 'Requests'],
    [({ requests }) => `/requests/${requests.made}`, /Request \d+/],
    [({ requests }) => `/requests/${requests.failed}`, /Request \d+/],
    [() => '/requests/999999', 'Request 999999'],
    [() => `/playground?operations=${encodeURIComponent(ALL_FIELDS)}`, 'Playground'],
    [() => '/looks', 'Looks and operations'],
    [() => '/usage', 'Usage'],
    [() => '/keys', 'API keys'],
    [() => '/webhooks', 'Webhooks'],
    [() => '/settings', 'Settings'],
    [() => '/nothing-here', 'No such page'],
  ]
  for (const [path, heading] of ofAccount) {
    test(`of an account (${heading}) is accessible, fits, breaks no policy and asks nobody else [rulings 20]`, () =>
      look(asAccount, path(lived), heading))
  }

  const ofOperator: [path: (lived: LivedIn) => string, heading: string | RegExp][] = [
    [() => '/operator/accounts', 'Accounts'],
    [({ accountId }) => `/operator/accounts/${accountId}`, 'Ada'],
    [() => '/operator/accounts/999999', 'Account 999999'],
    [() => '/operator/queue', 'Queue'],
    [() => '/operator/money', 'Money'],
    [() => '/operator/deliveries', 'Deliveries'],
    [() => '/operator/health', 'Health'],
    [() => '/operator/audit', 'Audit'],
    [({ accountId }) => `/?account=${accountId}`, 'Overview'],
  ]
  for (const [path, heading] of ofOperator) {
    test(`of the operator (${heading}) is accessible, fits, breaks no policy and asks nobody else [rulings 20]`, () =>
      look(asOperator, path(lived), heading))
  }

  test('cuts nothing off for a browser whose text is twice as large [rulings 20]', async () => {
    const large = await launchChromium({ fontSize: 32 })
    try {
      await using account = await openPages(large, lived.service, { kind: 'account', accountId: lived.accountId })
      await using operator = await openPages(large, lived.service, { kind: 'operator' })
      for (const [{ page }, pages] of [
        [account, ofAccount],
        [operator, ofOperator],
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

  test('keeps its frame within a narrow window of large text: who is signed in, and the way past the menu [rulings 20]', async () => {
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
      const past = page.getByRole('link', { name: 'To the page' })
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

  test('of webhooks keeps the buttons of deliveries within a narrow window [rulings 20]', async () => {
    const { page } = asAccount
    await page.setViewportSize({ width: 375, height: 900 })
    await page.goto(`${lived.service.url}/console/webhooks`)
    const button = await page.getByRole('button', { name: 'Resend' }).first().boundingBox()
    assert.ok(button !== null && button.x + button.width <= 375, JSON.stringify(button))
  })

  test('of keys with the longest name fits, and each can still be revoked [rulings 20]', async () => {
    const { page } = asAccount
    await createKey(lived.service.sql, lived.service.account.id, { mode: 'test', name: 'W'.repeat(100) })
    await look(asAccount, '/keys', 'API keys')
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 900 })
      const button = await page
        .getByRole('row')
        .filter({ hasText: 'WWW' })
        .getByRole('button', { name: 'Revoke' })
        .boundingBox()
      assert.ok(button !== null && button.x + button.width <= width, `${width}: ${JSON.stringify(button)}`)
    }
  })

  test('of a request with the longest metadata shows all of it [rulings 20]', async () => {
    const { service } = lived
    const metadata = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `${at}-`.padEnd(40, 'k'),
        at % 2 === 0 ? 'w'.repeat(500) : 'a few words '.repeat(41),
      ]),
    )
    const source = `${service.url}/docs/samples/photo.jpg`
    const { id } = await service.finish('/v1/images/read', { source, metadata })
    await look(asAccount, `/requests/${id}`, `Request ${id}`)
    const panel = asAccount.page.getByRole('region', { name: 'Metadata' })
    for (const text of Object.entries(metadata).flat()) {
      const box = await panel.getByText(text.trim(), { exact: true }).first().boundingBox()
      assert.ok((box?.width ?? 0) > 200, `${box?.width} ${text}`)
    }
    assert.deepEqual(await cutTexts(asAccount.page), [])
  })

  test('that a key does not open says so, accessibly, and asks for nothing of it [rulings 20]', async () => {
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
      '/operator/money',
      `/operator/accounts/${lived.accountId}`,
    ]) {
      await look(withKey, path, 'Not with this sign-in')
      assert.equal(await page.getByRole('alert').count(), 0, path)
    }
    await look(withKey, '/requests', 'Requests')
  })

  test('for signing in is accessible, fits, breaks no policy and asks nobody else [rulings 20]', async () => {
    await using stranger = await openPages(browser, lived.service)
    await look(stranger, '/', 'Sign in')
    await look(stranger, '/#token=abc', 'Sign in')
  })
})

/** An operation of every kind of field: colours, looks, switches, numbers, and a watermark to be placed. */
const ALL_FIELDS = JSON.stringify([
  { type: 'border', top: 1, bottom: 1, left: 1, right: 1, color: 'd9695f' },
  { type: 'filter', name: 'amaro' },
  { type: 'rotate', degrees: 5 },
  { type: 'watermark', image_url: 'https://example.com/logo.png', x: 5, y: 5 },
])
