import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForState } from '@mediamill/lab/support/console/page-state'
import { aliveWorker } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { claim, updateProgress } from '../../../../src/requests/claim.ts'

describe('a running video request in a browser', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService({ workers: false })
  const opened = await openPages(await sharedBrowser(), service, { kind: 'account', accountId: service.account.id })
  const { page } = opened

  test('a running video request shows its progress on its page and in the playground, and can be aborted there', async () => {
    await page.goto(`${service.url}/console/playground?endpoint=videos/process&operations=[]`)
    const run = page.getByRole('button', { name: 'Run', exact: true })
    await page.getByText('Add an operation to run the request.').waitFor()
    await waitForState(() => run.isDisabled(), true)
    assert.equal(await page.getByRole('alert').count(), 0)

    await page.getByRole('button', { name: 'Add an operation' }).click()
    await page.getByRole('menuitem', { name: /^Resize/ }).click()
    await run.click()
    await page.getByText('Waiting for a worker').waitFor()
    const taken = await claim(service.sql, await aliveWorker(service.sql), 'video', [])
    assert.ok(taken !== undefined)
    await updateProgress(service.sql, taken.lease, 42)
    await page.getByText(/^42 %, \d+ s elapsed$/).waitFor()

    await using other = await openPages(opened.context.browser() ?? assert.fail(), service, {
      kind: 'account',
      accountId: service.account.id,
    })
    await other.page.goto(`${service.url}/console/requests/${taken.request.id}`)
    await other.page.getByText(/^42 %, \d+ s elapsed$/).waitFor()
    await waitForState(() => other.page.getByRole('progressbar').getAttribute('aria-valuenow'), '42')

    await page.getByRole('button', { name: 'Abort' }).click()
    await page.getByRole('status').getByText('aborted').waitFor()
    // An abort records no stages, so the timeline shows only the queued time and the rest.
    await other.page.getByText('Until the abort').waitFor()
    assert.equal(await other.page.getByText('Download', { exact: true }).count(), 0)
    opened.assertClean()
  })
})
