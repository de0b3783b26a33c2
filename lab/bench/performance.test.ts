import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { drawChart, readFigures, withTables } from '../support/performance.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const again = 'run node_modules/.bin/node scripts/write-performance.ts'

test('the tables of docs/performance.md contain the figures of lab/bench/figures.json', () => {
  const page = read('docs/performance.md')
  assert.equal(withTables(page, readFigures(root)) === page, true, `docs/performance.md is stale: ${again}`)
})

test('the chart of docs/performance.md is drawn from the figures in lab/bench/figures.json', () => {
  const isFresh = read('docs/assets/performance.svg') === drawChart(readFigures(root))
  assert.ok(isFresh, `docs/assets/performance.svg is stale: ${again}`)
})

test('a changed value in figures.json changes the table and the chart', () => {
  const figures = readFigures(root)
  const baseline = figures.baseline.map((row) => ({ ...row, ms: row.ms + 1 }))
  const changed = { ...figures, baseline }
  assert.notEqual(withTables(read('docs/performance.md'), changed), read('docs/performance.md'))
  assert.notEqual(drawChart(changed), drawChart(figures))
})

test('every command in docs/performance.md exists', () => {
  const named = [...read('docs/performance.md').matchAll(/node (lab\/bench\/[\w-]+\.ts)/g)].map(([, path = '']) => path)
  assert.ok(named.length > 5)
  for (const path of named) assert.doesNotThrow(() => read(path), path)
})
