import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Locator, Page } from 'playwright-core'

// The expressions below run in a page. They are strings, because the tests have no DOM types.

export const overhang = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')

/** Returns the labels of the tables that are wider than their frame, so that the user must scroll sideways. */
export const wideTables = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('[role=group]:has(> table)')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
    .map((frame) => frame.getAttribute('aria-label') + ' ' + frame.scrollWidth + ' > ' + frame.clientWidth)`)

/** Returns the bottom edge of the link "Skip to content" in pixels: above 0 if it is visible, 0 if it is missing. */
export const visibleSkipLink = (page: Page) =>
  page.evaluate<number>(`document.querySelector('a[href="#page"]')?.getBoundingClientRect().bottom ?? 0`)

/** Returns the sum of all layout shifts since the page was opened. Google rates at most 0.1 as good. */
export const layoutShift = (page: Page) => page.evaluate<number>(LAYOUT_SHIFT)

const LAYOUT_SHIFT = `new Promise((resolve) => {
  const observer = new PerformanceObserver((list) => {
    observer.disconnect()
    resolve(list.getEntries().filter((entry) => !entry.hadRecentInput).reduce((sum, { value }) => sum + value, 0))
  })
  observer.observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(0), 200)
})`

export const decimalPoints = async (amounts: Locator) =>
  await amounts.evaluateAll<number[], Amount>((elements) =>
    elements.map((element) => {
      const text = element.firstChild
      const range = element.ownerDocument.createRange()
      range.setStart(text, text.data.indexOf('.'))
      range.setEnd(text, text.data.indexOf('.') + 1)
      return Math.round(range.getBoundingClientRect().left)
    }),
  )

type Text = { data: string }
type Range = {
  setStart: (node: Text, offset: number) => void
  setEnd: (node: Text, offset: number) => void
  getBoundingClientRect: () => { left: number }
}
type Amount = { firstChild: Text; ownerDocument: { createRange: () => Range } }

export const focusedText = (page: Page) => page.evaluate<string | null>('document.activeElement?.textContent ?? null')

export const clipboardText = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

export const isFocused = async (locator: Locator) =>
  await locator.evaluate((element: Focusable) => element.matches(':focus'))

/** Returns the style of an element's outline, such as `none` or `solid`. */
export const outlineOf = async (locator: Locator) =>
  await locator.evaluate((element: Styled) => element.ownerDocument.defaultView.getComputedStyle(element).outlineStyle)

type Styled = { ownerDocument: { defaultView: { getComputedStyle: (element: Styled) => { outlineStyle: string } } } }

export const imageWidth = async (locator: Locator) =>
  await locator.evaluate(async (image: Image) => {
    await image.decode()
    return image.naturalWidth
  })

type Focusable = { matches: (selector: string) => boolean }
type Image = { decode: () => Promise<void>; naturalWidth: number }

/** Resolves when a change is painted and all transitions have ended, so that colors are final. */
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

/** React renders a page after its URL changes, so tests wait for the state that they expect, for at most 60 s. */
export async function waitForState<State>(read: () => Promise<State>, expected: State): Promise<void> {
  const deadline = performance.now() + 60_000
  let state = await read()
  while (!isDeepStrictEqual(state, expected) && performance.now() < deadline) {
    await delay(20)
    state = await read()
  }
  assert.deepEqual(state, expected)
}

export const waitForValue = (field: Locator, value: string) => waitForState(() => field.inputValue(), value)

export const waitForCount = (elements: Locator, count: number) => waitForState(() => elements.count(), count)

/** Waits until a field shows an error and reports it to screen readers (`aria-invalid`, `aria-describedby`). */
export async function waitForFieldError(field: Locator, message: string): Promise<void> {
  await waitForState(() => field.getAttribute('aria-invalid'), 'true')
  await waitForState(
    () =>
      field.evaluate((element: Described) =>
        (element.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map((id) => element.ownerDocument.getElementById(id)?.textContent ?? '')
          .filter((text) => text !== '')
          .at(-1),
      ),
    message,
  )
}

type Described = {
  getAttribute: (name: string) => string | null
  ownerDocument: { getElementById: (id: string) => { textContent: string | null } | null }
}

/** Returns the texts of a page that are cut off by an element around them, or that are wider than their button. */
export const cutTexts = (page: Page) => page.evaluate<string[]>(CUT_TEXTS)

const CUT_TEXTS = `(() => {
  const cut = new Set()
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const range = document.createRange()
    range.selectNodeContents(text)
    const lines = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
    for (let around = text.parentElement; around !== document.body; around = around.parentElement) {
      const style = getComputedStyle(around)
      const box = around.getBoundingClientRect()
      const isHidden = style.visibility === 'hidden' || style.opacity === '0' || box.width <= 2 || box.height <= 2
      const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY)
      if (isHidden || scrolls) break
      const ends = around.tagName === 'BUTTON' || /hidden|clip/.test(style.overflowX)
      if (ends && lines.some(({ left, right }) => right > box.right + 2 || left < box.left - 2)) cut.add(text.data.trim())
    }
  }
  return [...cut]
})()`
