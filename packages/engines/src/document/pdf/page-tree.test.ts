import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PdfObjects } from './objects.ts'
import { walkPages } from './page-tree.ts'

/** Objects whose first is the catalog, and whose second is the root of the pages. */
function objectsOf(...texts: string[]): PdfObjects {
  return { trailer: new Map([['Root', '1 0 R']]), text: (number) => texts[number - 1] }
}

const CATALOG = '<</Pages 2 0 R>>'
const isRefused = { name: 'RequestFailure', code: 'processing_failed', message: /more than 20,000 pages/ }

test('nodes without pages are walked up to their limit, at the limit and one past it', () => {
  const withNodes = (count: number) => objectsOf(CATALOG, `<</Kids[${'<</Kids[]>>'.repeat(count - 1)}]/Count 0>>`)
  assert.deepEqual(walkPages(withNodes(100_000)), { pages: [], isSound: true })
  assert.throws(() => walkPages(withNodes(100_001)), isRefused)
})

test('arrays that each name the next one twice are not walked to their end, though no node comes twice', () => {
  const levels = Array.from({ length: 17 }, (_, level) => `[${`<</Kids ${level + 4} 0 R>>`.repeat(2)}]`)
  assert.throws(() => walkPages(objectsOf(CATALOG, '<</Kids 3 0 R/Count 0>>', ...levels, '[]')), isRefused)
})
