import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { imageWidth, painted, waitForCount, waitForState } from '@mediamill/lab/support/console/page-state'
import { until } from '@mediamill/lab/support/process'
import { sharedService } from '@mediamill/lab/support/service'
import type { Locator } from 'playwright-core'
import type { OutputInfo } from 'sharp'
import sharp from 'sharp'
import { sampleFile } from '../../../../src/outbound/fetch/samples.ts'

const RED = { r: 220, g: 20, b: 60 }
const plain = async (width: number, height: number, background: typeof RED | 'white') =>
  await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()

function redBox(data: Buffer, { width, channels }: OutputInfo) {
  const box = { left: Number.POSITIVE_INFINITY, top: Number.POSITIVE_INFINITY, right: -1, bottom: -1 }
  for (let pixel = 0; pixel * channels < data.length; pixel += 1) {
    if ((data[pixel * channels + 1] ?? 255) >= 128) continue
    const [x, y] = [pixel % width, Math.floor(pixel / width)]
    box.left = Math.min(box.left, x)
    box.top = Math.min(box.top, y)
    box.right = Math.max(box.right, x)
    box.bottom = Math.max(box.bottom, y)
  }
  return box
}

describe('a watermark that is placed in a browser', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService()
  const opened = await openPages(await sharedBrowser(), service, { kind: 'account', accountId: service.account.id })
  const { page } = opened
  beforeEach(async () => {
    await page.goto(`${service.url}/console/playground`)
  })

  const mark = () => page.getByRole('button', { name: /^Watermark position/ })
  const number = async (name: 'X' | 'Y') => Number(await page.getByRole('textbox', { name, exact: true }).inputValue())

  async function addWatermark() {
    await page.getByRole('button', { name: 'Add an operation' }).click()
    await page.getByRole('menuitem', { name: /^Watermark/ }).click()
  }

  async function uploadSource(file: { name: string; mimeType: string; buffer: Buffer } | string) {
    await page.getByText('Your file').click()
    await page.getByLabel(/^Choose a/).setInputFiles(file)
    await page.getByText(/Drop another file to replace it/).waitFor()
  }

  async function part(of: Locator, on: Locator) {
    const [small, large] = [await of.boundingBox(), await on.boundingBox()]
    assert.ok(small !== null && large !== null)
    return small.width / large.width
  }

  async function shownResult() {
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('status').getByText('succeeded').waitFor()
    const address = await page.getByRole('link', { name: /^Download/ }).getAttribute('href')
    return Buffer.from(await (await fetch(new URL(address ?? '', service.url))).arrayBuffer())
  }

  test('in the playground, a watermark stays under the pointer while it is dragged, and no change scrolls the page', async () => {
    await addWatermark()
    await page.getByRole('textbox', { name: /^Image URL/ }).waitFor()
    const scrolled = () => page.evaluate<number>('window.scrollY')
    await mark().locator('img').waitFor()
    await page.evaluate('window.scrollTo(0, 500)')
    await page.getByRole('textbox', { name: 'Tile spacing x' }).fill('200')
    await page.waitForURL(/tile_spacing_x/)
    await painted(page)
    assert.equal(await scrolled(), 500)

    await mark().scrollIntoViewIfNeeded()
    await painted(page)
    const top = await scrolled()
    const before = await mark().boundingBox()
    assert.ok(before !== null)
    const grip = { x: 6, y: 4 }
    await page.mouse.move(before.x + grip.x, before.y + grip.y)
    await page.mouse.down()
    for (const by of [2, 40, 90]) {
      const pointer = { x: before.x + grip.x + by, y: before.y + grip.y + by }
      await page.mouse.move(pointer.x, pointer.y)
      await painted(page)
      const at = { x: await number('X'), y: await number('Y') }
      await page.waitForURL((url) => (url.searchParams.get('operations') ?? '').includes(`"x":${at.x},"y":${at.y}`))
      await painted(page)
      const box = await mark().boundingBox()
      assert.ok(box !== null)
      assert.ok(Math.abs(box.x + grip.x - pointer.x) < 1.5, `${box.x + grip.x} is not at ${pointer.x}`)
      assert.ok(Math.abs(box.y + grip.y - pointer.y) < 1.5, `${box.y + grip.y} is not at ${pointer.y}`)
    }
    await page.mouse.up()
    assert.equal(await scrolled(), top)
    opened.assertClean()
  })

  test('in the playground, a watermark image from an upload appears at its size, even after a reload, and is drawn where it is dropped', async () => {
    await page.goto(`${service.url}/console/playground?format=png`)
    await uploadSource({ name: 'white.png', mimeType: 'image/png', buffer: await plain(800, 600, 'white') })
    await addWatermark()
    await page
      .locator('input[type=file][accept*=webp]')
      .setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: await plain(200, 100, RED) })
    const image = mark().locator('img[src*=upl_]')
    await image.waitFor()
    assert.equal(await imageWidth(image), 200)
    assert.ok(Math.abs((await part(mark(), mark().locator('..'))) - 0.25) < 0.01)

    // If the page grows before the drag, the watermark moves away, so repeat the drag.
    await mark().scrollIntoViewIfNeeded()
    await until(async () => {
      const before = await mark().boundingBox()
      await mark().dragTo(mark().locator('..'), { targetPosition: { x: 180, y: 120 } })
      const placed = page.getByRole('button', { name: /^Watermark position: (?!24 )/ }).waitFor({ timeout: 5000 })
      const isPlaced = await placed.then(
        () => true,
        () => false,
      )
      if (!isPlaced) assert.notDeepEqual(await mark().boundingBox(), before, 'the page stood still, and nothing moved')
      return isPlaced
    })
    const at = { x: await number('X'), y: await number('Y') }
    await page.waitForURL((url) => (url.searchParams.get('operations') ?? '').includes(`"x":${at.x},"y":${at.y}`))

    await page.reload()
    await image.waitFor()
    assert.equal(await imageWidth(image), 200)
    await waitForState(() => number('X'), at.x)
    await waitForState(() => number('Y'), at.y)

    const { data, info } = await sharp(await shownResult())
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.deepEqual([info.width, info.height], [800, 600])
    assert.deepEqual(redBox(data, info), { left: at.x, top: at.y, right: at.x + 199, bottom: at.y + 99 })
    opened.assertClean()
  })

  test('a text watermark looks the same in the preview of the playground as in the result', async () => {
    await addWatermark()
    await page.getByRole('button', { name: 'Create a text watermark' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a text watermark' })
    await dialog.getByRole('textbox', { name: 'Text' }).fill('© Ada')
    const drawn = page.waitForResponse((response) => response.url().endsWith('/console/api/stamps'))
    await dialog.getByRole('button', { name: 'Create watermark' }).click()
    const { width } = (await (await drawn).json()) as { width: number }
    const image = mark().locator('img[src*=upl_]')
    await image.waitFor()
    assert.equal(await imageWidth(image), width)
    opened.assertClean()
  })

  test('the playground places a watermark on the upright image if the orient operation comes first, and on the image as stored otherwise', async () => {
    const onItsSide = await sharp(await plain(400, 200, 'white'))
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer()
    await uploadSource({ name: 'side.jpg', mimeType: 'image/jpeg', buffer: onItsSide })
    await page.getByRole('button', { name: 'Remove Resize' }).click()
    await addWatermark()
    const stage = mark().locator('..')
    const isWide = async () => {
      const box = await stage.boundingBox()
      return box !== null && box.width > box.height
    }
    await mark().waitFor()
    await waitForState(isWide, false)
    await page.getByRole('button', { name: 'Remove Orient' }).click()
    await page.locator('[style*="400 / 200"]').waitFor()
    await waitForState(isWide, true)
  })

  test('the playground places a watermark on a frame of the video, and shows a notice if the browser cannot display the source', async () => {
    await page.getByRole('combobox', { name: 'Endpoint' }).click()
    await page.getByRole('option', { name: 'Process a video' }).click()
    await addWatermark()
    await page.locator('video').first().waitFor()
    await mark().waitFor()
    await mark().focus()
    await page.keyboard.press('ArrowRight')
    await waitForState(() => number('X'), 25)

    await page.getByRole('combobox', { name: 'Endpoint' }).click()
    await page.getByRole('option', { name: 'Process an image' }).click()
    await uploadSource(fileURLToPath(sampleFile('phone.heic')))
    await addWatermark()
    await page.getByText('Your browser can’t display this file').waitFor()
    await waitForCount(mark(), 0)
    opened.assertClean()
  })
})
