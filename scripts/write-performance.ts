/** Writes the chart and the tables of docs/performance.md anew from bench/figures.json: `node scripts/write-performance.ts`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawChart, readFigures, withTables } from '../test/support/performance.ts'

const root = join(import.meta.dirname, '..')
const page = join(root, 'docs/performance.md')
const figures = readFigures(root)
writeFileSync(join(root, 'docs/assets/performance.svg'), drawChart(figures))
writeFileSync(page, withTables(readFileSync(page, 'utf8'), figures))
