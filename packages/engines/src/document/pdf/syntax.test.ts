import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeString } from './strings.ts'
import {
  readArray,
  readDictionary,
  readName,
  readNumber,
  readReference,
  referencesIn,
  skipValue,
  writeDictionary,
  writeNumber,
} from './syntax.ts'

test('the PDF parser reads the entries of a dictionary one by one, with values of any type', () => {
  const text = `<< /A(b \\) >> (in (side)) )/B<</C[1 2 0 R(])]>>/D % note >>
    /E#46 /G 12 0 R/H<3e3E>/I -.5/J null/K[[]]>> endobj`
  assert.deepEqual(Object.fromEntries(readDictionary(text) ?? []), {
    A: '(b \\) >> (in (side)) )',
    B: '<</C[1 2 0 R(])]>>',
    D: '/E#46',
    G: '12 0 R',
    H: '<3e3E>',
    I: '-.5',
    J: 'null',
    K: '[[]]',
  })
})

test('the PDF parser rejects a value that is truncated or has unbalanced brackets', () => {
  for (const text of ['', '<<', '<</A', '<</A 1', '<</A 1>', '[1 2', '(a(b)', '<12', ']', '>>', '[1>>']) {
    const array = readArray(text)
    const dictionary = readDictionary(text)
    assert.deepEqual([array, dictionary], [undefined, undefined], text)
  }
  assert.equal(skipValue('[[[[', 0), -1)
  assert.equal(skipValue('['.repeat(1_000_000), 0), -1)
})

test('the PDF parser counts brackets only outside of strings, names, and comments', () => {
  for (const text of ['[% ]\n1]', '<</A[(])<3e>/B#5d]/C<<>>>>', '[[]/ /[]]', '[1 2 R(\\))%\r]', '<<<<>>[<>]>>']) {
    assert.equal(skipValue(`${text} 7`, 0), text.length, text)
    assert.equal(skipValue(text.slice(0, -1), 0), -1, text)
  }
  for (const text of ['[{]', '[)]', '<</A}>>', '[1>2]', '[%]', '[<12]']) assert.equal(skipValue(text, 0), -1, text)
})

test('the PDF parser reads each reference in an array as a single value', () => {
  assert.deepEqual(readArray('[1 2 0 R 3 0 R/N(x)null 4 0]'), ['1', '2 0 R', '3 0 R', '/N', '(x)', 'null', '4', '0'])
  assert.equal(readReference('12 0 R'), 12)
  assert.equal(readReference('12 0'), undefined)
  assert.equal(readReference('(12 0 R)'), undefined)
  assert.deepEqual(referencesIn('<</A 1 0 R/B[2 0 R 3 0 Rx]>>'), [1, 2])
  assert.deepEqual(referencesIn('<</A(4 0 R \\( (5 0 R))/B 1 0 R % 6 0 R\n/C(7 0 R)/D 2 0 R>>'), [1, 2])
  assert.deepEqual(referencesIn('<</A 1 0 R/B(2 0 R'), [1, 2])
})

test('the PDF parser reads numbers and names as PDF defines them', () => {
  assert.deepEqual(['1', '-.5', '+3.', '4.25'].map(readNumber), [1, -0.5, 3, 4.25])
  assert.deepEqual(
    ['1e3', '--1', '.', '(1)', '1 0 R', undefined].map((text) => readNumber(text)),
    Array(6).fill(undefined),
  )
  assert.equal(readName('/A#20B'), 'A B')
  assert.equal(
    writeDictionary([
      ['A B', '1'],
      ['C', '/D'],
      ['E', '[1]'],
    ]),
    '<</A#20B 1/C/D/E[1]>>',
  )
  assert.deepEqual([0.1 + 0.2, 1e-7, -0, 1e9, -2.5].map(writeNumber), ['0.3', '0', '0', '1000000000', '-2.5'])
})

test('the PDF parser reads both notations of a string as the same string', () => {
  assert.equal(decodeString('(a\\(b\\)\\101\\n\\\nc\\q)'), 'a(b)A\ncq')
  assert.equal(decodeString('<61 28 6>'), 'a(`')
  assert.equal(decodeString('/Name'), undefined)
  assert.equal(decodeString('<</A 1>>'), undefined)
})
