import assert from 'node:assert/strict'
import type { LivedIn } from './lived-in-service.ts'
import { checkLooks } from './looks.ts'
import type { Pages } from './open-pages.ts'
import { layoutShift, painted, visibleSkipLink } from './page-state.ts'

/** The path of a page, which may contain ids of a `LivedIn` service, and the heading of the page. */
type ConsolePage = [path: (lived: LivedIn) => string, heading: string | RegExp]

/** Asserts that a page is accessible, fits its window, and violates no content policy. */
export async function checkPage(
  { service }: LivedIn,
  { page, assertClean }: Pages,
  path: string,
  heading: string | RegExp,
): Promise<void> {
  await page.goto(`${service.url}/console${path}`)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  const shift = await layoutShift(page)
  assert.ok(shift <= 0.1, `${path} moves its content by ${shift} while it loads`)
  await checkLooks(page, path, async (colorScheme) => {
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
    await painted(page)
    const visible = await visibleSkipLink(page)
    assert.ok(visible <= 0, `${visible} pixels of the link to the content are visible on ${path}`)
  })
  // Some of the pages show an object that does not exist, so allow its 404.
  assertClean(/\/999999 returned 404$/)
}

/** Operations that together have every kind of field: colors, filters, switches, numbers, and a watermark position. */
const ALL_FIELDS = JSON.stringify([
  { type: 'border', top: 1, bottom: 1, left: 1, right: 1, color: 'd9695f' },
  { type: 'filter', name: 'amaro' },
  { type: 'rotate', degrees: 5 },
  { type: 'watermark', image_url: 'https://example.com/logo.png', x: 5, y: 5 },
])

export const ACCOUNT_PAGES: ConsolePage[] = [
  [() => '/', 'Overview'],
  [() => '/requests', 'Requests'],
  [() => '/requests?status=queued', 'Requests'],
  [({ requests }) => `/requests/${requests.made}`, /Request \d+/],
  [({ requests }) => `/requests/${requests.failed}`, /Request \d+/],
  [() => '/requests/999999', 'Request 999999'],
  [() => `/playground?operations=${encodeURIComponent(ALL_FIELDS)}&outputs=[{"quality":"auto"}]`, 'Playground'],
  [() => '/filters', 'Filters and operations'],
  [() => '/templates', 'Templates'],
  [() => '/templates/product', 'product'],
  [() => '/templates/999999', '999999'],
  [() => '/usage', 'Usage'],
  [() => '/keys', 'API keys'],
  [() => '/webhooks', 'Webhooks'],
  [() => '/settings', 'Settings'],
  [() => '/nothing-here', 'Page not found'],
]

export const OPERATOR_PAGES: ConsolePage[] = [
  [() => '/operator/accounts', 'Accounts'],
  [({ accountId }) => `/operator/accounts/${accountId}`, 'Ada'],
  [() => '/operator/accounts/999999', 'Account 999999'],
  [() => '/operator/queue', 'Queue'],
  [() => '/operator/billing', 'Billing'],
  [() => '/operator/deliveries', 'Deliveries'],
  [() => '/operator/health', 'Health'],
  [() => '/operator/audit', 'Audit'],
  [() => '/settings', 'Settings'],
  [({ accountId }) => `/?account=${accountId}`, 'Overview'],
]
