import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForCount, waitForState } from '@mediamill/lab/support/console/page-state'
import { sharedService } from '@mediamill/lab/support/service'
import { sampleFile } from '../../../../src/outbound/fetch/samples.ts'

describe('a request with outputs in a browser', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService()
  const opened = await openPages(await sharedBrowser(), service, { kind: 'account', accountId: service.account.id })
  const { page } = opened

  test('the console page of a request with outputs shows every file by its name, with its size and a download', async () => {
    const content = { 'content-type': 'image/jpeg' }
    const upload = await fetch(`${service.url}/v1/uploads`, {
      method: 'POST',
      headers: { ...content, authorization: `Bearer ${service.account.liveKey}` },
      body: await readFile(sampleFile('photo.jpg')),
    })
    const { source } = (await upload.json()) as { source: string }
    const resize = (side: number) => [{ type: 'resize', width: side, height: side }]
    const { id } = await service.finish('/v1/images/process', {
      source,
      outputs: [
        { name: 'large', format: 'webp', operations: resize(640) },
        { name: 'small', format: 'avif', operations: resize(200) },
        { operations: resize(100), format: 'tif' },
      ],
    })
    await page.goto(`${service.url}/console/requests/${id}`)
    const tabs = page.getByRole('tablist', { name: 'Files of the result' }).getByRole('tab')
    await tabs.first().waitFor()
    assert.deepEqual(await tabs.allTextContents(), ['large', 'small', '2'])
    const panel = page.getByRole('tabpanel')
    await panel.getByText(/\b640\b.* px$/).waitFor()
    const save = panel.getByRole('link', { name: /^Download / })
    assert.match((await save.textContent()) ?? '', /^Download webp, /)

    await page.getByRole('tab', { name: 'small' }).click()
    await panel.getByText(/\b200\b.* px$/).waitFor()
    assert.match((await save.getAttribute('href')) ?? '', /[?&]file=small&/)
    const shown = () =>
      panel.evaluate((element) => Math.max(...[...element.querySelectorAll('img')].map((image) => image.naturalWidth)))
    await waitForState(async () => (await shown()) >= 100, true)

    await page.getByRole('tab', { name: '2' }).click()
    await panel.getByText('Download the TIF file to view it.').waitFor()

    const deletion = page.getByRole('button', { name: 'Delete files' })
    await deletion.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete files' }).click()
    await page.getByText('The files were deleted.').waitFor()
    await waitForCount(deletion, 0)
    opened.assertClean()
  })

  test('in the playground, changing the size of an output keeps its other resize fields and the order of its operations', async () => {
    const operations = [{ type: 'grayscale' }, { type: 'resize', width: 500, height: 500, crop_center: true }]
    const recipe = new URLSearchParams({ outputs: JSON.stringify([{ name: 'square', operations }]), operations: '[]' })
    await page.goto(`${service.url}/console/playground?${recipe}`)
    await page.getByRole('group', { name: 'File 1' }).getByLabel('Longest side').fill('300')
    const code = page.getByRole('region', { name: 'Code for curl' })
    await code.getByText('300').first().waitFor()
    const text = (await code.innerText()).replaceAll(/\s+/g, '')
    assert.match(text, /\[\{"type":"grayscale"\},\{"type":"resize","width":300,"height":300,"crop_center":true\}\]/)

    const side = page.getByRole('group', { name: 'File 1' }).getByLabel('Longest side')
    await side.fill('')
    const problem = page.getByRole('group', { name: 'File 1' }).getByText(/required/i)
    await problem.waitFor()
    assert.match((await code.innerText()).replaceAll(/\s+/g, ''), /\{"type":"resize","crop_center":true\}/)
    await side.fill('200')
    await problem.waitFor({ state: 'detached' })
    opened.assertClean()
  })

  test('in the playground, an output has the advanced fields that its format uses, and shows why its file could not be made', async () => {
    const outputs = JSON.stringify([{ name: 'small', format: 'jpg' }, { format: 'png' }])
    await page.goto(`${service.url}/console/playground?${new URLSearchParams({ outputs, operations: '[]' })}`)
    const first = page.getByRole('group', { name: 'File 1' })
    await first.getByText('Advanced').click()
    await first.getByRole('switch', { name: 'Auto quality' }).check()
    const maxBytes = first.getByRole('textbox', { name: 'Max bytes' })
    await maxBytes.fill('5')
    await first.getByText('Max bytes must be an integer of at least 1000 (got 5).').waitFor()
    await maxBytes.fill('1000')
    const second = page.getByRole('group', { name: 'File 2' })
    await second.getByText('Advanced').click()
    await second.getByRole('combobox', { name: 'Metadata' }).click()
    await page.getByRole('option', { name: 'copyright' }).click()
    assert.equal(await second.getByLabel('Quality').count(), 0)
    const code = page.getByRole('region', { name: 'Code for curl' })
    await code.getByText('copyright').waitFor()
    assert.match(
      (await code.innerText()).replaceAll(/\s+/g, ''),
      /"jpg","quality":"auto","max_bytes":1000\},\{"format":"png","metadata":"copyright"\}/,
    )

    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const failure = page.getByText(/max_bytes is 1,000, but the smallest jpg file has [\d,]+ bytes/)
    await first.getByRole('alert').and(failure).waitFor()
    assert.equal(await second.getByRole('alert').count(), 0)
    await first.getByRole('switch', { name: 'Max bytes resize' }).check()
    await first.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('status').getByText('succeeded').waitFor()

    await first.getByText('Advanced').click()
    await page.getByRole('button', { name: 'Remove file 1' }).click()
    await second.waitFor({ state: 'detached' })
    await first.getByRole('combobox', { name: 'Metadata' }).waitFor()
    opened.assertClean()
  })

  test('in the playground, an output has its own operations and a destination, and each invalid field shows its error', async () => {
    const outputs = JSON.stringify([{ name: 'plain' }, { name: 'own', operations: [{ type: 'grayscale' }] }])
    await page.goto(`${service.url}/console/playground?${new URLSearchParams({ outputs, operations: '[]' })}`)
    const own = page.getByRole('group', { name: 'File 2' })
    await own.getByText('Operations of this file: Grayscale').click()
    await own.getByRole('button', { name: 'Add an operation' }).click()
    await page.getByRole('menuitem', { name: /^Rotate/ }).click()
    const rotate = own.getByRole('listitem', { name: '2. Rotate' })
    const degrees = rotate.getByRole('textbox', { name: 'Degrees' })
    await degrees.fill('')
    await rotate.getByText(/required/i).waitFor()
    await degrees.pressSequentially('45')
    await rotate.getByRole('button', { name: 'Rotate up' }).click()
    await own.getByRole('listitem', { name: '1. Rotate' }).waitFor()
    await own.getByText('Advanced').click()
    const destination = own.getByRole('textbox', { name: 'Destination' })
    await destination.fill('ftp://bucket.example/a')
    await own.getByText(/must start with http/).waitFor()
    await destination.fill('https://1.1.1.1/a?X-Amz-Signature=1')
    const code = page.getByRole('region', { name: 'Code for curl' })
    await code.getByText('X-Amz-Signature').waitFor()
    const text = (await code.innerText()).replaceAll(/\s+/g, '')
    assert.match(
      text,
      /\{"name":"plain"\},\{"name":"own","operations":\[\{"type":"rotate","degrees":45\},\{"type":"grayscale"\}\],/,
    )
    assert.match(text, /"destination":\{"url":"https:\/\/1\.1\.1\.1\/a\?X-Amz-Signature=1"\}\}\]/)
    await own.getByRole('button', { name: 'Remove Rotate' }).click()
    await own.getByText('Operations of this file: Grayscale', { exact: true }).waitFor()
    opened.assertClean()
  })

  test('a user can build and run a request with outputs in the playground, which shows the result files side by side', async () => {
    const [output] = [{ name: 'large', format: 'webp', quality: 70, operations: [{ type: 'grayscale' }] }]
    const recipe = new URLSearchParams({ outputs: JSON.stringify([output]), operations: '[]' })
    await page.goto(`${service.url}/console/playground?${recipe}`)
    await page.getByRole('group', { name: 'File 1' }).getByLabel('Longest side').fill('300')
    await page.getByRole('button', { name: 'Add a file' }).click()
    const second = page.getByRole('group', { name: 'File 2' })
    await second.getByLabel('Name').fill('small')
    await second.getByRole('combobox', { name: 'Format' }).click()
    await page.getByRole('option', { name: 'avif' }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('status').getByText('succeeded').waitFor()
    const links = page.getByRole('figure').getByRole('link', { name: /^Download / })
    assert.match((await links.allTextContents()).join(), /^Download webp, .*Download avif, /)
    assert.match((await page.getByRole('figure').allTextContents()).join(), /^large 200 × 300 /)
    const code = (await page.getByRole('region', { name: 'Code for curl' }).innerText()).replaceAll('\u00a0', ' ')
    assert.match(code, /"grayscale"[^]*"quality": 70[^]*"small"[^]*while read -r FILE LINK/)
    await page.waitForURL(/small/)
    await page.getByRole('button', { name: 'Remove file 2' }).click()
    await page.getByRole('button', { name: 'Remove file 1' }).click()
    await page.getByRole('combobox', { name: 'Output format' }).waitFor()
    opened.assertClean()
  })
})
