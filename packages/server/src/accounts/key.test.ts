import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKey, makeKey } from './key.ts'

const withSlip = (key: string, at: number) => key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1)

test('the server rejects an API key with one wrong character without a database query [auth.keys.3]', () => {
  for (const [mode, isRestricted] of [
    ['live', false],
    ['test', false],
    ['live', true],
    ['test', true],
  ] as const) {
    const key = makeKey(mode, isRestricted)
    assert.equal(isKey(key), true)
    const taken = [...key].flatMap((_, at) => (isKey(withSlip(key, at)) ? [at] : []))
    assert.deepEqual(taken, [])
    assert.equal(isKey(key.replace(mode, mode === 'live' ? 'test' : 'live')), false)
  }
})

test('a server version that predates restricted keys rejects a restricted key by its format [auth.restricted.1]', () => {
  const earlier = /^svc_(?:live|test)_[0-9A-Za-z]{46}$/
  assert.match(makeKey('live'), earlier)
  assert.doesNotMatch(makeKey('live', true), earlier)
  assert.match(makeKey('test', true), /^svc_test_r_[0-9A-Za-z]{46}$/)
})

test('API keys that earlier versions created stay valid [auth.keys.3]', () => {
  assert.equal(isKey(`svc_test_${'0123456789'.repeat(4)}BINm5m`), true)
  assert.equal(isKey(`svc_live_r_${'abcdefghij'.repeat(4)}GVWr3L`), true)
})
