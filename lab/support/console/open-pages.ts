import assert from 'node:assert/strict'
import type { LinkTarget } from '@mediamill/server/accounts/sign-in/links'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { tokenFor } from '../browser.ts'
import type { Service } from '../service.ts'

type Look = { scheme?: 'light' | 'dark'; width?: number; height?: number; timeZone?: string }

export type Pages = AsyncDisposable & {
  page: Page
  context: BrowserContext
  /** Fails if a page called another host, logged an error, or made a rejected call. Allows forms and `told` errors. */
  assertClean: (told?: RegExp) => void
}

export async function openPages(
  browser: Browser,
  service: Service,
  target?: LinkTarget,
  look: Look = {},
): Promise<Pages> {
  const { scheme = 'light', width = 1280, height = 900, timeZone } = look
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const faults: string[] = []
  const own = new URL(service.url).origin
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (!['data:', 'blob:'].includes(url.protocol) && url.origin !== own)
      faults.push(`called another host: ${url.href}`)
  })
  // Record rejected calls here, because the console's log names no call. Forms may be rejected.
  context.on('response', (response) => {
    const { method, path } = { method: response.request().method(), path: new URL(response.url()).pathname }
    const isForm = method !== 'GET' && !path.endsWith('/estimate') && !path.endsWith('/estimates')
    if (response.status() >= 400 && !isForm) faults.push(`${method} ${path} returned ${response.status()}`)
  })
  context.on('console', (message) => {
    const text = message.text()
    // The handler above already records resources that fail to load.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) faults.push(text)
  })
  context.on('weberror', (error) => faults.push(String(error.error())))
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  if (target !== undefined) {
    await page.goto(`${service.url}/console/#token=${await tokenFor(service, target)}`)
    await page.getByRole('button', { name: 'Sign in to the console' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
  }
  return {
    page,
    context,
    assertClean: (told) =>
      assert.deepEqual(told === undefined ? faults : faults.filter((fault) => !told.test(fault)), []),
    [Symbol.asyncDispose]: () => context.close(),
  }
}
