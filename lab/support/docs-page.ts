import assert from 'node:assert/strict'
import { axeViolations } from './console/axe.ts'
import type { Pages } from './console/open-pages.ts'
import { overhang, painted } from './console/page-state.ts'

/** Two combinations are enough: colors do not depend on the width, and the layout does not depend on the theme. */
const LOOKS = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 375 },
] as const

export async function assertReadable({ page, assertClean }: Pages, url: string, heading: string | RegExp) {
  const response = await page.goto(url)
  assert.equal(response?.status(), 200)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  await page.getByRole('searchbox', { name: 'Search the documentation' }).waitFor()
  for (const { colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await painted(page)
    assert.deepEqual(await axeViolations(page), [], `${url}, ${colorScheme}, ${width}`)
    const excess = await overhang(page)
    assert.ok(excess <= 0, `${url} is ${excess} pixels too wide at ${width}`)
  }
  assertClean()
}
