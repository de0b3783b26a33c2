import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listed, quoted, shown } from './words.ts'

test('words are listed as a sentence does', () => {
  assert.deepEqual(
    [listed([]), listed(['a']), listed(['a', 'b'], 'or'), listed(['a', 'b', 'c'])],
    ['', 'a', 'a or b', 'a, b and c'],
  )
})

test('shows a value as it was sent, and names the kind of arrays and objects', () => {
  const values = [null, true, 1.5, 30_000, 'red', '', [], [1], {}, { a: 1 }]
  const words = ['null', 'true', '1.5', '30000', '"red"', '""', 'an array', 'an array', 'an object', 'an object']
  assert.deepEqual(values.map(shown), words)
})

test('of a text at most 40 characters are repeated, on one line, whatever is in it', () => {
  assert.equal(quoted('x'.repeat(40)), `"${'x'.repeat(40)}"`)
  assert.equal(quoted('x'.repeat(41)), `"${'x'.repeat(40)}…"`)
  assert.equal(quoted('😀'.repeat(1_000_000)), `"${'😀'.repeat(40)}…"`)
  assert.equal(quoted('a\nb\u0000c\u202Ed\u2028e\ud800'), '"a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFD"')
  assert.equal(quoted('a "b" \\c'), '"a \\"b\\" \\\\c"')
})
