import { after, before } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchChromium } from './chromium.ts'

type InBrowser = { browser: Browser; use: <Started extends AsyncDisposable>(started: Started) => Started }

/**
 * Opens a browser before the tests of a `describe`, and calls `start`. After the tests, closes the browser first,
 * because its open calls would delay the stop of a service.
 */
export function inBrowser(start: (given: InBrowser) => Promise<void>): void {
  const stack = new AsyncDisposableStack()
  let browser: Browser | undefined
  before(async () => {
    browser = await launchChromium()
    await start({ browser, use: (started) => stack.use(started) })
  })
  after(async () => {
    await browser?.close()
    await stack.disposeAsync()
  })
}
