import { after, before } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchChromium } from './chromium.ts'

/** What tests of pages start with: a browser, and a way to name what is to be ended after them. */
export type InBrowser = { browser: Browser; use: <Started extends AsyncDisposable>(started: Started) => Started }

/**
 * Opens a browser before the tests of a `describe`, and ends it and all that `start` has named after them.
 *
 * The browser goes first, for its open calls would keep a service waiting; then what was named last. Where starting
 * fails, what was started until then ends all the same.
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
