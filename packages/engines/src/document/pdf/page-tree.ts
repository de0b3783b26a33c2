import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { PdfObjects } from './objects.ts'
import { dictionaryAt, resolve } from './objects.ts'
import type { PdfDictionary, PdfText } from './syntax.ts'
import { readArray, readNumber, readReference } from './syntax.ts'

/** The entries that a page inherits from its ancestors (ISO 32000-1, table 30). */
export const INHERITED = ['MediaBox', 'CropBox', 'Rotate', 'Resources'] as const

export type Page = {
  number: number | undefined
  dictionary: PdfDictionary
  get: (name: string) => PdfText | undefined
}

// The maximum number of pages to read. `max_pages` is at most 2,000, but a file may list one page many times.
const MAX_PAGES = 20_000

// A deeper tree counts as damaged, because readers differ in how many levels they read.
const MAX_LEVELS = 64

// The maximum number of nodes, because reading nodes without pages also takes time.
const MAX_NODES = 100_000

export type PageTree = {
  pages: Page[]
  /** Whether every reader finds these pages: `/Count` is right, all leaves are pages, and the tree is not too deep. */
  isIntact: boolean
}

/** Reads all pages of the tree without trusting `/Count` (documents.process.2). A page listed twice counts twice. */
export function walkPages(objects: PdfObjects): PageTree {
  const root = dictionaryAt(objects, objects.trailer.get('Root'))
  const pages: Page[] = []
  const seen = new Set<number>()
  let nodes = 0
  let isIntact = true
  const waiting: { value: PdfText | undefined; inherited: PdfDictionary; level: number }[] = [
    { value: root?.get('Pages'), inherited: new Map(), level: 0 },
  ]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const number = readReference(next.value)
    const isCircle = number !== undefined && seen.has(number)
    const dictionary = isCircle ? undefined : dictionaryAt(objects, next.value)
    if (dictionary === undefined) {
      isIntact = false
      continue
    }
    nodes += 1
    if (nodes > MAX_NODES) throw tooManyPages()
    const kids = readArray(resolve(objects, dictionary.get('Kids')))
    if (kids === undefined) {
      const { inherited } = next
      if (number === undefined || next.level > MAX_LEVELS) isIntact = false
      pages.push({ number, dictionary, get: (name) => dictionary.get(name) ?? inherited.get(name) })
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
  return { pages, isIntact: isIntact && count === pages.length }
}

const tooManyPages = () =>
  new RequestFailure(
    'processing_failed',
    `The document has more than ${MAX_PAGES.toLocaleString('en')} pages, the limit. Split it into smaller documents.`,
  )

export const noPages = () =>
  new RequestFailure('processing_failed', 'The document has no pages. Check that the file opens in a viewer.')
