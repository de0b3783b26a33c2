import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** A sentence or a table's row of the interface, with its section. */
type Sentence = { section: string; text: string }

/** What stands in sections 2 to 9 of the interface: sentences of its paragraphs, rows of its tables without headings. */
function sentencesOf(page: string): Sentence[] {
  const plain = page.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/^\[\^\d+\]: .*$/gm, '')
  return plain.split(/^#{2,3} (?=\d)/m).flatMap((part) => {
    const section = /^[2-9](\.\d)?(?=\.? )/.exec(part)?.[0]
    if (section === undefined) return []
    const lines = part.split('\n').slice(1)
    const isRule = (line = '') => line.startsWith('| -')
    const rows = lines.filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1]))
    const prose = lines.map((line) => (line.startsWith('|') ? '' : line.replace(/^\d\. /, '\n'))).join('\n')
    const sentences = prose
      .split(/\n\s*\n/)
      .flatMap((paragraph) => paragraph.replaceAll('\n', ' ').split(/(?<=[.:;](?:\[\^\d+\])*)\s+(?=[A-Z`*“(])/))
    return [...rows.map((row) => row.replace(/^[| ]+/, '')), ...sentences]
      .map((text) => ({ section, text: text.trim() }))
      .filter(({ text }) => text !== '')
  })
}

/** An entry of guarantees.md: a test, or `undefined` for what only explains, and the beginnings of its sentences. */
type Entry = { section: string; held?: { file: string; title: string }; sentences: string[] }

function entriesOf(page: string): Entry[] {
  return page
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const [section = ''] = part.split('\n', 1)
      return part
        .split(/^- /m)
        .slice(1)
        .map((entry) => {
          const [first = '', second = ''] = entry.split('\n')
          const [, file, title] = /^`(.+?)`: (.+)$/.exec(first) ?? []
          const sentences = second.trim().split(' · ')
          if (file === undefined || title === undefined) return { section, sentences }
          return { section, held: { file, title }, sentences }
        })
    })
}

const sentences = sentencesOf(read('docs/interface.md'))
const entries = entriesOf(read('test/guarantees.md'))

/** The beginnings of the titles of every test file, by its path without `src/` or `test/`. */
const titles = new Map(
  globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).map((path) => [
    path.replace(/^(src|test)\//, '').replace(/\.test\.ts$/, ''),
    [...read(path).matchAll(/\btest\(\s*(['"`])(.*?)(?<!\\)\1/g)].map(([, , title = '']) => title),
  ]),
)

test('every sentence of sections 2 to 9 of the interface is held by a test, or only explains', () => {
  assert.ok(sentences.length > 250, String(sentences.length))
  const named = (section: string, text: string) =>
    entries.some((entry) => entry.section === section && entry.sentences.some((begin) => text.startsWith(begin)))
  const open = sentences.filter(({ section, text }) => !named(section, text))
  assert.deepEqual(
    open.map(({ section, text }) => `${section} ${text.slice(0, 80)}`),
    [],
  )
})

test('guarantees.md names no sentence and no test that is not there', () => {
  const gone = entries.flatMap(({ section, held, sentences: begins }) => {
    const idle = begins.filter(
      (begin) => !sentences.some((one) => one.section === section && one.text.startsWith(begin)),
    )
    const missing =
      held === undefined || titles.get(held.file)?.filter((title) => title.startsWith(held.title)).length === 1
    return [...idle.map((begin) => `${section}: ${begin}`), ...(missing ? [] : [`${held.file}: ${held.title}`])]
  })
  assert.deepEqual(gone, [])
})

test('every section of the interface that promises something is named by the title of a test', () => {
  const cited = new Set([...titles.values()].flat().flatMap((title) => (/\[(.*)\]/.exec(title)?.[1] ?? '').split(', ')))
  const sections = new Set(sentences.map(({ section }) => section))
  assert.deepEqual(
    [...sections].filter((section) => !cited.has(section)),
    [],
  )
})
