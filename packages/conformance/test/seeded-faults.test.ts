import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKS } from '../src/run-checks.ts'
import { SEEDED_FAULTS } from './seeded-faults.ts'

const root = join(import.meta.dirname, '../../..')

test('every seeded bug changes exactly one place in the sources', () => {
  const astray = SEEDED_FAULTS.filter(
    ({ path, was, now }) => was === now || readFileSync(join(root, path), 'utf8').split(was).length !== 2,
  )
  assert.deepEqual(
    astray.map(({ fault, path }) => `${path}: ${fault}`),
    [],
  )
})

test('there are at least forty seeded bugs, and at least one per topic', () => {
  assert.ok(SEEDED_FAULTS.length >= 40, String(SEEDED_FAULTS.length))
  const kinds = SEEDED_FAULTS.flatMap(({ check }) => CHECKS.filter(({ title }) => title.startsWith(check)))
    .flatMap(({ rules }) => rules)
    .map((rule) => rule.split('.', 1)[0])
  assert.ok(new Set(kinds).size >= 15, [...new Set(kinds)].join(' '))
})

test('every seeded bug names a check that must find it', () => {
  const unknown = SEEDED_FAULTS.filter(
    ({ check }) => CHECKS.filter(({ title }) => title.startsWith(check)).length !== 1,
  )
  assert.deepEqual(
    unknown.map(({ fault, check }) => `${fault}: ${check}`),
    [],
  )
})
