/**
 * Updates docs/performance.md from lab/bench/figures.json: `node scripts/write-performance.ts [--baseline FILE]
 * [--tools FILE] [--busy FILE] [--machine TEXT] [--measured TEXT]`. FILE is the `--out` file of a benchmark.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Figures } from '@mediamill/lab/support/performance'
import { drawChart, readFigures, withTables } from '@mediamill/lab/support/performance'

const { values } = parseArgs({
  options: {
    baseline: { type: 'string' },
    tools: { type: 'string' },
    busy: { type: 'string' },
    machine: { type: 'string' },
    measured: { type: 'string' },
  },
})
const root = join(import.meta.dirname, '..')
const page = join(root, 'docs/performance.md')
const known = readFigures(root)
const rowsOf = <Row>(file: string | undefined, rows: Row[]): Row[] =>
  file === undefined ? rows : (JSON.parse(readFileSync(file, 'utf8')) as Row[])
const figures: Figures = {
  measured: values.measured ?? known.measured,
  machine: values.machine ?? known.machine,
  // Skip rows about memory and idle time, because the page's table has only jobs.
  baseline: rowsOf(values['baseline'], known.baseline).filter((row) => 'job' in row),
  tools: rowsOf(values.tools, known.tools),
  busy: rowsOf(values.busy, known.busy),
}
writeFileSync(join(root, 'lab/bench/figures.json'), `${JSON.stringify(figures, null, 2)}\n`)
writeFileSync(join(root, 'docs/assets/performance.svg'), drawChart(figures))
writeFileSync(page, withTables(readFileSync(page, 'utf8'), figures))
