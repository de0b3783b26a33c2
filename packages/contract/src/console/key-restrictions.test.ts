import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restrictionsOf } from './key-restrictions.ts'

test('a single restriction makes a key restricted; a restriction that is false or missing does not [auth.restricted.1]', () => {
  assert.deepEqual(restrictionsOf({ mode_only: true, create_only: false }), { mode_only: true })
  assert.equal(restrictionsOf({ mode_only: false }), undefined)
  assert.equal(restrictionsOf({}), undefined)
})
