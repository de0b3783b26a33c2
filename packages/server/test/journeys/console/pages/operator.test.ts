import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForCount, waitForValue } from '@mediamill/lab/support/console/page-state'
import { startReceiver } from '@mediamill/lab/support/receiver'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { shared } from '@mediamill/lab/support/shared'

describe('an operator in a browser', { skip: WITHOUT_BROWSER }, async () => {
  const receiver = shared(await startReceiver())
  const service = await sharedService({ workers: false, allowed: [receiver.host] })
  const browser = await sharedBrowser()
  const opened = await openPages(browser, service, { kind: 'operator' })
  const { page } = opened
  const open = (path: string) => page.goto(`${service.url}/console${path}`)

  test('an operator opens an account, credits it once, limits and suspends it, and signs its owner in with a link', async () => {
    await open('/operator/accounts')
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByRole('textbox', { name: 'Email address' }).fill('not an address')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Enter a name.').waitFor()
    await page.getByText('Enter an email address, such as ada@example.com.').waitFor()
    await page.getByRole('textbox', { name: 'Email address' }).fill('')
    await page.getByRole('textbox', { name: 'Name' }).fill('Bakery')
    await page.getByRole('button', { name: 'Create account' }).click()
    const key = await page.getByLabel('Live key').inputValue()
    assert.equal((await service.call('GET', '/v1/account', { key })).body.name, 'Bakery')
    await page.getByRole('button', { name: 'I saved them' }).click()
    await page.getByRole('link', { name: 'Bakery' }).click()
    await page.getByRole('heading', { level: 1, name: 'Bakery' }).waitFor()

    const dollars = page.getByRole('textbox', { name: 'Dollars' })
    const reference = page.getByRole('textbox', { name: 'Reference' })
    await dollars.fill('many')
    await reference.fill('invoice 7')
    const credit = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click()
      await page
        .getByRole('dialog', { name: `${name} to Bakery?` })
        .getByRole('button', { name, exact: true })
        .click()
    }
    await credit('Credit many')
    await page.locator('.mantine-TextInput-error').waitFor()
    await dollars.fill('25.00')
    await credit('Credit $25.00')
    await page.getByText('Credited $25.00 to Bakery.').waitFor()
    await page.getByText('$26.00').first().waitFor()
    const { body } = await service.call('GET', '/v1/account', { key })
    assert.deepEqual([body.balance.amount, body.tier], ['26.000000', 'paid'])

    const concurrent = page.getByRole('textbox', { name: 'Concurrent requests' })
    // The form would send a minus sign as no limit.
    await concurrent.pressSequentially('-')
    assert.equal(await concurrent.inputValue(), '')
    await concurrent.fill('3')
    const largest = page.getByRole('textbox', { name: 'Largest source' })
    assert.equal(await largest.getAttribute('placeholder'), '2 GB')
    await largest.fill('1.5')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('Saved the limits.').waitFor()
    const { limits } = (await service.call('GET', '/v1/account', { key })).body
    assert.deepEqual([limits.concurrent_requests, limits.max_source_bytes], [3, 1.5 * 1024 * 1024])
    await page.reload()
    await waitForValue(largest, '1.5 MB')

    await page.getByRole('button', { name: 'Create sign-in link' }).click()
    const link = await page.getByLabel('Sign-in link').inputValue()
    await using owner = await openPages(browser, service)
    await owner.page.goto(link)
    await owner.page.getByRole('button', { name: 'Sign in to the console' }).click()
    await owner.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend account' }).click()
    await page.getByRole('button', { name: 'Lift suspension' }).waitFor()
    assert.equal((await service.call('GET', '/v1/account', { key })).status, 403)
    await page.setViewportSize({ width: 375, height: 900 })
    await open('/operator/accounts')
    await page.getByRole('row').filter({ hasText: 'Bakery' }).getByText('suspended').filter({ visible: true }).waitFor()
    await page.setViewportSize({ width: 1280, height: 900 })
    opened.assertClean()
  })

  test('an operator invites a person if SIGN_UP requires invitations, and the link opens the account [console.sign_in.7]', async () => {
    await using inviting = await startService({ workers: false, settings: { SIGN_UP: 'invite' } })
    await using operator = await openPages(browser, inviting, { kind: 'operator' })
    await operator.page.goto(`${inviting.url}/console/operator/accounts`)
    await operator.page.getByRole('button', { name: 'Invite a user' }).click()
    const dialog = operator.page.getByRole('dialog', { name: 'Invite a user' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Alan')
    await dialog.getByRole('textbox', { name: 'Email address' }).fill('alan@b@c')
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    await dialog.locator('.mantine-TextInput-error').waitFor()
    await dialog.getByRole('textbox', { name: 'Email address' }).fill('alan@example.com')
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    const link = await operator.page.getByLabel('Invitation link').inputValue()
    await operator.page.getByText('No email was sent').waitFor()

    await using guest = await openPages(browser, inviting)
    await guest.page.goto(link)
    await guest.page.getByRole('button', { name: 'Sign in to the console' }).click()
    await guest.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await guest.page.getByRole('button', { name: 'Alan' }).waitFor()
    operator.assertClean()
    guest.assertClean()

    await open('/operator/accounts')
    await page.getByRole('button', { name: 'New account' }).waitFor()
    await waitForCount(page.getByRole('button', { name: 'Invite a user' }), 0)
  })

  test('if the requests of one lane wait too long, the health and queue pages mark the lane as stuck, and an operator can abort its request', async () => {
    const source = `${service.url}/docs/samples/report.pdf`
    const { body } = await service.call('POST', '/v1/documents/read', { body: { source } })
    await service.call('POST', '/v1/images/read', { body: { source: `${service.url}/docs/samples/photo.jpg` } })
    await service.sql`update requests set created_at = created_at - interval '5 minutes' where id = ${body.id}`
    await service.sql`update jobs set created_at = created_at - interval '5 minutes' where record_id = ${body.id}`
    await open('/operator/health')
    const shown = page.getByRole('alert', { name: 'A queue lane is stuck' })
    await shown.getByText('PDFs').waitFor()
    assert.doesNotMatch(await shown.innerText(), /image/i)
    await shown.getByRole('link', { name: 'View the queue' }).click()
    await page.getByRole('region', { name: 'Lane PDFs' }).getByText('stuck').waitFor()
    await waitForCount(page.getByText('stuck', { exact: true }), 1)
    await page
      .getByRole('region', { name: 'Waiting longest' })
      .getByRole('link', { name: String(body.id) })
      .click()
    await page.getByText('as an operator').waitFor()
    await page.getByRole('button', { name: 'Abort' }).click()
    await page.getByText('aborted').first().waitFor()
    opened.assertClean()
  })

  test('an operator verifies the ledger, and resends abandoned events', async () => {
    await open('/operator/billing')
    await page.getByRole('button', { name: 'Verify the ledger' }).click()
    await page.getByText('No differences').waitFor()

    const { body } = await service.call('POST', '/v1/images/read', {
      body: { source: `${service.url}/docs/samples/photo.jpg`, webhook_url: receiver.url('/late') },
    })
    await service.call('POST', `/v1/requests/${body.id}/abort`)
    await service.sql`
      update events set status = 'undelivered', attempts = 4, due_at = null where request_id = ${body.id}`
    await open('/operator/deliveries')
    await page.getByRole('button', { name: 'Resend all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resend all' }).click()
    await page.getByText('No failed deliveries').waitFor()
    // This service has no worker, so the resent event stays queued.
    const [event] = await service.sql`select status from events where request_id = ${body.id}`
    assert.equal(event?.['status'], 'pending')
    opened.assertClean()
  })
})
