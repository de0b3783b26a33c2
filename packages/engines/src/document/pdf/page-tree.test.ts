import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PdfObjects } from './objects.ts'
import { walkPages } from './page-tree.ts'

function objectsOf(...texts: string[]): PdfObjects {
  return { trailer: new Map([['Root', '1 0 R']]), text: (number) => texts[number - 1] }
}

const CATALOG = '<</Pages 2 0 R>>'
const rejection = { name: 'RequestFailure', code: 'processing_failed', message: /more than 20,000 pages/ }

test('the PDF reader accepts a page tree with the maximum number of nodes without pages, and rejects one node more', () => {
  const withNodes = (count: number) => objectsOf(CATALOG, `<</Kids[${'<</Kids[]>>'.repeat(count - 1)}]/Count 0>>`)
  assert.deepEqual(walkPages(withNodes(100_000)), { pages: [], isIntact: true })
  assert.throws(() => walkPages(withNodes(100_001)), rejection)
})

test('the PDF reader rejects a page tree whose node count doubles at each of many levels', () => {
  const levels = Array.from({ length: 17 }, (_, level) => `[${`<</Kids ${level + 4} 0 R>>`.repeat(2)}]`)
  assert.throws(() => walkPages(objectsOf(CATALOG, '<</Kids 3 0 R/Count 0>>', ...levels, '[]')), rejection)
})
