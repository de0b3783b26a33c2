import { after, before, describe, test } from 'node:test'
import { launchChromium, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import type { Pages } from '@mediamill/lab/support/console/open-pages'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { assertReadable } from '@mediamill/lab/support/docs-page'
import type { Service } from '@mediamill/lab/support/service'
import { startService } from '@mediamill/lab/support/service'
import type { Browser } from 'playwright-core'

/** The pages for which axe needs the most time, with their headings. */
const KINDS = {
  '/reference/calls': 'Every call',
  '/reference/requests': 'Requests',
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
    test(`/docs${path} is accessible in both themes, fits a phone, and loads nothing from other hosts [docs.pages.1]`, async () => {
      await assertReadable(opened, `${service.url}/docs${path}`, heading)
    })
  }
})
