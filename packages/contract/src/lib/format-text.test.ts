import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinList, quoteText, quoteValue } from './format-text.ts'

test('a list of words in a message is joined as in a sentence', () => {
  assert.deepEqual(
    [joinList([]), joinList(['a']), joinList(['a', 'b'], 'or'), joinList(['a', 'b', 'c'])],
    ['', 'a', 'a or b', 'a, b, and c'],
  )
})

test('error messages show a value as the client sent it, but show only the type of an array or object', () => {
  const values = [null, true, 1.5, 30_000, 'red', '', [], [1], {}, { a: 1 }]
  const words = ['null', 'true', '1.5', '30000', '"red"', '""', 'an array', 'an array', 'an object', 'an object']
  assert.deepEqual(values.map(quoteValue), words)
})

test('an error message quotes at most 40 characters of a text, on one line', () => {
  assert.equal(quoteText('x'.repeat(40)), `"${'x'.repeat(40)}"`)
  assert.equal(quoteText('x'.repeat(41)), `"${'x'.repeat(40)}…"`)
  assert.equal(quoteText('😀'.repeat(1_000_000)), `"${'😀'.repeat(40)}…"`)
  assert.equal(quoteText('a\nb\u0000c\u202Ed\u2028e\ud800'), '"a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFD"')
  assert.equal(quoteText('a "b" \\c'), '"a \\"b\\" \\\\c"')
})
