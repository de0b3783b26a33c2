import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { assertReadable } from '@mediamill/lab/support/docs-page'
import { sharedService } from '@mediamill/lab/support/service'

/** The pages for which axe needs the most time, with their headings. */
const KINDS = {
  '/reference/calls': 'Every call',
  '/reference/requests': 'Requests',
} as const

describe('the large pages of the documentation in a browser', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService({ workers: false })
  const opened = await openPages(await sharedBrowser(), service)

  for (const [path, heading] of Object.entries(KINDS)) {
    test(`/docs${path} is accessible in both themes, fits a phone, and loads nothing from other hosts [docs.pages.1]`, async () => {
      await assertReadable(opened, `${service.url}/docs${path}`, heading)
    })
  }
})
