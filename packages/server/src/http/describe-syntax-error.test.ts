import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@mediamill/lab/support/random'
import { describeSyntaxError } from './describe-syntax-error.ts'

test('every JSON syntax error has a position, and common mistakes have a hint [errors.messages.1]', () => {
  const faults = [
    ['', 'it is empty'],
    [' \n\t', 'it is empty'],
    ['{"a":', 'it is incomplete'],
    ['{"a":"b', 'it is incomplete'],
    ['{"a":tru', 'it is incomplete'],
    ['[-', 'it is incomplete'],
    ['{"a":NaN}', 'line 1, column 6: JSON does not support this value'],
    ['{"a":1} // it', 'line 1, column 9: remove the comment: JSON does not support comments'],
    ['a=b', 'line 1, column 1: put names and strings in double quotes'],
    ['{"a"=1}', 'line 1, column 5: put a colon between a name and its value'],
    ['{"a":True}', 'line 1, column 6: write true, false, and null in lowercase'],
    ["{\n 'a': 1}", 'line 2, column 2: put names and strings in double quotes'],
    [
      '{\n  "a": "x",\n}',
      'line 3, column 1: remove the comma before a closing bracket, and close each bracket with a matching bracket',
    ],
    ['{"a":"\n"}', 'line 1, column 7'],
    ['{"a":"\\x"}', 'line 1, column 7'],
    ['[01]', 'line 1, column 2'],
    ['{} {}', 'line 1, column 4'],
    ['[1 2]', 'line 1, column 4'],
  ] as const
  for (const [text, fault] of faults) assert.equal(describeSyntaxError(text), fault, text)
})

const SEED = 20_261_122

test(`the position of a JSON syntax error equals the position from JSON.parse, if JSON.parse returns one (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const whole = JSON.stringify(
    { source: 'https://x/a\u0001"\\', list: [1, -2.5e3, true, null, { deep: [] }], t: 'é' },
    null,
    1,
  )
  let reported = 0
  for (let count = 0; count < 20_000; count += 1) {
    const at = random.below(whole.length)
    const put = random.pick(['', ',', '}', ']', '"', '\\', 'x', '1', ':', '{', '\n'])
    const text = whole.slice(0, at) + put + whole.slice(at + random.integer(0, 2))
    const parsed = positionOf(text)
    if (parsed === undefined) continue
    reported += 1
    const own = describeSyntaxError(text).split(';')[0] ?? ''
    // In a wrong number, word, or escape, JSON.parse reports the wrong character. jsonFault reports the token's start.
    const [from, to] = [indexOf(text, own), indexOf(text, parsed)]
    assert.ok(
      from === to || (from < to && /^(?:[-+.\w]+|\\u?[\da-f]*)$/i.test(text.slice(from, to))),
      `${own}, not ${parsed}: ${text}`,
    )
  }
  assert.ok(reported > 5_000, String(reported))
})

function indexOf(text: string, reported: string): number {
  const [, line, column] = /line (\d+), column (\d+)/.exec(reported) ?? []
  if (line === undefined) return text.length
  const before = text.split('\n').slice(0, Number(line) - 1)
  return before.reduce((sum, one) => sum + one.length + 1, 0) + Number(column) - 1
}

function positionOf(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const { message } = error as Error
    if (message.includes('end of JSON input') || message.includes('Unterminated')) return 'it is incomplete'
    const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? []
    return line === undefined ? undefined : `line ${line}, column ${column}`
  }
}

test('one megabyte of invalid JSON is checked in linear time', () => {
  for (const text of ['[', '"', '{"a":', '\\', '1', ' ', '"\\u12', '[[],'])
    assert.ok(describeSyntaxError(text.repeat(1_000_000 / text.length)).length > 5)
})
