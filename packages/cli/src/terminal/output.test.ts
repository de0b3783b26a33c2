import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeTable, describeTime, strong, toTerminal, visible } from './output.ts'

test('the command prints local times on a terminal, and UTC times (as with --json) to a file or pipe', () => {
  const at = new Date(2026, 0, 5, 7, 4, 9, 312)
  assert.equal(describeTime(at, true), '2026-01-05 07:04:09')
  assert.equal(describeTime(at, false), at.toISOString())
})

test('a printed file name cannot move the cursor or start a new line', () => {
  assert.equal(visible('a\nb\u001b[2J\u009b31m \u202eü 图.png'), String.raw`a\nb\u001b[2J\u009b31m \u202eü 图.png`)
})

test('the command escapes C0, C1, and bidi controls in printed text, so that it cannot control the terminal', () => {
  const hostile = '\u001b[2J\u001b]0;pwned\u0007\u009b31m\r\u202egnp.exe\u2066\u0000\u007f'
  const escaped = String.raw`\u001b[2J\u001b]0;pwned\u0007\u009b31m\u000d\u202egnp.exe\u2066\u0000\u007f`
  assert.equal(toTerminal(`a\tb\nü 图 ${hostile}`), `a\tb\nü 图 ${escaped}`)
  assert.ok(toTerminal(strong(hostile)).includes(escaped))
  assert.equal(describeTable(['customer'], [['one\ntwo']]).split('\n').length, 2)
})

test('printed JSON with escaped control characters parses to its original value', () => {
  const value = { customer: 'a\u001b[2J\u009b\u202e\u007f\n"ü"' }
  const printed = toTerminal(JSON.stringify(value, null, 2))
  assert.deepEqual(JSON.parse(printed), value)
  assert.doesNotMatch(printed, /[\u007f-\u009f\u202e]/)
})
