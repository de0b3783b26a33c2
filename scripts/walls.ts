/**
 * Takes out one wall after the other in a copy of the project, and requires that a test of those which hold it fails:
 * `npm run walls -- [--only PATTERN] [--lines 1]`. Exits with 1 when a wall can be taken out and no test minds.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { readTree } from '../src/supervisor/engine-tree.ts'
import { readWalled, WALLS } from '../test/walls/all-walls.ts'
import type { Wall } from '../test/walls/wall.ts'
import { withoutWall } from '../test/walls/wall.ts'

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

/** The project as it stands, with what is not committed yet, in a folder of its own. */
async function copyProject(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'mediamill-walls-'))
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of String(list).split('\0').filter(Boolean)) {
    await mkdir(dirname(join(path, file)), { recursive: true })
    await cp(join(root, file), join(path, file)).catch(() => {})
  }
  await symlink(join(root, 'node_modules'), join(path, 'node_modules'))
  // Engines that run as another user must be able to pass.
  execFileSync('chmod', ['711', path])
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** What the tests said. Only a test that ran to a failure of its own tells that a wall is missed. */
type Verdict =
  | { is: 'green' }
  /** `code` is ERR_ASSERTION where the test itself minds, and another where what it calls throws. */
  | { is: 'red'; title: string; code: string }
  | { is: 'hanging'; title: string }
  | { is: 'broken'; title: string }

/** Runs tests until the first one fails. */
async function judge(project: string, tests: readonly string[]): Promise<Verdict> {
  const args = ['--test', '--test-concurrency=1', '--test-reporter=tap', ...tests]
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void endTree(child.pid)
  }, PATIENCE_MS)
  let title = ''
  let failure: { indent: string; title: string; type: string } | undefined
  let verdict: Verdict = { is: 'green' }
  for await (const line of createInterface(child.stdout)) {
    if (verdict.is !== 'green' || isLate) continue
    title = /^\s*(?:# Subtest:|not ok \d+ -) (.*)$/.exec(line)?.[1] ?? title
    const [, indent, type] = /^(\s*)failureType: '(\w+)'/.exec(line) ?? []
    if (indent !== undefined && type !== undefined && type !== 'subtestsFailed') failure = { indent, title, type }
    if (failure === undefined || !line.startsWith(`${failure.indent}code: `)) continue
    verdict = verdictOf(failure, line.slice(failure.indent.length + 'code: '.length), tests)
    await endTree(child.pid)
  }
  clearTimeout(timer)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return isLate ? { is: 'hanging', title } : verdict
}

function verdictOf({ title, type }: { title: string; type: string }, code: string, tests: readonly string[]): Verdict {
  if (type === 'testTimeoutFailure') return { is: 'hanging', title }
  // A failure that has the file's name is one of the file, which did not load or ended in the middle.
  if (type !== 'testCodeFailure' || tests.some((file) => title.endsWith(file))) return { is: 'broken', title }
  return { is: 'red', title, code: code.replaceAll("'", '') }
}

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

/** Engines have sessions of their own, and one that spins does not notice that it is alone. */
async function endTree(pid: number | undefined): Promise<void> {
  if (pid === undefined) return
  for (const one of (await readTree(pid)).pids) {
    try {
      process.kill(one, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}

const print = (line: string) => process.stdout.write(`${line}\n`)

/** With all walls in place every test has to be green: otherwise red says nothing. */
async function refuseRed(): Promise<void> {
  await using project = await copyProject()
  const tests = [...new Set(walls.flatMap((wall) => wall.tests))]
  for (const test of tests) {
    const verdict = await judge(project.path, [test])
    if (verdict.is !== 'green') throw new Error(`${verdict.is} before any wall is taken out: ${test}: ${verdict.title}`)
  }
  print(`${walls.length} walls, held by ${tests.length} files of tests, which are green.`)
}

const open: Wall[] = []
const waiting = [...walls]

async function work(): Promise<void> {
  await using project = await copyProject()
  for (let wall = waiting.shift(); wall !== undefined; wall = waiting.shift()) {
    const startedAt = performance.now()
    const changed = withoutWall(files, wall)
    await Promise.all(changed.map(({ path, text }) => writeFile(join(project.path, path), text)))
    const verdict = await judge(project.path, wall.tests)
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
