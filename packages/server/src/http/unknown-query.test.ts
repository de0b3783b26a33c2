import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { unknownQueryWarning } from './unknown-query.ts'

const text = z.string()
const KNOWN = z.object({
  limit: text,
  before: text,
  status: text,
  metadata: z.record(text, text).meta({ type: 'object' }),
})

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
  assert.equal(unknownQueryWarning({ page: '2' }, z.object({ after: text }))?.endsWith('use "after"'), true)
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

test('a parameter that only resembles a map parameter causes a warning, because it is ignored [api.query.1]', () => {
  for (const name of ['limit[]', 'limit[a]', 'metadata[a']) {
    assert.match(unknownQueryWarning({ [name]: '1' }, KNOWN) ?? '', /was ignored/, name)
  }
})

test('the warning for unknown query parameters is a short ASCII header, for any query', () => {
  const hostile = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}é\r\n"${'x'.repeat(1000)}`, '']))
  const warning = unknownQueryWarning(hostile, KNOWN) ?? ''
  assert.match(warning, /^[ -~]+$/)
  assert.ok(warning.length < 400, warning)
})
