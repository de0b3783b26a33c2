import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sentencesOf } from '@mediamill/lab/support/sentences'
import { readTitles, titlesOf } from '@mediamill/lab/support/titles'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** A line of sentences.md: the beginning of a sentence, and the files of the tests that hold it. */
type Entry = { section: string; begin: string; files: string[] }

function entriesOf(page: string): Entry[] {
  return page
    .split(/^## /m)
    .slice(1)
    .flatMap((part) =>
      [...part.matchAll(/^- (.+) → (.+)$/gm)].map(([, begin = '', files = '']) => ({
        section: part.split('\n', 1)[0] ?? '',
        begin,
        files: files === 'explains' ? [] : files.split(', '),
      })),
    )
}

const sentences = sentencesOf(read('docs/interface.md'))
const entries = entriesOf(read('packages/server/test/sentences.md'))
const titles = readTitles(root)

test('every sentence of sections 2 to 9 of the interface is held by a test, or only explains', () => {
  assert.ok(sentences.length > 250, String(sentences.length))
  const open = sentences.filter(
    ({ section, text }) => !entries.some((entry) => entry.section === section && text.startsWith(entry.begin)),
  )
  assert.deepEqual(
    open.map(({ section, text }) => `${section} ${text.slice(0, 80)}`),
    [],
  )
})

test('sentences.md names no sentence that is gone, and no file without a title that cites its section', () => {
  const gone = entries.filter(
    ({ section, begin }) => !sentences.some((one) => one.section === section && one.text.startsWith(begin)),
  )
  assert.deepEqual(
    gone.map(({ section, begin }) => `${section} ${begin}`),
    [],
  )
  const idle = entries.flatMap(({ section, begin, files }) =>
    files
      .filter((file) => !titles.some((title) => title.file === file && title.spec.includes(section)))
      .map((file) => `${section} ${begin}: ${file}`),
  )
  assert.deepEqual(idle, [])
})

test('every section of the interface that promises something is named by the title of a test', () => {
  const cited = new Set(titles.flatMap(({ spec }) => spec))
  const sections = new Set(sentences.map(({ section }) => section))
  assert.deepEqual(
    [...sections].filter((section) => !cited.has(section)),
    [],
  )
})

test('a title is read with the sections of both pages, with its seed left out', () => {
  const text =
    "test('a is b [4.5, 7.1, rulings 3, 14]', () => {})\ntest(`c\\'s [RFC 9110]`)\ntest('d [8] (seed ${SEED})')"
  assert.deepEqual(
    titlesOf('a.test.ts', text).map(({ text: words, spec, rulings }) => [words, spec, rulings]),
    [
      ['a is b', ['4.5', '7.1'], ['3', '14']],
      ["c's", [], []],
      ['d', ['8'], []],
    ],
  )
})
