import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { startLivedIn } from '@mediamill/lab/support/console/lived-in-service'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForValue } from '@mediamill/lab/support/console/page-state'
import { shared } from '@mediamill/lab/support/shared'

describe('back and forward in a browser', { skip: WITHOUT_BROWSER }, async () => {
  const lived = shared(await startLivedIn())
  const opened = await openPages(await sharedBrowser(), lived.service, { kind: 'operator', accountId: lived.accountId })
  const { page } = opened
  const open = async (path: string, heading: string) => {
    await page.goto(`${lived.service.url}/console${path}`)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
  const pressed = (name: string) => page.getByRole('button', { name, exact: true, pressed: true })
  const search = () => new URL(page.url()).searchParams

  test("the browser's back and forward move through the filters of the request list, and keep the filters while a request is open", async () => {
    await open('/requests', 'Requests')
    await page.getByRole('button', { name: 'failed', exact: true }).click()
    await page.waitForURL(/status=failed/)
    await page.getByRole('link', { name: String(lived.requests.failed), exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /^Request \d+$/ }).waitFor()
    await page.goBack()
    await pressed('failed').waitFor()
    await page.goBack()
    await pressed('All').waitFor()
    assert.equal(search().get('status'), null)
    await page.goForward()
    await pressed('failed').waitFor()
    opened.assertClean()
  })

  test('the request list and the page of a template ignore wrong values in their URL', async () => {
    await open('/requests?status=["a"]&endpoint=5&mode=x&before=x', 'Requests')
    await pressed('All').waitFor()
    await page.getByRole('link', { name: String(lived.requests.failed), exact: true }).waitFor()
    await open('/templates/product?version=x', 'product')
    opened.assertClean()
  })

  test("the browser's back and forward keep the grouping of usage, the search of accounts, and the filter of deliveries in the console", async () => {
    await open('/usage', 'Usage')
    await page.getByRole('button', { name: 'By customer' }).click()
    await page.getByRole('cell', { name: 'bakery-7' }).waitFor()
    await page.reload()
    await pressed('By customer').waitFor()
    await page.getByRole('link', { name: 'Accounts' }).click()
    await page.getByRole('textbox', { name: 'Search' }).fill('ada')
    await page.waitForURL(/search=ada/)
    await page.getByRole('link', { name: 'Ada', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor()
    await page.goBack()
    await waitForValue(page.getByRole('textbox', { name: 'Search' }), 'ada')
    await page.goBack()
    await pressed('By customer').waitFor()

    await open('/webhooks', 'Webhooks')
    for (const status of ['pending', 'undelivered']) {
      await page.getByRole('button', { name: status, exact: true }).click()
      await page.getByText(`No ${status} events`).waitFor()
    }
    await page.goBack()
    await pressed('pending').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    opened.assertClean()
  })

  test("the browser's back and forward restore the playground's settings, while a link to the playground starts with the default settings", async () => {
    await open('/playground', 'Playground')
    const width = page.getByRole('textbox', { name: 'Width' })
    await width.fill('321')
    await page.waitForURL(/321/)
    await page.getByRole('link', { name: 'Playground', exact: true }).click()
    await page.waitForURL((url) => !url.search.includes('321'))
    await waitForValue(width, '800')
    await page.goBack()
    await page.waitForURL(/321/)
    await waitForValue(width, '321')
    await page.getByRole('link', { name: 'Filters' }).click()
    await page.getByRole('heading', { level: 1, name: 'Filters and operations' }).waitFor()
    await page.goBack()
    await width.waitFor()
    await waitForValue(width, '321')
    opened.assertClean()
  })
  test("the browser's back restores text that was typed in the playground just before a link or an address opened another page", async () => {
    await open('/playground', 'Playground')
    const width = page.getByRole('textbox', { name: 'Width' })
    await width.fill('432')
    await page.getByRole('link', { name: 'Filters' }).click()
    await page.getByRole('heading', { level: 1, name: 'Filters and operations' }).waitFor()
    await page.goBack()
    await width.waitFor()
    await waitForValue(width, '432')
    await width.fill('543')
    await page.goto(`${lived.service.url}/docs`)
    await page.goBack()
    await width.waitFor()
    await waitForValue(width, '543')

    await open('/operator/accounts', 'Accounts')
    await page.getByRole('textbox', { name: 'Search' }).fill('ad')
    await page.getByRole('link', { name: 'Queue' }).click()
    await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor()
    await waitForValue(page.getByRole('textbox', { name: 'Search' }), 'ad')
    opened.assertClean()
  })

  test('text typed in the playground just before going back in the browser returns after going forward, but not in other history entries of the playground', async () => {
    await open('/filters', 'Filters and operations')
    await page.getByRole('link', { name: 'Playground', exact: true }).click()
    const width = page.getByRole('textbox', { name: 'Width' })
    await width.fill('654')
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Filters and operations' }).waitFor()
    await page.goForward()
    await width.waitFor()
    await waitForValue(width, '654')
    await page.waitForURL(/654/)

    await width.fill('655')
    await page.getByRole('link', { name: 'Playground', exact: true }).click()
    await page.waitForURL((url) => !url.search.includes('operations'))
    await waitForValue(width, '800')
    await width.fill('777')
    await page.goBack()
    await page.waitForURL(/655/)
    await waitForValue(width, '655')
    await page.goForward()
    await page.waitForURL(/777/)
    await waitForValue(width, '777')
    await page.goBack()
    await page.waitForURL(/655/)
    await waitForValue(width, '655')
    opened.assertClean()
  })
})
