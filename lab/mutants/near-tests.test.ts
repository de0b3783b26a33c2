import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearTests } from './near-tests.ts'

const common = "test('it')\n"

test('the mutation tool finds the tests that import a file, and the tests that start a program that imports it, and ignores type imports', () => {
  const near = nearTests([
    { path: 'a/far.test.ts', text: "import '../b/user.ts'\n" },
    { path: 'b/user.ts', text: "import { x } from '../a/x.ts'\n" },
    { path: 'a/types.test.ts', text: "import type { X } from './x.ts'\n" },
    { path: 'engines/image/main.ts', text: "import '../../a/x.ts'\n" },
    { path: 'b/starts.test.ts', text: 'new URL(`../engines/${name}/main.ts`, import.meta.url)\n' },
    { path: 'b/joins.test.ts', text: "join(import.meta.dirname, '../b/user.ts')\n" },
    { path: 'b/spawns.test.ts', text: "spawn(join(root, 'b/user.ts'))\n" },
    { path: 'b/other.test.ts', text: common },
    { path: 'a/x.ts', text: '' },
  ])
  assert.deepEqual(near('a/x.ts', 1).toSorted(), [
    'a/far.test.ts',
    'b/joins.test.ts',
    'b/spawns.test.ts',
    'b/starts.test.ts',
  ])
  assert.deepEqual(near('a/none.ts', 1), [])
})

test('the mutation tool first runs the tests that share rare words with the changed lines', () => {
  const filler = '\n'.repeat(30)
  const near = nearTests([
    { path: 'a/x.ts', text: `export const watermarkColor = 1\n${filler}export const ledger = 2\n` },
    ...['watermark', 'ledger', 'other'].map((word) => ({
      path: `${word}.test.ts`,
      text: `import './a/x.ts'\n${common}${word}Check()\n`,
    })),
  ])
  assert.deepEqual(near('a/x.ts', 1).slice(0, 2), ['watermark.test.ts', 'ledger.test.ts'])
  assert.deepEqual(near('a/x.ts', 32).slice(0, 2), ['ledger.test.ts', 'watermark.test.ts'])
})
