import assert from 'node:assert/strict'
import { test } from 'node:test'
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
