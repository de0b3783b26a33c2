import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { startLivedIn } from '@mediamill/lab/support/console/lived-in-service'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { clipboardText, cutTexts, waitForCount, waitForState } from '@mediamill/lab/support/console/page-state'
import { shared } from '@mediamill/lab/support/shared'

describe('an account owner in a browser', { skip: WITHOUT_BROWSER }, async () => {
  const lived = shared(await startLivedIn())
  const browser = await sharedBrowser()
  const opened = await openPages(browser, lived.service, { kind: 'account', accountId: lived.accountId })
  const { page } = opened
  const open = (path: string) => page.goto(`${lived.service.url}/console${path}`)

  test('a new key is shown once, in a dialog that does not close by accident, works, and can be revoked in the console [auth.keys.3]', async () => {
    await open('/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('web shop')
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'The new test key' })
    const key = await dialog.getByLabel('Key', { exact: true }).inputValue()
    assert.match(key, /^svc_test_/)
    await page.keyboard.press('Escape')
    assert.equal((await lived.service.call('GET', '/v1/account', { key })).status, 200)
    await dialog.getByRole('button', { name: 'Copy' }).click()
    assert.equal(await clipboardText(page), key)
    assert.deepEqual(await cutTexts(page), [])
    await dialog.getByRole('button', { name: 'I saved it' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(key))

    const row = page.getByRole('row').filter({ hasText: 'web shop' })
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page
      .getByRole('dialog', { name: 'Revoke the key “web shop” (' })
      .getByRole('button', { name: 'Revoke key' })
      .click()
    await row.getByText('revoked').waitFor()
    assert.equal((await lived.service.call('GET', '/v1/account', { key })).status, 401)
    opened.assertClean()
  })

  test('an account owner creates a restricted key in the console, and the list of keys shows its restrictions [auth.restricted.1]', async () => {
    await open('/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    const create = page.getByRole('dialog', { name: 'New API key' })
    await create.getByRole('textbox', { name: 'Name' }).fill('avatar form')
    const restrict = create.getByRole('checkbox', { name: 'Restrict the key' })
    await restrict.check()
    await create.getByRole('button', { name: 'Create key' }).click()
    await create.getByText('Choose at least one restriction, or clear this checkbox.').waitFor()
    await waitForState(() => restrict.getAttribute('aria-invalid'), 'true')
    await create.getByRole('combobox', { name: 'Allowed endpoints' }).click()
    for (const name of ['images/process', 'uploads']) await page.getByRole('option', { name, exact: true }).click()
    await page.keyboard.press('Escape')
    await create.getByRole('checkbox', { name: 'Only create requests' }).check()
    await create.getByRole('textbox', { name: 'Allowed origins' }).fill('https://shop.example, nothing')
    await create.getByRole('textbox', { name: 'Daily spending limit' }).fill('2.50')
    await create.getByLabel('Expires on').fill('2099-12-31')
    await create.getByRole('button', { name: 'Create key' }).click()
    await create.locator('.mantine-TextInput-error').waitFor()
    await create.getByRole('textbox', { name: 'Allowed origins' }).fill('https://shop.example')
    await create.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'The new test key' })
    const key = await dialog.getByLabel('Key', { exact: true }).inputValue()
    assert.match(key, /^svc_test_r_/)
    await dialog.getByRole('button', { name: 'I saved it' }).click()
    const row = page.getByRole('row').filter({ hasText: 'avatar form' })
    for (const line of [
      'Endpoints: images/process, uploads',
      'Cannot read requests or the account, or change templates',
      'Origins: https://shop.example',
      'At most $2.50 a day',
      'Expires Dec 31, 2099',
    ]) {
      await row.getByText(line).waitFor()
    }
    const headers = { origin: 'https://shop.example' }
    const { body } = await lived.service.call('GET', '/v1/account', { key, headers })
    assert.equal(body.error.code, 'key_restricted')
  })

  test('in the console, an account owner sets and tests the webhook, resends an event, and rolls the webhook secret [webhooks.signature.4]', async () => {
    await open('/webhooks')
    const address = page.getByRole('textbox', { name: 'Public https URL' })
    await address.fill('http://localhost/hooks')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.mantine-TextInput-error').waitFor()
    await address.fill(lived.receiver.url('/other'))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the webhook URL.').waitFor()
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByText('Delivered', { exact: true }).waitFor()
    assert.equal(lived.receiver.received.at(-1)?.path, '/other')

    const before_ = lived.receiver.received.length
    await page.getByRole('button', { name: 'Resend' }).first().click()
    await lived.receiver.arrived(before_ + 1)
    await page.getByRole('row').filter({ hasText: 'Resent.' }).getByText('delivered').waitFor()

    await page.getByRole('button', { name: 'Roll secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll secret' }).click()
    const secret = await page.getByRole('dialog').getByLabel('Secret', { exact: true }).inputValue()
    assert.match(secret, /^whsec_/)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText(/still signs until/).waitFor()
    opened.assertClean()
  })

  test('in the console, an account owner can find a failed request by a filter, and can see which of its operations failed', async () => {
    await open('/requests')
    await page.getByRole('button', { name: 'failed', exact: true }).click()
    await page.waitForURL(/status=failed/)
    await page.getByRole('textbox', { name: 'Customer' }).fill('florist-2')
    await page.waitForURL(/customer=florist-2/)
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
    await page.getByRole('row').nth(1).getByText('processing_failed').waitFor()
    const row = page.getByRole('row').nth(1)
    await row.getByText('photo.jpg').waitFor()
    await row.getByText('images/process · resize, crop').waitFor()
    // The whole row is a link.
    await row.getByRole('cell', { name: 'florist-2' }).click({ force: true })
    await page.getByRole('heading', { level: 1, name: `Request ${lived.requests.failed}` }).waitFor()
    await page.getByText('processing_failed').first().waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Crop' }).getByLabel('Failed here:').waitFor()
    await page.getByRole('link', { name: 'Open in playground' }).click()
    await page.getByRole('button', { name: 'Move Crop', exact: true }).waitFor()
    await page.waitForURL(/crop/)
    opened.assertClean()
  })

  test('in the console, a metadata filter without a value is an error, and does not show an unfiltered list', async () => {
    await open('/requests')
    const metadata = page.getByRole('textbox', { name: 'Metadata' })
    await metadata.fill('order')
    await page.getByText('Enter a key and a value, such as order=1977.').waitFor()
    await waitForCount(page.getByRole('group', { name: 'Requests' }), 0)
    await metadata.fill('order=1977')
    await page.getByText('Enter a key and a value, such as order=1977.').waitFor({ state: 'detached' })
    opened.assertClean()
  })

  test('the console shows the error of a filter once, at its field, and does not repeat a rejected call', async () => {
    await using own = await openPages(browser, lived.service, { kind: 'account', accountId: lived.accountId })
    await own.page.goto(`${lived.service.url}/console/usage`)
    await own.page.getByLabel('From').fill('2026-12-01')
    await own.page.getByLabel('To').fill('2026-11-01')
    await own.page.getByText(/^From must not be after to/).waitFor()
    assert.equal(await own.page.getByRole('alert').count(), 0)
    await own.page.goto(`${lived.service.url}/console/requests`)
    const customer = own.page.getByRole('textbox', { name: 'Customer' })
    await own.page.clock.install()
    await customer.fill('x'.repeat(65))
    await own.page.clock.runFor(1000)
    await waitForState(() => customer.getAttribute('aria-invalid'), 'true')
    assert.equal(await own.page.getByRole('alert').count(), 0)
    let calls = 0
    own.page.on('request', () => (calls += 1))
    await own.page.clock.runFor(10_000)
    assert.equal(calls, 0)
  })

  test('the console shows times in the time zone of the browser, the UTC time in a tooltip, and days in UTC', async () => {
    const { sql } = lived.service
    await sql`update accounts set created_at = '2026-03-01T20:30:00Z' where id = ${lived.accountId}`
    await sql`update api_keys set last_used_on = '2026-03-01' where name = 'staging'`
    await using indian = await openPages(
      browser,
      lived.service,
      { kind: 'account', accountId: lived.accountId },
      { timeZone: 'Asia/Kolkata' },
    )
    const { page: there } = indian
    await there.goto(`${lived.service.url}/console/settings`)
    const created = there.getByText('Mar 2, 2026, 02:00:00', { exact: true })
    await waitForState(() => created.getAttribute('title'), 'Mar 1, 2026, 20:30:00 UTC')
    const opened = there.getByRole('region', { name: 'Sessions' }).locator('time').last()
    assert.match(
      (await opened.getAttribute('title')) ?? '',
      /^\w{3} \d+, 20\d\d, [\d:]{8}\n\w{3} \d+, 20\d\d, [\d:]{8} UTC$/,
    )
    await there.getByRole('region', { name: 'Changes' }).getByText('Sign-in link created').first().waitFor()
    await there.goto(`${lived.service.url}/console/keys`)
    await there.getByRole('row').filter({ hasText: 'staging' }).getByText('Mar 1, 2026', { exact: true }).waitFor()
    indian.assertClean()
  })

  test('the console can group usage, and can save it as a CSV file for spreadsheets', async () => {
    await open('/usage')
    await page.getByRole('button', { name: 'By customer' }).click()
    await page.getByRole('cell', { name: 'bakery-7' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
    const [names, ...lines] = Buffer.concat(chunks).toString().trim().split('\r\n')
    assert.equal(names, 'customer,requests,succeeded,failed,spent,source_bytes,result_bytes')
    assert.ok(
      lines.some((line) => line.startsWith('bakery-7,2,2,0,0.004000,')),
      lines.join('\n'),
    )
    opened.assertClean()
  })

  test('an account owner can end a session of another browser on the settings page, and the session ends at once [console.sessions.1]', async () => {
    await using other = await openPages(browser, lived.service, { kind: 'account', accountId: lived.accountId })
    await open('/settings')
    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
    await page.getByText('Signed out the session.').waitFor()
    await other.page.goto(`${lived.service.url}/console/requests`)
    await other.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await page
      .getByRole('region', { name: 'Changes' })
      .getByText(/Key revoked|Session/)
      .first()
      .waitFor()
    opened.assertClean()
  })
})
