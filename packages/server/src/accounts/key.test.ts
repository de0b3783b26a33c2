import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKey, makeKey } from './key.ts'

const withSlip = (key: string, at: number) => key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1)

test('detects a key with one wrong character without a query [auth.keys.3]', () => {
  for (const mode of ['live', 'test'] as const) {
    const key = makeKey(mode)
    assert.equal(isKey(key), true)
    const taken = [...key].flatMap((_, at) => (isKey(withSlip(key, at)) ? [at] : []))
    assert.deepEqual(taken, [])
    assert.equal(isKey(key.replace(mode, mode === 'live' ? 'test' : 'live')), false)
  }
})
