import type { Locator, Page } from 'playwright-core'

// What tests ask of a page from inside: strings, since the tests' own types know of no document.

/** How many pixels a page is wider than its window. */
export const overhang = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')

/** The text of what has the focus. */
export const focusedText = (page: Page) => page.evaluate<string | null>('document.activeElement?.textContent ?? null')

/** What was copied last. */
export const clipboardText = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

/** Tells whether an element has the focus. */
export const isFocused = async (locator: Locator) =>
  await locator.evaluate((element: Focusable) => element.matches(':focus'))

/** The width of a picture's file, once it is decoded: a broken one throws. */
export const pictureWidth = async (locator: Locator) =>
  await locator.evaluate(async (image: Picture) => {
    await image.decode()
    return image.naturalWidth
  })

type Focusable = { matches: (selector: string) => boolean }
type Picture = { decode: () => Promise<void>; naturalWidth: number }

/** Resolves once a change of the page is on the screen, and its transitions have ended: colours of before are not judged. */
export const painted = async (page: Page) => await page.evaluate(PAINTED)

const PAINTED = `(async () => {
  const frames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  const moving = () => document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
  await frames()
  for (let found = moving(); found.length > 0; found = moving()) {
    await Promise.allSettled(found.map(({ finished }) => finished))
    await frames()
  }
})()`
