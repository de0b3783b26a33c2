import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compose, Fragment, Json, Statement } from './statement.ts'

const sql = (strings: TemplateStringsArray, ...values: ConstructorParameters<typeof Fragment>[1] & object) =>
  new Fragment(strings, values)

test('nested SQL fragments become one statement text, with their values numbered in order', () => {
  const where = sql`where a = ${1} and ${sql`b = any(${['x', 'y']})`}`
  assert.deepEqual(compose(sql`select ${'first'}::text from t ${where} limit ${2}`), {
    text: 'select $1::text from t where a = $2 and b = any($3) limit $4',
    values: ['first', 1, ['x', 'y'], 2],
  })
})

test('dates, booleans, bytes, and JSON are cast to their types; null is not', () => {
  const bytes = Buffer.from('ab')
  const when = new Date('2026-01-02T03:04:05.678Z')
  assert.deepEqual(compose(sql`${when} ${true} ${bytes} ${new Json({ b: 1, a: 2 })} ${null}`), {
    text: '$1::timestamptz $2::boolean $3::bytea $4::json $5',
    values: ['2026-01-02T03:04:05.678Z', true, bytes, '{"b":1,"a":2}', null],
  })
})

test('a statement rejects an undefined value', () => {
  const missing: { value?: string } = {}
  assert.throws(() => compose(new Fragment(['', ''], [missing.value as never])), TypeError)
})

test('a SQL statement is sent only once, when it is first awaited', async () => {
  let sent = 0
  const rows = Object.assign([], { count: 0 })
  const statement = new Statement<[]>(
    async () => {
      sent += 1
      return rows as never
    },
    ['select'],
    [],
  )
  assert.equal(sent, 0)
  assert.equal(await statement, rows)
  assert.equal(await statement.finally(() => undefined), rows)
  assert.equal(sent, 1)
})
