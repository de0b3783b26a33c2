import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argumentErrors } from './check-arguments.ts'

test('the error for thousands of unknown tool arguments lists only ten of them', () => {
  let listed = 0
  const properties = new Proxy(
    { source: { type: 'string' } },
    {
      ownKeys: (target) => {
        listed += 1
        return Reflect.ownKeys(target)
      },
    },
  )
  const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 1]))
  assert.equal(argumentErrors({ type: 'object', properties }, input).length, 10)
  assert.ok(listed <= 12, `the fields were listed ${listed} times`)
})

test('a tool validates each argument against its type, list of values, and bounds', () => {
  const schema = {
    properties: {
      kind: { enum: ['a', 'b'] },
      name: { type: 'string' },
      fast: { type: 'boolean' },
      list: { type: 'array' },
      count: { type: 'integer', minimum: 1, maximum: 9 },
      any: {},
      size: {
        type: 'object',
        properties: { width: { type: 'integer' } },
        required: ['width'],
        additionalProperties: false,
      },
      open: { type: 'object', properties: { width: { type: 'integer' } } },
    },
  }
  const accepted = [
    { kind: 'a', name: '', fast: false, list: [], any: null },
    { count: 1 },
    { count: 9 },
    { size: { width: -5 } },
    { open: { height: 'x' } },
    {},
  ]
  for (const input of accepted) assert.deepEqual(argumentErrors(schema, input), [], JSON.stringify(input))
  const rejected = {
    'kind must be one of a, b (got "c").': { kind: 'c' },
    'name must be a string (got 1).': { name: 1 },
    'fast must be a boolean (got "true").': { fast: 'true' },
    'list must be a list (got "a").': { list: 'a' },
    'count must be between 1 and 9 (got 0).': { count: 0 },
    'count must be between 1 and 9 (got 10).': { count: 10 },
    'count must be an integer (got 1.5).': { count: 1.5 },
    'size must be an object (got null).': { size: null },
    'size.width is required.': { size: {} },
    'size.width must be an integer (got "1").': { size: { width: '1' } },
    'size.depth is not a field here. The fields are: width.': { size: { width: 1, depth: 1 } },
  }
  for (const [fault, input] of Object.entries(rejected)) assert.deepEqual(argumentErrors(schema, input), [fault])
  assert.deepEqual(argumentErrors(schema, { open: [] }).length, 1)
})
