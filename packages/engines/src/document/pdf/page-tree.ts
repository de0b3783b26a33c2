import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { PdfObjects } from './objects.ts'
import { dictionaryAt, resolve } from './objects.ts'
import type { PdfDictionary, PdfText } from './syntax.ts'
import { readArray, readNumber, readReference } from './syntax.ts'

/** What a page takes from the nodes above it when it does not say it itself (ISO 32000-1, table 30). */
const INHERITED = ['MediaBox', 'CropBox', 'Rotate', 'Resources'] as const

/** One page as the tree holds it. */
export type Page = {
  /** The object's number; `undefined` for a page written into its parent. */
  number: number | undefined
  dictionary: PdfDictionary
  /** The page's own entries over those it inherits. */
  get: (name: string) => PdfText | undefined
}

// More pages than any request keeps (Spec 4.2: `max_pages` up to 2,000), and a bound on what a few bytes can claim by
// naming one page again and again.
const MAX_PAGES = 20_000

// PDFium follows 1,024 levels, other readers fewer; a tree of a real document has hardly ten.
const MAX_LEVELS = 64

// Nodes without pages cost time and count nowhere.
const MAX_NODES = 100_000

/** The pages of a document. */
export type PageTree = {
  pages: Page[]
  /** Whether every reader finds these pages: the tree's `/Count` is right, all it names are pages, it is not too deep. */
  isSound: boolean
}

/**
 * Finds the pages in their order by walking the tree. `/Count` is never believed (rulings 14).
 *
 * A node that was met before is not walked again, so circles end; a page that is named twice is two pages, as viewers
 * show it. What is no dictionary is no page. Throws `RequestFailure` past the limit on pages.
 */
export function walkPages(objects: PdfObjects): PageTree {
  const root = dictionaryAt(objects, objects.trailer.get('Root'))
  const pages: Page[] = []
  const seen = new Set<number>()
  let nodes = 0
  let isSound = true
  const waiting: { value: PdfText | undefined; inherited: PdfDictionary; level: number }[] = [
    { value: root?.get('Pages'), inherited: new Map(), level: 0 },
  ]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const number = readReference(next.value)
    const isCircle = number !== undefined && seen.has(number)
    // wall: a page tree in a circle
    const dictionary = isCircle ? undefined : dictionaryAt(objects, next.value)
    if (dictionary === undefined) {
      isSound = false
      continue
    }
    nodes += 1
    // wall: nodes without pages
    if (nodes > MAX_NODES) throw tooManyPages()
    const kids = readArray(resolve(objects, dictionary.get('Kids')))
    if (kids === undefined) {
      const { inherited } = next
      // wall: a page tree that is too deep for other readers
      if (number === undefined || next.level > MAX_LEVELS) isSound = false
      pages.push({ number, dictionary, get: (name) => dictionary.get(name) ?? inherited.get(name) })
      // wall: pages without number
      if (pages.length > MAX_PAGES) throw tooManyPages()
      continue
    }
    if (number !== undefined) seen.add(number)
    const inherited = new Map(next.inherited)
    for (const name of INHERITED) {
      const value = dictionary.get(name)
      if (value !== undefined) inherited.set(name, value)
    }
    const level = next.level + 1
    for (const value of kids.reverse()) waiting.push({ value, inherited, level })
  }
  const count = readNumber(dictionaryAt(objects, root?.get('Pages'))?.get('Count'))
  // wall: a number of pages that the file only claims
  return { pages, isSound: isSound && count === pages.length }
}

const tooManyPages = () =>
  new RequestFailure(
    'processing_failed',
    `The document has more than ${MAX_PAGES.toLocaleString('en')} pages, the limit. Split it into smaller documents.`,
  )

/** The failure of a document whose tree holds no page at all. */
export const noPages = () =>
  new RequestFailure('processing_failed', 'The document has no pages. Check that the file opens in a viewer.')
