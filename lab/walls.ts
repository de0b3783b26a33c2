/**
 * Takes out one wall after the other in a copy of the project, and requires that a test of those which hold it fails:
 * `npm run walls -- [--only PATTERN] [--lines 1]`. Exits with 1 when a wall can be taken out and no test minds.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Verdict } from './support/judge.ts'
import { judge } from './support/judge.ts'
import { copyProject } from './support/project-copy.ts'
import { readWalled, WALLS } from './walls/all-walls.ts'
import type { Wall } from './walls/wall.ts'
import { withoutWall } from './walls/wall.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, lines: { type: 'string' } } })
const root = join(import.meta.dirname, '..')
const wanted = new RegExp(values.only ?? '')
const files = readWalled(root)
const textOf = new Map(files.map(({ path, text }) => [path, text]))
/** The file that a wall stands in; of two walls that hide each other, the first one's. */
const fileOf = (wall: Wall) => withoutWall(files, wall)[0]?.path ?? ''
const walls = WALLS.filter((wall) => wanted.test(`${fileOf(wall)} ${wall.name}`))

/** How long tests may take without a wall before they count as hanging. */
const PATIENCE_MS = 180_000

/** What the list is told of a wall: the title of the test that minds. */
function wordsFor(verdict: Verdict): string {
  switch (verdict.is) {
    case 'green':
      return 'NO TEST MINDS'
    case 'red':
      return `${verdict.title}${verdict.code === 'ERR_ASSERTION' ? '' : ` (${verdict.code})`}`
    case 'hanging':
      return `NO TEST MINDS, BUT THIS HANGS: ${verdict.title}`
    case 'broken':
      return `NO TEST MINDS, BUT THIS DOES NOT RUN: ${verdict.title}`
  }
}

const print = (line: string) => process.stdout.write(`${line}\n`)

/** With all walls in place every test has to be green: otherwise red says nothing. */
async function refuseRed(): Promise<void> {
  await using project = await copyProject(root, 'walls')
  const tests = [...new Set(walls.flatMap((wall) => wall.tests))]
  for (const test of tests) {
    const verdict = await judge(project.path, [test], PATIENCE_MS)
    if (verdict.is !== 'green') throw new Error(`${verdict.is} before any wall is taken out: ${test}: ${verdict.title}`)
  }
  print(`${walls.length} walls, held by ${tests.length} files of tests, which are green.`)
}

const open: Wall[] = []
const waiting = [...walls]

async function work(): Promise<void> {
  await using project = await copyProject(root, 'walls')
  for (let wall = waiting.shift(); wall !== undefined; wall = waiting.shift()) {
    const startedAt = performance.now()
    const changed = withoutWall(files, wall)
    await Promise.all(changed.map(({ path, text }) => writeFile(join(project.path, path), text)))
    const verdict = await judge(project.path, wall.tests, PATIENCE_MS)
    if (verdict.is !== 'red') open.push(wall)
    await Promise.all(changed.map(({ path }) => writeFile(join(project.path, path), textOf.get(path) ?? '')))
    print(
      `${fileOf(wall)} | ${wall.name} | ${wordsFor(verdict)} | ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
    )
  }
}

await refuseRed()
await Promise.all(Array.from({ length: Math.max(1, Number(values.lines ?? 1)) }, () => work()))
print(`${walls.length - open.length} of ${walls.length} walls are held by a test.`)
for (const wall of open) print(`  not held: ${fileOf(wall)}: ${wall.name}`)
process.exitCode = open.length === 0 ? 0 : 1
