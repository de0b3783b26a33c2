import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearTests } from './near-tests.ts'

test('the mutation tool finds the tests that import a file, nearest first, and ignores type imports', () => {
  const near = nearTests([
    { path: 'a/far.test.ts', text: "import '../b/user.ts'\n" },
    { path: 'b/user.ts', text: "import { x } from '../a/x.ts'\n" },
    { path: 'b/x.test.ts', text: "import { x } from '../a/x.ts'\n" },
    { path: 'a/x.test.ts', text: "import { x } from './x.ts'\n" },
    { path: 'a/types.test.ts', text: "import type { X } from './x.ts'\n" },
    { path: 'a/x.ts', text: '' },
  ])
  assert.deepEqual(near('a/x.ts'), ['a/x.test.ts', 'b/x.test.ts', 'a/far.test.ts'])
  assert.deepEqual(near('b/user.ts'), ['a/far.test.ts'])
  assert.deepEqual(near('a/none.ts'), [])
})
