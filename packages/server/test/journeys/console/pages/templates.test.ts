import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForCount, waitForState, waitForValue } from '@mediamill/lab/support/console/page-state'
import { sharedService } from '@mediamill/lab/support/service'
import { sampleFile } from '../../../../src/outbound/fetch/samples.ts'

const product = (width: unknown) => ({
  name: 'product',
  endpoint: 'images/process',
  operations: [{ type: 'resize', width, height: 100 }],
  variables: { side: { type: 'integer', minimum: 8 } },
})

describe('templates in a browser', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService({ workers: false })
  const opened = await openPages(await sharedBrowser(), service, { kind: 'account', accountId: service.account.id })
  const { page } = opened
  const definition = async (id: string): Promise<unknown> =>
    JSON.parse(
      (
        await page
          .getByRole('region', { name: `The template ${id} as JSON` })
          .locator('code')
          .innerText()
      ).replaceAll('\u00a0', ' '),
    )

  test('in the console, a user can create a template from JSON, save a new version, see code that runs each version, and delete it', async () => {
    await page.goto(`${service.url}/console/`)
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByText('No templates yet').waitFor()
    await page.getByRole('button', { name: 'New template' }).click()
    const create = page.getByRole('dialog', { name: 'New template' })
    const json = create.getByRole('textbox', { name: 'JSON' })
    await json.fill(JSON.stringify(product({ variable: 'side' })))
    await create.getByRole('button', { name: 'Create template' }).click()
    await page.getByText('The newest version is product@1.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'product' }).waitFor()
    assert.deepEqual(await definition('product@1'), product({ variable: 'side' }))
    const code = page.getByRole('region', { name: 'Code for curl' })
    await code.getByText('product@1').waitFor()
    assert.match((await code.innerText()).replaceAll(/\s+/g, ''), /"template":"product@1","variables":\{"side":8\}/)

    await page.getByRole('button', { name: 'New version' }).click()
    const change = page.getByRole('dialog', { name: 'New version of product' })
    await waitForValue(
      change.getByRole('textbox', { name: 'JSON' }),
      JSON.stringify(product({ variable: 'side' }), null, 2),
    )
    await change.getByRole('textbox', { name: 'JSON' }).fill(JSON.stringify(product(64)))
    await change.getByRole('button', { name: 'Create version' }).click()
    await change.waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'The template product@2 as JSON' }).waitFor()
    assert.deepEqual(await definition('product@2'), product(64))
    const version = page.getByRole('combobox', { name: 'Version' })
    await waitForValue(version, 'Version 2 (newest)')
    await version.click()
    await page.getByRole('option', { name: 'Version 1', exact: true }).click()
    await page.waitForURL(/version=1/)
    await page.getByRole('region', { name: 'The template product@1 as JSON' }).waitFor()
    await page.reload()
    await page.getByRole('region', { name: 'The template product@1 as JSON' }).waitFor()

    await page.getByRole('link', { name: 'Open in playground' }).click()
    await waitForValue(page.getByRole('textbox', { name: 'Width' }), '8')
    await waitForValue(page.getByRole('textbox', { name: 'Height' }), '100')
    await page.goBack()
    await page.getByRole('link', { name: 'All templates' }).click()
    const row = page.getByRole('row').filter({ hasText: 'product' })
    await waitForState(async () => (await row.getByRole('cell').allInnerTexts()).slice(1, 3), ['product@2', '2'])
    await row.getByRole('button', { name: 'Delete' }).click()
    const remove = page.getByRole('dialog', { name: 'Delete the template product?' })
    await remove.getByText('All 2 versions are deleted').waitFor()
    await remove.getByRole('button', { name: 'Delete template' }).click()
    await page.getByText('No templates yet').waitFor()
    opened.assertClean()
  })

  test('the console saves the settings of the playground as a template, with a variable for an uploaded watermark', async () => {
    const uploaded = await fetch(`${service.url}/v1/uploads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.account.testKey}` },
      body: await readFile(sampleFile('logo.png')),
    })
    const { source } = (await uploaded.json()) as { source: string }
    const operations = [{ type: 'watermark', image_url: source, x: 5, y: 5 }]
    const search = new URLSearchParams({ operations: JSON.stringify(operations), format: 'webp' })
    await page.goto(`${service.url}/console/playground?${search}`)
    await page.getByRole('button', { name: 'Save as template' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as template' })
    const json = dialog.getByRole('textbox', { name: 'JSON' })
    const template = {
      name: 'my-template',
      endpoint: 'images/process',
      operations: [{ type: 'watermark', image_url: { variable: 'image_url' }, x: 5, y: 5 }],
      output: { format: 'webp' },
      variables: { image_url: { type: 'string' } },
    }
    await waitForValue(json, JSON.stringify(template, null, 2))
    await dialog.getByRole('button', { name: 'Save template' }).click()
    await page.getByRole('heading', { level: 1, name: 'my-template' }).waitFor()
    assert.deepEqual(await definition('my-template@1'), template)
    await page.goto(`${service.url}/console/playground?endpoint=images/read`)
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
    await waitForCount(page.getByRole('button', { name: 'Save as template' }), 0)
    opened.assertClean()
  })

  test("the console's dialog for a template shows the reason at the field if the JSON or a field of the template is invalid", async () => {
    await page.goto(`${service.url}/console/templates`)
    await page.getByRole('button', { name: 'New template' }).click()
    const dialog = page.getByRole('dialog', { name: 'New template' })
    const json = dialog.getByRole('textbox', { name: 'JSON' })
    const send = async (text: string) => {
      await json.fill(text)
      await dialog.getByRole('button', { name: 'Create template' }).click()
    }
    await send('{"name": product}')
    await dialog.getByText(/^The text must be valid JSON: .*product/).waitFor()
    const body = { ...product(0), name: 'Product', operations: 'flip' }
    await send(JSON.stringify(body))
    const { body: rejected } = await service.call('POST', '/v1/templates', { body })
    const messages = rejected.error.errors.map(({ message }: { message: string }) => message)
    assert.equal(messages.length, 2)
    for (const message of messages) await dialog.getByText(message, { exact: true }).waitFor()
    assert.equal(await json.getAttribute('aria-invalid'), 'true')
    await send('[]')
    await dialog.getByRole('alert').waitFor()
    assert.equal(await json.getAttribute('aria-invalid'), null)
    opened.assertClean()
  })
})
