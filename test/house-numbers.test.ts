import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { brokenDocstrings, describeDocstring, docstringsOf } from './support/docstrings.ts'
import { folderEntries } from './support/folder-entries.ts'
import { functionsOf } from './support/functions.ts'
import { circlesOf } from './support/import-circles.ts'

test('a function is measured from its name to its last bracket, whatever form it has', () => {
  const text = `export async function plain(a: number): Promise<{ b: string }> {
  return { b: \`\${a} }\` }
}
const arrow = (list: string[]): string[] =>
  list.map((one) => {
    return one
  })
const block = async () => {
  await sql\`
    select 1\`
}
class Thing {
  #read(): void {
    if (true) {
      plain(1)
    }
  }
}
`
  assert.deepEqual(
    functionsOf({ path: 'src/a.ts', text }).map(({ name, line, lines, holdsSql }) => [name, line, lines, holdsSql]),
    [
      ['plain', 1, 3, false],
      ['block', 8, 4, true],
      ['#read', 13, 5, false],
    ],
  )
})

test('a folder shows its files and folders, and a test is no entry of its own', () => {
  const paths = ['src/a/one.ts', 'src/a/one.test.ts', 'src/a/b/two.ts', 'src/a/b/three.ts', 'src/a/it-fixture.ts']
  assert.deepEqual(folderEntries(paths), [
    { folder: 'src/a', entries: 2 },
    { folder: 'src/a/b', entries: 2 },
    { folder: 'src', entries: 1 },
  ])
})

test('a circle by value is told apart from one by types', () => {
  const files = [
    { path: 'src/a.ts', text: "import { b } from './b.ts'" },
    { path: 'src/b.ts', text: "import type { A } from './a.ts'" },
    { path: 'src/c.ts', text: "import { d } from './d.ts'" },
    { path: 'src/d.ts', text: "import { c } from './c.ts'" },
  ]
  assert.deepEqual(circlesOf(files), [
    ['src/a.ts', 'src/b.ts'],
    ['src/c.ts', 'src/d.ts'],
  ])
  assert.deepEqual(circlesOf(files, 'values'), [['src/c.ts', 'src/d.ts']])
})

test('the first sentence of every exported docstring has at most 15 words, and none that nobody says', () => {
  const root = join(import.meta.dirname, '..')
  // What is printed into src/client/api-types.ts is the interface's own text.
  const paths = globSync('src/**/*.ts', { cwd: root, exclude: ['src/client/api-types.ts'] })
  const files = paths.map((path) => ({
    path: path.replaceAll('\\', '/'),
    text: readFileSync(join(root, path), 'utf8'),
  }))
  assert.ok(files.length > 10, `src/ was not found from ${root}`)
  assert.deepEqual(brokenDocstrings(files).map(describeDocstring), [])
})

test('a docstring is read up to its first full stop, and judged only where it is exported', () => {
  const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ')
  const text = `/** One of (Spec 4.5) two. libvips says more. */
export const a = 1
/**
 * ${words(15)}
 *
 * ${words(30)}
 */
export const b = 1
/** ${words(16)}. */
export const c = 1
/** ${words(16)}. */
const d = 1
/** Takes so many of them. */
export const e = 1
/** What is to be done. */
export const f = 1
`
  const file = { path: 'src/a.ts', text }
  const found = docstringsOf(file).map((one) => [one.line, one.exported, one.words])
  const expected: [number, boolean, number][] = [
    [1, true, 5],
    [3, true, 15],
    [9, true, 16],
    [11, false, 16],
  ]
  assert.deepEqual(found, [...expected, [13, true, 5], [15, true, 5]])
  assert.deepEqual(
    brokenDocstrings([file]).map(({ line }) => line),
    [9, 13, 15],
  )
  assert.deepEqual(brokenDocstrings([{ ...file, path: 'src/a.test.ts' }]), [])
})
