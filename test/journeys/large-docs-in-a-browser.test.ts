import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchChromium, WITHOUT_BROWSER } from '../support/console/chromium.ts'
import type { Pages } from '../support/console/open-pages.ts'
import { openPages } from '../support/console/open-pages.ts'
import { assertReadable } from '../support/docs-page.ts'
import type { Service } from '../support/service.ts'
import { startService } from '../support/service.ts'

/** The pages that axe takes longest for. */
const KINDS = {
  '/interface': 'The interface',
  '/reference': 'API reference',
} as const

describe('the large pages of the documentation in a browser', { skip: WITHOUT_BROWSER }, () => {
  let service: Service
  let browser: Browser
  let opened: Pages
  before(async () => {
    service = await startService({ workers: false })
    browser = await launchChromium()
    opened = await openPages(browser, service)
  })
  after(async () => {
    await browser.close()
    await service[Symbol.asyncDispose]()
  })

  for (const [path, heading] of Object.entries(KINDS)) {
    test(`/docs${path} is accessible in both themes, fits a telephone, and asks nobody else [rulings 13, 14]`, async () => {
      await assertReadable(opened, `${service.url}/docs${path}`, heading)
    })
  }
})
