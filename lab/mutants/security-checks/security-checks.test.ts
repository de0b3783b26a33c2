import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSources, SECURITY_CHECKS } from './index.ts'
import { regionsIn } from './marker.ts'
import type { Removal } from './remove-check.ts'
import { at, swap, withoutCheck } from './remove-check.ts'

const root = join(import.meta.dirname, '../../..')
const files = readSources(root)

test('every security check in the list has a marker in the code, and its tests exist', () => {
  for (const check of SECURITY_CHECKS) {
    const { path, text } = withoutCheck(files, check)
    assert.notEqual(text, files.find((file) => file.path === path)?.text, check.name)
    for (const file of check.tests) assert.ok(existsSync(join(root, file)), file)
  }
  assert.equal(new Set(SECURITY_CHECKS.map(({ name }) => name)).size, SECURITY_CHECKS.length, 'names are unique')
})

test('every marker in the code belongs to a security check in the list', () => {
  const known = new Set(SECURITY_CHECKS.map(({ place }) => place.marker))
  const markers = files.flatMap((file) => regionsIn(file))
  assert.ok(markers.length > 100, String(markers.length))
  assert.deepEqual(
    markers.filter(({ marker }) => !known.has(marker)).map(({ path, marker }) => `${path}: ${marker}`),
    [],
  )
})

const CODE = `export function check(size: number, list: string[]): string[] {
  // security check: sizes
  if (size > list.length && (size > 2 || isOdd(size))) {
    throw new Error('too large')
  }
  // security check: a call
  return list.map(
    (name) =>
      name.trim(),
  )
}
const options = {
  // security check: a property
  agent: false,
  // security check: words
  text: \`a
b\`,
}
`

const without = (marker: string, removal: Removal) =>
  withoutCheck([{ path: 'packages/server/src/a.ts', text: CODE }], {
    name: 'it',
    tests: [],
    place: at(marker, removal),
  }).text

test('the code region of a security marker ends with the statement, array element, or property that follows the marker', () => {
  const regions = regionsIn({ path: 'packages/server/src/a.ts', text: CODE })
  assert.deepEqual(
    regions.map(({ start, end }) => CODE.slice(start, end).replaceAll(/\s+/g, ' ')),
    [
      "if (size > list.length && (size > 2 || isOdd(size))) { throw new Error('too large') }",
      'return list.map( (name) => name.trim(), )',
      'agent: false,',
      'text: `a b`,',
    ],
  )
})

test('the mutation tool removes a security check by its condition, by its text, or completely, and rejects an ambiguous removal', () => {
  assert.match(without('sizes', 'never'), /^ {2}if \(false\) \{$/m)
  assert.match(without('sizes', 'always'), /^ {2}if \(true\) \{$/m)
  assert.match(without('sizes', swap(['list.length', '9'], ['2', '3'])), /size > 9 && \(size > 3 \|\|/)
  assert.match(without('sizes', swap(['_ > 2', 'false'])), /\(false \|\| isOdd/)
  assert.match(without('sizes', swap(['_ > _ &&', ''])), /if \( \(size > 2/)
  assert.doesNotMatch(without('a property', 'gone'), /agent/)
  assert.throws(() => without('sizes', swap(['size', 'x'])), /must have this text once: size/)
  assert.throws(() => without('a call', 'never'), /has no condition/)
  assert.throws(() => without('a door', 'gone'), /No file has this marker/)
})
