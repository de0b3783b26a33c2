import type { AccountId } from '@mediamill/contract/domain/ids'
import { launchChromium } from '../support/console/chromium.ts'
import { openPages } from '../support/console/open-pages.ts'
import type { Service } from '../support/service.ts'

const ROUNDS = 10

/**
 * Milliseconds until the largest part of each page is painted, in a browser that has none of its files yet.
 *
 * It is signed in already: each round is a window of its own, with the session and an empty cache.
 */
export async function* paintsOf(service: Service, accountId: AccountId, paths: readonly string[]) {
  const browser = await launchChromium()
  try {
    await using opened = await openPages(browser, service, { kind: 'account', accountId })
    const storageState = await opened.context.storageState()
    for (const path of paths) {
      const times: number[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const context = await browser.newContext({ storageState, viewport: { width: 1280, height: 900 } })
        const page = await context.newPage()
        await page.goto(`${service.url}/console${path}`, { waitUntil: 'networkidle' })
        await page.getByRole('heading', { level: 1 }).waitFor()
        times.push(await page.evaluate<number>(LARGEST_PAINT))
        await context.close()
      }
      yield { path, times }
    }
  } finally {
    await browser.close()
  }
}

const LARGEST_PAINT = `new Promise((resolve) =>
  new PerformanceObserver((found) => resolve(found.getEntries().at(-1).startTime)).observe({
    type: 'largest-contentful-paint',
    buffered: true,
  }),
)`
