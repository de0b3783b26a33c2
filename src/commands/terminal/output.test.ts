import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeTime, visible } from './output.ts'

test('a time is for people on a terminal, in the time of the machine, and as in --json elsewhere', () => {
  const at = new Date(2026, 0, 5, 7, 4, 9, 312)
  assert.equal(describeTime(at, true), '2026-01-05 07:04:09')
  assert.equal(describeTime(at, false), at.toISOString())
})

test('a name of elsewhere cannot move the cursor or begin a line', () => {
  assert.equal(visible('a\nb\u001b[2J\u009b31m ü 图.png'), String.raw`a\nb\x1b[2J\x9b31m ü 图.png`)
})
