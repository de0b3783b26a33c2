import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { axeViolations } from './axe.ts'
import { overhang, painted, wideTables } from './page-state.ts'

/**
 * The tested colors and widths. The other two combinations add nothing: colors do not depend on the width, and the
 * layout does not depend on the theme.
 */
const LOOKS = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 375 },
] as const

/** Asserts that a page is accessible and fits its window, with each of `LOOKS`. */
export async function checkLooks(page: Page, url: string, also?: (colorScheme: string) => Promise<void>) {
  for (const { colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await also?.(colorScheme)
    await painted(page)
    assert.deepEqual(await axeViolations(page), [], `${url}, ${colorScheme}, ${width}`)
    const excess = await overhang(page)
    assert.deepEqual(await wideTables(page), [], `${url}, ${width}`)
    assert.ok(excess <= 0, `${url} is ${excess} pixels too wide at ${width}`)
  }
}
