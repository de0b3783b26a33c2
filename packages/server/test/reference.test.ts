import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readReference } from '@mediamill/lab/support/reference-tables'
import { readRules } from '@mediamill/lab/support/rules'

const root = join(import.meta.dirname, '../../..')

test('the tables of docs/reference are up to date with the contract package (if not, run node scripts/write-openapi.ts)', () => {
  const pages = readReference(root)
  assert.ok(pages.filter(({ written }) => written.includes('<!-- generated: ')).length > 10)
  const stale = pages.filter(({ written, expected }) => written !== expected).map(({ file }) => file)
  assert.deepEqual(stale, [], 'run node_modules/.bin/node scripts/write-openapi.ts')
})

test('every rule of the reference has its own id, and every line that states a rule has an id', () => {
  const rules = readRules(root)
  assert.ok(rules.length > 300, String(rules.length))
  const ids = rules.map(({ id }) => id)
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  )
  assert.deepEqual(
    rules.filter(({ id, text }) => id === '' || text.length < 20).map(({ file, text }) => `${file}: ${text}`),
    [],
  )
})

test('the specification page names each section of the specification, and only rules that exist', () => {
  const page = readFileSync(join(root, 'docs/reference/specification.md'), 'utf8')
  const sections = [...page.matchAll(/^\| (\d(?:\.\d)?) \|/gm)].map(([, section]) => section)
  assert.deepEqual(
    sections.join(' '),
    '1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 3 4.1 4.2 4.3 4.4 4.5 4.6 5 6.1 6.2 6.3 6.4 7.1 7.2 8 9',
  )
  const ids = readRules(root).map(({ id }) => id)
  const named = [...page.matchAll(/`([a-z]+\.(?:[a-z_]+(?:\.\d+)?|\*))`/g)].map(([, name = '']) => name)
  assert.ok(named.length > 60, String(named.length))
  const unknown = named
    .filter((name) => name !== 'result.data')
    .filter(
      (name) =>
        !ids.some((id) => id === name || id.startsWith(`${name.replace('*', '')}${name.endsWith('*') ? '' : '.'}`)),
    )
  assert.deepEqual(unknown, [])
})
