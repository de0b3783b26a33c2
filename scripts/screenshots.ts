import { join } from 'node:path'
import { launchChromium } from '@mediamill/lab/support/console/chromium'
import { startLivedIn } from '@mediamill/lab/support/console/lived-in-service'
import type { Pages } from '@mediamill/lab/support/console/open-pages'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import type { Page } from 'playwright-core'
import sharp from 'sharp'

// Takes the screenshots for docs/console.md and README from a service with a few requests.

const docs = join(import.meta.dirname, '../docs/assets')

await using lived = await startLivedIn()
const { service, accountId, requests } = lived
await inThePast()
const browser = await launchChromium()
const look = { height: 800 }
{
  await using opened = await openPages(browser, service, { kind: 'account', accountId }, look)
  await take(opened, '/', 'console-overview')
  await take(opened, `/requests/${requests.failed}`, 'console-request')
  const operations = [
    { type: 'orient' },
    { type: 'watermark', image_url: `${service.url}/docs/samples/logo.png`, x: 40, y: 40 },
    { type: 'filter', name: 'kelvin' },
  ]
  await take(
    opened,
    `/playground?operations=${encodeURIComponent(JSON.stringify(operations))}`,
    'console-playground',
    run,
  )
}
{
  await using opened = await openPages(browser, service, { kind: 'account', accountId }, { ...look, scheme: 'dark' })
  await take(opened, '/filters', 'console-looks')
}
await browser.close()

async function take({ page }: Pages, path: string, name: string, before?: (page: Page) => Promise<void>) {
  await page.goto(`${service.url}/console${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await before?.(page)
  await page.waitForLoadState('networkidle')
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  await sharp(await page.screenshot())
    .webp({ quality: 80 })
    .toFile(join(docs, `${name}.webp`))
}

async function run(page: Page) {
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('img', { name: 'Result' }).waitFor()
}

/** Adds usage for the last month, so that the pages resemble a real service. */
async function inThePast() {
  for (let day = 1; day < 30; day += 1) {
    const times = 6 + ((day * 7) % 11) * 3 + (day % 7 < 2 ? 0 : 20)
    await service.sql`
      insert into usage_days
      select account_id, livemode, scope, day - ${day}::integer, endpoint, succeeded * ${times}, failed, aborted,
        spent * ${times}, succeeded_source_bytes * ${times}, failed_source_bytes, result_bytes * ${times}
      from usage_days where day = (now() at time zone 'utc')::date`
  }
}
