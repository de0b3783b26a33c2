import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import {
  imageWidth,
  isFocused,
  outlineOf,
  waitForCount,
  waitForState,
  waitForValue,
} from '@mediamill/lab/support/console/page-state'
import { sharedService } from '@mediamill/lab/support/service'
import { sampleFile } from '../../../../src/outbound/fetch/samples.ts'

describe('the playground of the console in a browser', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService()
  const opened = await openPages(await sharedBrowser(), service, { kind: 'account', accountId: service.account.id })
  const { page } = opened

  const run = () => page.getByRole('button', { name: 'Run', exact: true })
  const recipe = () => JSON.parse(new URL(page.url()).searchParams.get('operations') ?? '[]') as { type: string }[]
  const steps = () => page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Move / }) })

  const titles = async () => (await steps().allInnerTexts()).map((text) => text.split('\n')[0])

  test('the playground processes a local image, shows the result next to the original, and the overview marks the first step as done', async () => {
    await page.getByRole('link', { name: 'Open the playground' }).click()
    await page.getByText('Your file').click()
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(fileURLToPath(sampleFile('photo.jpg')))
    await page.getByText('photo.jpg', { exact: true }).waitFor()
    await run().click()
    await page.getByText('succeeded').waitFor()
    await page.getByRole('img', { name: 'Result' }).waitFor()
    const [before_, after_] = await Promise.all(
      ['Source', 'Result'].map((name) => imageWidth(page.getByRole('img', { name }))),
    )
    assert.ok((before_ ?? 0) > 0 && (after_ ?? 0) > 0 && after_ !== before_, `${before_}, ${after_}`)

    const divider = page.getByRole('slider')
    await divider.press('ArrowRight')
    assert.equal(await outlineOf(divider), 'solid')

    await page.getByRole('link', { name: /^Request \d+$/ }).click()
    await page.getByRole('heading', { level: 1, name: /^Request \d+$/ }).waitFor()
    await page.getByRole('img', { name: 'Source' }).waitFor()
    assert.ok((await imageWidth(page.getByRole('img', { name: 'Source' }))) > 0)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByLabel('Done').waitFor()
    opened.assertClean()
  })

  test('the playground reorders operations by keyboard and by drag, and keeps their order in the address', async () => {
    await page.goto(`${service.url}/console/playground`)
    await page.getByRole('button', { name: 'Move Orient', exact: true }).waitFor()
    await waitForState(titles, ['1. Orient', '2. Resize'])
    await page.getByRole('button', { name: 'Move Orient', exact: true }).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.waitForURL(/operations=/)
    assert.deepEqual(
      recipe().map(({ type }) => type),
      ['resize', 'orient'],
    )

    await page.locator('li[data-dragging], li[data-dnd-dropping]').waitFor({ state: 'detached' })
    const handle = await page.getByRole('button', { name: 'Move Orient', exact: true }).boundingBox()
    const above = await steps().first().boundingBox()
    assert.ok(handle !== null && above !== null)
    await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2)
    await page.mouse.down()
    await page.mouse.move(handle.x + handle.width / 2, handle.y - 4)
    await page.locator('[data-dnd-dragging]').waitFor()
    await page.mouse.move(above.x + 20, above.y + 10, { steps: 12 })
    // The dragged card floats above the list, and the other cards move before the drop.
    await page.locator('ol > :first-child').filter({ hasText: 'Orient' }).first().waitFor()
    await page.mouse.up()
    await page.waitForURL((url) => (url.searchParams.get('operations') ?? '').startsWith('[{"type":"orient"'))
    await page.getByRole('button', { name: 'Resize up' }).click()
    await page.waitForURL((url) => (url.searchParams.get('operations') ?? '').startsWith('[{"type":"resize"'))

    await page.reload()
    await page.getByRole('button', { name: 'Move Resize', exact: true }).waitFor()
    await waitForState(titles, ['1. Resize', '2. Orient'])
    opened.assertClean()
  })

  test('the playground shows each error at its field before a run, and shows code for the current settings', async () => {
    await page.goto(`${service.url}/console/playground`)
    const width = page.getByRole('textbox', { name: 'Width' })
    await width.fill('0')
    await page.getByText(/Width must be/).waitFor()
    await waitForState(() => width.getAttribute('aria-invalid'), 'true')
    await width.fill('320')
    await page.getByText(/Width must be/).waitFor({ state: 'detached' })
    await page.getByText('Free in test mode; $0.002 a request with a live key.').waitFor()
    for (const [tab, words] of [
      ['TypeScript', 'mediamill.images'],
      ['Python', 'urlopen('],
      ['CLI', '--resize 320x600'],
      ['curl', '"width": 320'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      await page
        .getByRole('region', { name: `Code for ${tab}` })
        .getByText(words, { exact: false })
        .first()
        .waitFor()
    }
    opened.assertClean()
  })

  test('the playground runs only a source that its tab shows', async () => {
    await page.goto(`${service.url}/console/playground`)
    await page.getByText('Your file').click()
    await page.getByText('Choose a source to run the request.').waitFor()
    assert.equal(await run().isDisabled(), true)
    await page.getByLabel(/^Choose a/).setInputFiles(fileURLToPath(sampleFile('photo.jpg')))
    await page.getByText('Free in test mode; $0.002 a request with a live key.').waitFor()
    await page.getByText('URL', { exact: true }).click()
    await page.getByText('Choose a source to run the request.').waitFor()
    await page.getByText('Your file').click()
    await page.getByRole('combobox', { name: 'Endpoint' }).click()
    await page.getByRole('option', { name: 'Read video metadata' }).click()
    await page.getByText('clip.mp4', { exact: true }).waitFor()
    opened.assertClean()
  })

  test('the playground shows the progress of an upload, and can cancel the upload', async () => {
    await page.goto(`${service.url}/console/playground`)
    await page.getByText('Your file').click()
    const chooseFile = () => page.getByLabel(/^Choose a/)
    const session = await page.context().newCDPSession(page)
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 50_000 }
    await session.send('Network.emulateNetworkConditions', slow)
    await chooseFile().setInputFiles({
      name: 'large.jpg',
      mimeType: 'image/jpeg',
      buffer: Buffer.alloc(9 * 1024 * 1024),
    })
    const progress = page.getByRole('progressbar', { name: 'Progress of the upload' })
    await page.getByText(/^1 % of 9 MB$/).waitFor()
    assert.equal(await progress.getAttribute('aria-valuenow'), '1')
    const cut = page.waitForEvent('requestfailed', (call) => call.url().endsWith('/console/api/uploads'))
    await page.getByRole('button', { name: 'Cancel upload' }).click()
    await cut
    await progress.waitFor({ state: 'detached' })
    await page.getByText('Drop an image here, or choose a file').waitFor()
    assert.equal(await page.locator('[aria-invalid=true]').count(), 0)
    await waitForState(() => isFocused(chooseFile()), true)
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Space')])
    assert.equal(chooser.isMultiple(), false)

    await session.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 })
    await chooseFile().setInputFiles(fileURLToPath(sampleFile('photo.jpg')))
    await page.getByText(/Drop another file to replace it/).waitFor()
    await session.detach()
    opened.assertClean()
  })

  test('the playground shows the copy button of the code above the code', async () => {
    await page.goto(`${service.url}/console/playground`)
    const code = page.getByRole('region', { name: /^Code for / })
    const [button, lines] = await Promise.all(
      [code.getByRole('button', { name: 'Copy' }), code.locator('code')].map((part) => part.boundingBox()),
    )
    assert.ok(button && lines && button.y + button.height <= lines.y, JSON.stringify({ button, lines }))
  })

  test('a link with unknown operations, or with fields of wrong types, opens the playground', async () => {
    const wrong = { operations: '1', outputs: '"a"', numbers: '[1]', format: '{}', level: '1', endpoint: '["a"]' }
    const earlier = '[{"gives":"A","path":"images/process","body":{"operations":null}}]'
    for (const link of [
      { operations: '[{"type":"constructor"},{"type":"__proto__"}]' },
      wrong,
      { earlier, operations: '[{"type":"watermark","image_url":"$A"}]' },
    ]) {
      await page.goto(`${service.url}/console/playground?${new URLSearchParams(link)}`)
      await run().waitFor()
      await page.getByRole('region', { name: /^Code for / }).waitFor()
    }
    opened.assertClean(/estimates? returned 422$/)
  })

  test('the playground names and shows the sample of its link', async () => {
    const source = `${service.url}/docs/samples/portrait.jpg`
    await page.goto(`${service.url}/console/playground?${new URLSearchParams({ source, operations: '[]' })}`)
    await page.getByText('portrait.jpg', { exact: true }).waitFor()
    assert.match((await page.getByRole('img', { name: 'Sample' }).getAttribute('src')) ?? '', /portrait\.jpg$/)
    opened.assertClean()
  })

  test('the playground shows each result with its own source, and marks a result that was made with earlier settings', async () => {
    await page.goto(`${service.url}/console/playground`)
    await run().click()
    await page.getByRole('img', { name: 'Source' }).waitFor()
    const earlier = page.getByText('You changed the settings after this result. Run again.')
    const source = () => page.getByRole('img', { name: 'Source' }).getAttribute('src')
    const first = await source()
    assert.match(first ?? '', /photo\.jpg$/)
    await waitForCount(earlier, 0)

    const width = page.getByRole('textbox', { name: 'Width' })
    await width.fill('700')
    await earlier.waitFor()
    await width.fill('800')
    await earlier.waitFor({ state: 'detached' })

    await page.getByText('Your file').click()
    await page.getByLabel(/^Choose a/).setInputFiles(fileURLToPath(sampleFile('phone.heic')))
    await page.getByText(/Drop another file to replace it/).waitFor()
    await earlier.waitFor()
    assert.equal(await source(), first)
    await run().click()
    await page.getByText('Your browser can’t display the format of the source').waitFor()
    await waitForCount(earlier, 0)

    await page.getByRole('combobox', { name: 'Endpoint' }).click()
    await page.getByRole('option', { name: 'Read image metadata' }).click()
    await earlier.waitFor()
    opened.assertClean()
  })

  test('the playground places a watermark by dragging it, and by the arrow keys', async () => {
    await page.goto(`${service.url}/console/playground`)
    await page.getByRole('button', { name: 'Add an operation' }).click()
    await page.getByRole('menuitem', { name: /^Watermark/ }).click()
    const mark = page.getByRole('button', { name: /^Watermark position/ })
    await mark.waitFor()
    const x = page.getByRole('textbox', { name: 'X', exact: true })
    const y = page.getByRole('textbox', { name: 'Y', exact: true })
    await waitForValue(x, '24')
    await waitForValue(y, '24')
    await mark.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowDown')
    await waitForValue(x, '25')
    await waitForValue(y, '34')
    // A note about the missing image moves the page. `hover` waits until the element no longer moves.
    await mark.hover()
    const box = await mark.boundingBox()
    assert.ok(box !== null)
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2 + 20, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('button', { name: /^Watermark position: (?!25 )/ }).waitFor()
    assert.ok(Number(await x.inputValue()) > 60, await x.inputValue())
    assert.ok(Number(await y.inputValue()) > 40, await y.inputValue())
    opened.assertClean()
  })

  test('the playground draws a text watermark with its font, outline, and shadow, and applies it to the image', async () => {
    await page.goto(`${service.url}/console/playground`)
    await page.getByRole('button', { name: 'Add an operation' }).click()
    await page.getByRole('menuitem', { name: /^Watermark/ }).click()
    await page.getByRole('button', { name: 'Create a text watermark' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a text watermark' })
    await dialog.getByRole('textbox', { name: 'Text' }).fill('© Ada\nand others')
    await dialog.getByRole('combobox', { name: 'Font' }).click()
    await page.getByRole('option', { name: 'Tinos bold', exact: true }).click()
    await dialog.getByText('Center', { exact: true }).click()
    await dialog.getByRole('switch', { name: 'Outline' }).check()
    await dialog.getByRole('textbox', { name: 'Outline width' }).fill('51')
    await dialog.getByRole('switch', { name: 'Shadow' }).check()
    await dialog.getByRole('textbox', { name: 'Blur' }).fill('6')
    await dialog.getByRole('button', { name: 'Create watermark' }).click()
    await dialog.locator('input[aria-invalid=true]').waitFor()
    const width = dialog.getByRole('textbox', { name: 'Outline width' })
    await waitForState(() => width.getAttribute('aria-invalid'), 'true')
    await width.fill('3')
    const asked = page.waitForRequest((call) => call.url().endsWith('/console/api/stamps'))
    await dialog.getByRole('button', { name: 'Create watermark' }).click()
    assert.deepEqual((await asked).postDataJSON(), {
      type: 'text',
      text: '© Ada\nand others',
      font: 'tinos_bold',
      size: 48,
      align: 'center',
      color: 'ffffff',
      opacity: 80,
      rotation: 0,
      outline: { color: '000000', width: 3 },
      shadow: { color: '000000', opacity: 50, x: 2, y: 2, blur: 6 },
    })
    await dialog.waitFor({ state: 'detached' })
    await page.waitForURL(/earlier=/)
    await page.getByRole('button', { name: /^Watermark position/ }).waitFor()
    await run().click()
    await page.getByText('succeeded').waitFor()
    assert.ok((await imageWidth(page.getByRole('img', { name: 'Result' }))) > 0)

    // The URL contains the text of the watermark instead of its upload, which is deleted after a day.
    assert.doesNotMatch(decodeURIComponent(page.url()), /upload:/)
    await page.reload()
    await page.getByRole('region', { name: 'Steps before this request' }).waitFor()
    await page.getByRole('button', { name: 'Edit the text watermark' }).click()
    const text = dialog.getByRole('textbox', { name: 'Text' })
    await waitForValue(text, '© Ada\nand others')
    await waitForValue(dialog.getByRole('textbox', { name: 'Outline width' }), '3')
    await text.fill('© Eve')
    await dialog.getByRole('button', { name: 'Create watermark' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.waitForURL((url) => (url.searchParams.get('earlier') ?? '').includes('© Eve'))
    opened.assertClean()
  })

  test('the playground reads all metadata of an image with the level full, and the link from the request to the playground keeps the level', async () => {
    await page.goto(`${service.url}/console/playground?endpoint=images/read`)
    const level = page.getByRole('combobox', { name: 'Level' })
    await waitForValue(level, 'basic')
    await level.click()
    await page.getByRole('option', { name: 'full' }).click()
    await page.waitForURL(/level=full/)
    await run().click()
    await page.getByRole('status').getByText('succeeded').waitFor()
    await page
      .getByRole('term')
      .filter({ hasText: /^Camera$/ })
      .waitFor()
    await page.getByRole('tab', { name: 'CLI' }).click()
    await page.getByRole('region', { name: 'Code for CLI' }).getByText('--level full').waitFor()
    await page.getByRole('link', { name: /^Request \d+$/ }).click()
    await page.getByRole('link', { name: 'Open in playground' }).click()
    await waitForValue(level, 'full')
    opened.assertClean()
  })
})
