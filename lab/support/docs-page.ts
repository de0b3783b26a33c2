import assert from 'node:assert/strict'
import { checkLooks } from './console/looks.ts'
import type { Pages } from './console/open-pages.ts'

export async function assertReadable({ page, assertClean }: Pages, url: string, heading: string | RegExp) {
  const response = await page.goto(url)
  assert.equal(response?.status(), 200)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  await page.getByRole('searchbox', { name: 'Search the documentation' }).waitFor()
  await checkLooks(page, url)
  assertClean()
}
