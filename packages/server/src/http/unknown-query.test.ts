import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unknownQueryWarning } from './unknown-query.ts'

const KNOWN = ['limit', 'before', 'status', 'metadata']

test('a warning names each unknown query parameter and its likely replacement [api.query.1]', () => {
  for (const [name, meant] of [
    ['offset', 'before'],
    ['page', 'before'],
    ['state', 'status'],
    ['per_page', 'limit'],
    ['stauts', 'status'],
  ] as const) {
    assert.equal(
      unknownQueryWarning({ [name]: '1' }, KNOWN),
      `unknown query parameter "${name}" was ignored; use "${meant}"`,
    )
  }
  assert.equal(unknownQueryWarning({ page: '2' }, ['after'])?.endsWith('use "after"'), true)
  for (const name of ['constructor', '__proto__', 'toString'])
    assert.equal(
      unknownQueryWarning(JSON.parse(`{"${name}":"1"}`), KNOWN),
      `unknown query parameter "${name}" was ignored`,
    )
  assert.equal(unknownQueryWarning({ colour: '1' }, KNOWN), 'unknown query parameter "colour" was ignored')
})

test('declared query parameters, and keys of a declared map parameter, cause no warning', () => {
  assert.equal(unknownQueryWarning({ limit: '1', 'metadata[a]': 'b' }, KNOWN), undefined)
})

test('the warning for unknown query parameters is a short ASCII header, for any query', () => {
  const hostile = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}é\r\n"${'x'.repeat(1000)}`, '']))
  const warning = unknownQueryWarning(hostile, KNOWN) ?? ''
  assert.match(warning, /^[ -~]+$/)
  assert.ok(warning.length < 400, warning)
})
