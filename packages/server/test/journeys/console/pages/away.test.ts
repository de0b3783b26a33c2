import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import type { Pages } from '@mediamill/lab/support/console/open-pages'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForCount } from '@mediamill/lab/support/console/page-state'
import { sharedService } from '@mediamill/lab/support/service'
import type { Route } from 'playwright-core'

describe('the pages of the console while the service is slow or unavailable', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService()
  const browser = await sharedBrowser()
  const signIn = () => openPages(browser, service, { kind: 'account', accountId: service.account.id })

  async function between({ context }: Pages, paths: string) {
    const line = { isAway: false }
    await context.route(paths, async (route: Route) =>
      line.isAway ? await route.abort('connectionrefused') : await route.continue(),
    )
    return line
  }

  async function holdChanges({ context }: Pages, path: string) {
    const held: Route[] = []
    await context.route(`**/console/api${path}`, async (route: Route) => {
      if (route.request().method() === 'POST') held.push(route)
      else await route.continue()
    })
    return held
  }

  test('while the service is unavailable, the console pages show an error and keep their content; afterwards they update by themselves', async () => {
    await using opened = await signIn()
    const { page } = opened
    const line = await between(opened, '**/console/api/**')
    const live = page.locator('#page').getByText('Updates live', { exact: true })
    await page.goto(`${service.url}/console/requests`)
    await live.waitFor()
    line.isAway = true
    await live.waitFor({ state: 'detached' })
    await waitForCount(page.getByText('No requests yet'), 1)
    line.isAway = false
    await live.waitFor()

    line.isAway = true
    await page.reload()
    await page.getByRole('alert').getByText('The service does not respond.').waitFor()
    line.isAway = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
    // React logs an error even if the page shows it as an alert.
    opened.assertClean(/^CallError: The service does not respond/)
  })

  test('without a network, the console pages report that the service does not respond, and finish a change with an error', async () => {
    await using opened = await signIn()
    const { page, context } = opened
    await page.goto(`${service.url}/console/playground`)
    await page.getByText('Free in test mode; $0.002 a request with a live key.').waitFor()
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('The service does not respond.').first().waitFor()
  })

  test('a console page that failed to load loads by itself when the service is available again', async () => {
    await using opened = await signIn()
    const { page } = opened
    const line = await between(opened, '**/console/**')
    await page.getByRole('link', { name: 'Usage' }).waitFor()
    line.isAway = true
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByText('The page opens when the connection works again.').waitFor()
    line.isAway = false
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
    await page.getByText('The page opens when the connection works again.').waitFor({ state: 'detached' })
  })

  test('the console pages send a change only once, even if the keyboard shortcut is pressed repeatedly', async () => {
    await using opened = await signIn()
    const { page } = opened
    const runs = await holdChanges(opened, '/images/process')
    await page.goto(`${service.url}/console/playground`)
    await page.getByText('Free in test mode; $0.002 a request with a live key.').waitFor()
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Run', exact: true }).and(page.locator('[data-loading]')).waitFor()
    assert.equal(runs.length, 1)
    await runs[0]?.continue()
    await page.getByRole('status').getByText('succeeded').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('status').getByText('succeeded').waitFor({ state: 'detached' })
    assert.equal(runs.length, 2)
    await runs[1]?.continue()

    const keys = await holdChanges(opened, '/keys')
    await page.goto(`${service.url}/console/keys`)
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('slow')
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Enter')
    // The user closed the dialog before the response. The page still shows a secret that is shown only once.
    await page.keyboard.press('Escape')
    assert.equal(keys.length, 1)
    await keys[0]?.continue()
    await page.getByRole('dialog', { name: 'The new test key' }).waitFor()
  })
})
