/** Measures `src` as the house review did and prints a table: `node scripts/measure-house.ts [checkout]`. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brokenDocstrings, describeDocstring } from '../test/support/docstrings.ts'
import { folderEntries } from '../test/support/folder-entries.ts'
import { functionsOf } from '../test/support/functions.ts'
import { circlesOf } from '../test/support/import-circles.ts'
import { maskSource } from '../test/support/source-text.ts'
import type { SourceFile } from '../test/support/violation.ts'

const MAX_FUNCTION_LINES = 60
const MAX_ENTRIES = 20

const root = process.argv[2] ?? join(import.meta.dirname, '..')

const read = (patterns: string[]): SourceFile[] =>
  globSync(patterns, { cwd: root, exclude: ['src/client/api-types.ts'] }).map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }))

const isTest = ({ path }: SourceFile) => /\.test\.ts$|-fixture\.ts$/.test(path)
const inSource = read(['src/**/*.ts'])
const source = inSource.filter((file) => !isTest(file))
const linesOf = ({ text }: SourceFile) => text.trimEnd().split('\n')

/** Lines that hold a comment and no code, as a share of all. */
function commentShare(files: readonly SourceFile[]): string {
  const lines = files.flatMap(linesOf)
  const comments = lines.filter((line) => /^\s*(?:\/\/|\/\*|\*)/.test(line)).length
  return `${((100 * comments) / Math.max(1, lines.length)).toFixed(1)} %`
}

function sizeRow(name: string, files: readonly SourceFile[]): string {
  const sizes = files.map((file) => linesOf(file).length).toSorted((one, other) => one - other)
  const at = (share: number) => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * share))] ?? 0
  const largest = files.find((file) => linesOf(file).length === sizes.at(-1))?.path ?? ''
  const sum = sizes.reduce((one, other) => one + other, 0)
  return `| ${name} | ${sizes.length} | ${sum} | ${at(0.5)} | ${at(0.9)} | ${sizes.at(-1) ?? 0} \`${largest}\` | ${commentShare(files)} |`
}

const functions = source.flatMap(functionsOf)
const long = functions.filter(({ lines, holdsSql }) => lines > MAX_FUNCTION_LINES && !holdsSql)
const circles = circlesOf(source)
const valueCircles = circlesOf(source, 'values')
const casts = source.flatMap(({ path, text }) => [...maskSource(text).matchAll(/\bparameters\s+as\b/g)].map(() => path))
const folders = folderEntries(inSource.map(({ path }) => path))
const full = folders.filter(({ entries }) => entries > MAX_ENTRIES)

const docstrings = brokenDocstrings(inSource)

const named = (things: readonly string[]) => (things.length === 0 ? '' : things.join(', '))

const table = [
  '| | files | lines | median | p90 | max | comments |',
  '|---|---|---|---|---|---|---|',
  sizeRow('src without tests and fixtures', source),
  sizeRow('tests and fixtures in src', inSource.filter(isTest)),
  sizeRow('test', read(['test/**/*.ts'])),
  sizeRow('scripts', read(['scripts/**/*.ts'])),
  sizeRow('bench', read(['bench/**/*.ts'])),
  '',
  '| | number | which |',
  '|---|---|---|',
  `| functions with a block | ${functions.length} | |`,
  `| over ${MAX_FUNCTION_LINES} lines, outside SQL | ${long.length} | ${named(long.map(({ name, path, lines }) => `${name} ${lines} (${path})`))} |`,
  `| folders with more than ${MAX_ENTRIES} entries | ${full.length} | ${named(full.map(({ folder, entries }) => `${folder} ${entries}`))} |`,
  `| circles by value | ${valueCircles.length} | ${named(valueCircles.map((circle) => circle.join(' ↔ ')))} |`,
  `| circles by type or value | ${circles.length} | ${named(circles.map((circle) => circle.join(' ↔ ')))} |`,
  `| casts of parameters | ${casts.length} | ${named(casts)} |`,
  `| docstrings that break the rules | ${docstrings.length} | ${named(docstrings.map(describeDocstring))} |`,
]
process.stdout.write(`${table.join('\n')}\n`)
