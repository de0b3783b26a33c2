import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { readRules } from '@mediamill/lab/support/rules'
import { readTitles } from '@mediamill/lab/support/titles'
import { CHECKS } from '../src/run-checks.ts'
import { UNCHECKED_RULES } from '../src/unchecked-rules.ts'

const root = join(import.meta.dirname, '../../..')
const rules = readRules(root).map(({ id }) => id)

const isPublic = (rule: string) => !/^(?:operator|console|docs)\./.test(rule)

test('every rule of the public API has a conformance check or a reason for having none', () => {
  const named = new Set([...CHECKS.flatMap((check) => check.rules), ...UNCHECKED_RULES.map(({ rule }) => rule)])
  const missing = rules.filter((rule) => isPublic(rule) && !named.has(rule))
  assert.deepEqual(
    missing,
    [],
    'Add a check in packages/conformance/src/checks, or a reason in src/unchecked-rules.ts.',
  )
})

test('the conformance suite cites only existing rules, and no rule with a check is listed as untested', () => {
  const checked = CHECKS.flatMap((check) => check.rules)
  const unseen = UNCHECKED_RULES.map(({ rule }) => rule)
  assert.deepEqual(
    [...checked, ...unseen].filter((rule) => !rules.includes(rule)),
    [],
    'docs/reference has no such rule. Correct the ID in the check or in src/unchecked-rules.ts.',
  )
  assert.deepEqual(
    unseen.filter((rule, index) => checked.includes(rule) || unseen.indexOf(rule) !== index),
    [],
    'Remove these rules from src/unchecked-rules.ts.',
  )
})

test('every rule of the reference is cited by a test title or a conformance check', () => {
  const cited = new Set([
    ...CHECKS.flatMap((check) => check.rules),
    ...readTitles(root).flatMap((title) => title.rules),
  ])
  const uncited = rules.filter((rule) => !cited.has(rule))
  assert.deepEqual(uncited, [], 'Cite these rules in the title of a test, as in [requests.abort.3].')
})
