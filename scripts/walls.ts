/**
 * Takes out one wall after the other in a copy of the project, and requires that a test of those which hold it fails:
 * `npm run walls -- [--only PATTERN] [--lines 1]`. Exits with 1 when a wall can be taken out and no test minds.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { readTree } from '../src/worker/engine-tree.ts'
import { WALLS } from '../test/walls/all-walls.ts'
import { type Wall, withoutWall } from '../test/walls/wall.ts'

const { values } = parseArgs({ options: { only: { type: 'string' }, lines: { type: 'string' } } })
const root = join(import.meta.dirname, '..')
const wanted = new RegExp(values.only ?? '')
const walls = WALLS.filter(({ name, file }) => wanted.test(`${file} ${name}`))

/** Without its wall a test may hang instead of failing: that is red too. */
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

/** The title of the first test that fails; a file that does not even load is no test that minds, and throws. */
async function firstRed(project: string, tests: readonly string[]): Promise<string | undefined> {
  const args = ['--test', '--test-concurrency=1', '--test-reporter=tap', ...tests]
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] })
  const timer = setTimeout(() => void endTree(child.pid), PATIENCE_MS)
  const startedAt = performance.now()
  let title = ''
  let red: string | undefined
  for await (const line of createInterface(child.stdout)) {
    title = /^\s*not ok \d+ - (.*)$/.exec(line)?.[1] ?? title
    const why = /^\s*failureType: '(\w+)'/.exec(line)?.[1]
    if (red !== undefined || why === undefined || why === 'subtestsFailed' || why === 'hookFailed') continue
    red = title
    await endTree(child.pid)
  }
  clearTimeout(timer)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  if (red === undefined && performance.now() - startedAt >= PATIENCE_MS) return 'a test that hangs'
  if (red !== undefined && tests.some((file) => red?.endsWith(file))) throw new Error(`${red} does not load, or breaks`)
  return red
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
    const red = await firstRed(project.path, [test])
    if (red !== undefined) throw new Error(`red before any wall is taken out: ${test}: ${red}`)
  }
  print(`${walls.length} walls, held by ${tests.length} files of tests, which are green.`)
}

const open: Wall[] = []
const waiting = [...walls]

async function work(): Promise<void> {
  await using project = await copyProject()
  for (let wall = waiting.shift(); wall !== undefined; wall = waiting.shift()) {
    const startedAt = performance.now()
    const path = join(project.path, wall.file)
    const text = await readFile(path, 'utf8')
    await writeFile(path, withoutWall(text, wall))
    let said: string
    try {
      const red = await firstRed(project.path, wall.tests)
      if (red === undefined) open.push(wall)
      said = red ?? 'NO TEST MINDS'
    } catch (error) {
      open.push(wall)
      said = `NO TEST MINDS: ${String(error)}`
    }
    await writeFile(path, text)
    print(`${wall.file} | ${wall.name} | ${said} | ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  }
}

await refuseRed()
await Promise.all(Array.from({ length: Math.max(1, Number(values.lines ?? 1)) }, () => work()))
print(`${walls.length - open.length} of ${walls.length} walls are held by a test.`)
for (const { file, name } of open) print(`  not held: ${file}: ${name}`)
process.exitCode = open.length === 0 ? 0 : 1
