import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layout } from './layout.ts'

test('the table of contents of a page has two levels of headings, and a short page has none', () => {
  const page = { slug: 'a', file: 'a.md', title: 'A', text: '' }
  const headings = [1, 2, 3, 4, 3].map((depth, index) => ({ depth, text: `Heading ${index}`, id: `h${index}` }))
  const written = (count: number) =>
    layout(page, { html: '', headings: headings.slice(0, count) }, { menu: [], pages: [page] } as never, {
      baseUrl: 'https://media.example',
    })
  const named = [...written(5).matchAll(/<li class="depth-(\d)"><a href="#(h\d)">/g)].map(([, ...found]) => found)
  assert.deepEqual(named, [
    ['2', 'h1'],
    ['3', 'h2'],
    ['3', 'h4'],
  ])
  assert.doesNotMatch(written(4), /On this page/)
})
