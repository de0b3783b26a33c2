import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restrictionsOf } from './key-restrictions.ts'

test('one restriction restricts a key; false and missing values do not [auth.restricted.1]', () => {
  assert.deepEqual(restrictionsOf({ mode_only: true, create_only: false }), { mode_only: true })
  assert.equal(restrictionsOf({ mode_only: false }), undefined)
  assert.equal(restrictionsOf({}), undefined)
})
