import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { WALLS } from './all-walls.ts'
import { withoutWall } from './wall.ts'

const root = join(import.meta.dirname, '../..')

test('every wall of the list still stands where the list says, in one place, and is held by tests that are there', () => {
  const found = new Map<string, number>()
  for (const wall of WALLS) {
    const { name, file, tests } = wall
    const text = readFileSync(join(root, file), 'utf8')
    assert.notEqual(withoutWall(text, wall), text)
    for (const path of tests) assert.ok(existsSync(join(root, path)), path)
    found.set(`${file} ${name}`, (found.get(`${file} ${name}`) ?? 0) + 1)
  }
  assert.deepEqual(
    [...found].filter(([, times]) => times > 1),
    [],
    'two walls have one name',
  )
})
