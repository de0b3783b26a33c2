import assert from 'node:assert/strict'
import { test } from 'node:test'
import { substitute } from './template.ts'

test('the insertion of template variables replaces an object only if its only field is variable and contains a name', () => {
  const used: [string, readonly PropertyKey[]][] = []
  const fields = {
    operations: [{ type: 'grayscale' }, { type: 'resize', width: { variable: 'width' } }],
    text: { variable: 'title', other: 1 },
    number: { variable: 1 },
    empty: {},
  }
  const filled = substitute(fields, [], (name, path) => {
    used.push([name, path])
    return { variable: 'inserted' }
  })
  const resize = { type: 'resize', width: { variable: 'inserted' } }
  assert.deepEqual(filled, { ...fields, operations: [{ type: 'grayscale' }, resize] })
  assert.deepEqual(used, [['width', ['operations', 1, 'width']]])
})
