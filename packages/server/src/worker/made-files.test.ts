import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameFiles } from './made-files.ts'

const file = (path: string) => ({ path, format: 'jpg' as const, size: 1, sha256: '' })

test('result files have the names of their outputs; without outputs, they have no names', () => {
  const files = [file('a'), file('b')]
  const named = nameFiles({ files }, { outputs: [{ name: 'large' }, {}] })
  assert.deepEqual(
    named.map(({ path, name }) => [path, name]),
    [
      ['a', 'large'],
      ['b', '1'],
    ],
  )
  assert.deepEqual(nameFiles({ files }, { output: {} }), files)
})

test('a worker rejects an engine result if the number of files differs from the number of outputs', () => {
  for (const count of [0, 1, 3]) {
    const files = Array.from({ length: count }, (_, index) => file(String(index)))
    assert.throws(() => nameFiles({ files }, { outputs: [{}, {}] }), /files for 2 outputs/)
  }
})
