import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restrictionsOf } from './key-restrictions.ts'

test('a key is restricted if at least one of its restrictions is set, but not if all are false or missing [auth.restricted.1]', () => {
  assert.deepEqual(restrictionsOf({ mode_only: true, create_only: false }), { mode_only: true })
  assert.equal(restrictionsOf({ mode_only: false }), undefined)
  assert.equal(restrictionsOf({}), undefined)
})
