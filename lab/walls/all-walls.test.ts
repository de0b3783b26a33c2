import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readWalled, WALLS } from './all-walls.ts'
import { regionsIn } from './marker.ts'
import type { Removal } from './wall.ts'
import { at, inFile, swap, withoutWall } from './wall.ts'

const root = join(import.meta.dirname, '../..')
const files = readWalled(root)

test('every wall of the list has its marker in the code, and is held by tests that are there', () => {
  for (const wall of WALLS) {
    const changed = withoutWall(files, wall)
    for (const { path, text } of changed) assert.notEqual(text, files.find((file) => file.path === path)?.text)
    for (const path of wall.tests) assert.ok(existsSync(join(root, path)), path)
  }
  assert.equal(new Set(WALLS.map(({ name }) => name)).size, WALLS.length, 'two walls have one name')
})

test('every marker of a wall in the code is taken out by a wall of the list', () => {
  const known = new Set(WALLS.flatMap(({ places }) => places.map((place) => ('marker' in place ? place.marker : ''))))
  const markers = files.flatMap((file) => regionsIn(file))
  assert.ok(markers.length > 150, String(markers.length))
  assert.deepEqual(
    markers.filter(({ marker }) => !known.has(marker)).map(({ path, marker }) => `${path}: ${marker}`),
    [],
  )
})

const CODE = `export function check(size: number, list: string[]): string[] {
  // wall: sizes
  if (size > list.length && (size > 2 || isOdd(size))) {
    throw new Error('too large')
  }
  // wall: a call
  return list.map(
    (name) =>
      name.trim(),
  )
}
const options = {
  // wall: a property
  agent: false,
  // wall: words
  text: \`a
b\`,
}
`

/** The made-up code without what stands below `marker`. */
const without = (marker: string, removal: Removal) =>
  withoutWall([{ path: 'packages/server/src/a.ts', text: CODE }], {
    name: 'it',
    tests: [],
    places: [at(marker, removal)],
  })[0]?.text

test('what stands below a marker ends with its statement, its element or its property', () => {
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

test('a wall is taken out by its condition, by its words or whole, and never by guessing', () => {
  assert.match(without('sizes', 'never') ?? '', /^ {2}if \(false\) \{$/m)
  assert.match(without('sizes', 'always') ?? '', /^ {2}if \(true\) \{$/m)
  assert.match(without('sizes', swap(['list.length', '9'], ['2', '3'])) ?? '', /size > 9 && \(size > 3 \|\|/)
  assert.match(without('sizes', swap(['_ > 2', 'false'])) ?? '', /\(false \|\| isOdd/)
  assert.match(without('sizes', swap(['_ > _ &&', ''])) ?? '', /if \( \(size > 2/)
  assert.doesNotMatch(without('a property', 'gone') ?? '', /agent/)
  assert.throws(() => without('sizes', swap(['size', 'x'])), /does not hold this once: size/)
  assert.throws(() => without('a call', 'never'), /no condition/)
  assert.throws(() => without('a door', 'gone'), /no file has the marker/)
  const nowhere = { name: 'it', tests: [], places: [inFile('packages/server/src/b.ts', 'gone')] }
  assert.throws(
    () => withoutWall([{ path: 'packages/server/src/a.ts', text: CODE }], nowhere),
    /there is no packages\/server\/src\/b\.ts/,
  )
})
