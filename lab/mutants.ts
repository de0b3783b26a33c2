/**
 * Changes one piece of the code at a time, in a copy of the project, and requires that a test then fails:
 * `npm run mutants -- [--kind code|security|conformance] [--only PATTERN] [--count N] [--skip N] [--seed S] [--seconds
 * 60] [--tests PATTERN] [--lanes 2]`.
 * - `code` (default): makes a sample of `--count` changes. For each change, runs the nearest tests for about
 * `--seconds`. `--map` records which code each test executes; later runs skip other tests.
 * - `security`: removes each marked security check, and runs the tests that its list names.
 * - `conformance`: adds each bug of packages/conformance/test/seeded-faults.ts, and runs the check that must find the
 * bug.
 * `--only` is matched against `path: change`. Exits with 1 if no test fails for a change.
 */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import type { SeededFault } from '../packages/conformance/test/seeded-faults.ts'
import { SEEDED_FAULTS } from '../packages/conformance/test/seeded-faults.ts'
import type { Mutant } from './mutants/make-mutants.ts'
import { idOf, mutantsOf } from './mutants/make-mutants.ts'
import { nearTests } from './mutants/near-tests.ts'
import type { ReachMap } from './mutants/reach-map.ts'
import { hashOf, reaches, reachOf, readMap, writeMap } from './mutants/reach-map.ts'
import { readSources, SECURITY_CHECKS } from './mutants/security-checks/index.ts'
import { withoutCheck } from './mutants/security-checks/remove-check.ts'
import { TestRuns } from './mutants/test-runs.ts'
import { createDatabase } from './support/database.ts'
import { copyProject } from './support/project-copy.ts'
import type { SourceFile } from './support/violation.ts'

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'code' },
    only: { type: 'string', default: '' },
    count: { type: 'string', default: 'Infinity' },
    skip: { type: 'string', default: '0' },
    tests: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    lanes: { type: 'string', default: '2' },
    map: { type: 'boolean', default: false },
  },
})

type Trial = { name: string; changed: SourceFile; notice(project: string): Promise<string | undefined> }

/** The packages whose code is changed. The conformance package is missing, because it only contains checks. */
const PACKAGES = ['contract', 'media', 'engines', 'server', 'sdk', 'cli']

const root = join(import.meta.dirname, '..')
const MAP = join(root, '.mutants/reach.json')
// Cache compiled code, because a small test file spends most of its time on its imports.
process.env['NODE_COMPILE_CACHE'] = join(root, '.mutants/compiled')

const print = (line: string) => process.stdout.write(`${line}\n`)
const isSelected = (test: string) => new RegExp(values.tests).test(test)
const TESTS = globSync(['packages/*/src/**/*.test.ts', 'packages/server/test/**/*.test.ts'], { cwd: root })
const isWanted = (name: string) => new RegExp(values.only).test(name)
const packageOf = (path: string) => PACKAGES.find((name) => path.startsWith(`packages/${name}/src/`))
const files = globSync(['packages/*/{src,test}/**/*.ts', 'lab/**/*.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
}).map((path): SourceFile => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const textOf = new Map(files.map(({ path, text }) => [path, text]))

async function extendMap(map: ReachMap): Promise<void> {
  const waiting = TESTS.filter((test) => map[test] === undefined && isWanted(test) && isSelected(test))
  await inLanes(async () => {
    for (let test = waiting.shift(); test !== undefined; test = waiting.shift()) {
      const found = await reachOf(root, test, (path) => packageOf(path) !== undefined)
      map[test] = found
      print(`${found.isGreen ? 'passed' : 'FAILED'} | ${test} | ${found.ms} ms | ${waiting.length} left`)
      await writeMap(MAP, map)
    }
  })
}

async function inLanes(work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: Math.max(1, Number(values.lanes)) }, work))
}

/** Chooses a sample of mutants. Larger packages get more mutants. The same seed gives the same sample. */
function chooseMutants(): Mutant[] {
  const sources = files.filter(({ path }) => packageOf(path) !== undefined && !/(?:\.test|-fixture)\.ts$/.test(path))
  const linesOf = (name?: string) =>
    sources
      .filter(({ path }) => name === undefined || packageOf(path) === name)
      .reduce((sum, { text }) => sum + text.split('\n').length, 0)
  const left = new Map(
    PACKAGES.map((name) => [name, Math.round((Number(values.count) * linesOf(name)) / linesOf())] as const),
  )
  return sources
    .flatMap(mutantsOf)
    .filter((mutant) => isWanted(nameOf(mutant)))
    .map((mutant) => ({ mutant, place: hashOf(`${values.seed} ${idOf(mutant)}`) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ mutant }) => mutant)
    .filter(({ path }) => {
      const name = packageOf(path) ?? ''
      const places = left.get(name) ?? 0
      left.set(name, places - 1)
      return places > 0
    })
    .slice(Number(values.skip))
}

const nameOf = ({ path, line, fault, was, now }: Mutant) => `${path}:${line} ${fault}: ${was} → ${now}`

/** The number of tests that run even if they take longer than `--seconds`. */
const NEAREST = 3

/** Returns the tests that load the changed file, nearest first. With a map, omits tests that do not execute the change. */
function testsFor({ path, line, text, at }: Mutant, map: ReachMap, near: ReturnType<typeof nearTests>): string[] {
  const found = values.tests === '' ? [...near(path, line), ...Object.keys(map)] : TESTS.filter(isSelected)
  return [...new Set(found)].filter(
    (test) =>
      TESTS.includes(test) &&
      (map[test] === undefined || reaches(map, { test, own: textOf.get(test) ?? '' }, { path, text, at })),
  )
}

async function firstToNotice(
  tests: readonly string[],
  runs: TestRuns,
  project: string,
  clean: string,
  seconds = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  const startedAt = performance.now()
  for (const [index, file] of tests.entries()) {
    if (index >= NEAREST && performance.now() - startedAt > seconds * 1000) return undefined
    const failure = await runs.failureOf(file, project, clean)
    if (failure !== undefined) return `${failure.is}: ${file}: ${failure.title}`
  }
  return undefined
}

async function checkThatNotices({ check }: SeededFault, project: string): Promise<string | undefined> {
  const only = `${check.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`
  const output = await promisify(execFile)(process.execPath, ['lab/conformance.ts', '--only', only], {
    cwd: project,
  }).catch((error: { stdout: string }) => error)
  return /^FAILED .*$/m.exec(output.stdout)?.[0]
}

async function openTrials(clean: string): Promise<Trial[]> {
  if (values.kind === 'conformance')
    return SEEDED_FAULTS.map((fault) => ({
      name: `${fault.path}: ${fault.fault}`,
      changed: { path: fault.path, text: (textOf.get(fault.path) ?? '').replace(fault.was, () => fault.now) },
      notice: (project) => checkThatNotices(fault, project),
    }))
  const map = await readMap(MAP)
  // A change of any source can make a test fail, so hash all sources. A change of another test file cannot.
  const sources = hashOf(files.map(({ path, text }) => (path.endsWith('.test.ts') ? '' : text)).join('\0'))
  const runs = await TestRuns.open(
    join(root, '.mutants/seen.json'),
    (test) => hashOf(`${sources}${textOf.get(test) ?? ''}`),
    new Map(Object.entries(map).map(([test, { ms }]) => [test, ms])),
  )
  if (values.kind === 'security') {
    const all = readSources(root)
    return SECURITY_CHECKS.map((check) => {
      const changed = withoutCheck(all, check)
      return {
        name: `${changed.path}: ${check.name}`,
        changed,
        notice: (project) => firstToNotice(check.tests, runs, project, clean),
      }
    })
  }
  if (values.kind !== 'code') throw new Error(`--kind is code, security, or conformance, not ${values.kind}`)
  const near = nearTests(files)
  return chooseMutants().map((mutant) => ({
    name: nameOf(mutant),
    changed: { path: mutant.path, text: mutant.text },
    notice: (project) => firstToNotice(testsFor(mutant, map, near), runs, project, clean, Number(values.seconds)),
  }))
}

/** The options of the compiler. It does not report unused names, because removing a line often leaves unused names. */
const TSC =
  '--noEmit --pretty false --noUnusedLocals false --noUnusedParameters false --incremental --tsBuildInfoFile tmp/mutants.tsbuildinfo'.split(
    ' ',
  )

async function isRejectedByCompiler(project: string): Promise<boolean> {
  return await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), TSC, { cwd: project }).then(
    () => false,
    () => true,
  )
}

if (values.map) {
  // Keep one database open, because the PostgreSQL of the tests stops without an open database.
  await using _database = await createDatabase()
  await extendMap(await readMap(MAP))
} else {
  await using database = await createDatabase()
  // Without this, each copy of the project would start its own PostgreSQL.
  process.env['TEST_DATABASE_URL'] = database.url
  await using clean = await copyProject(root, 'mutants')
  if (await isRejectedByCompiler(clean.path)) throw new Error('The compiler rejects the unchanged project.')
  const waiting = (await openTrials(clean.path)).filter(({ name }) => isWanted(name))
  const total = waiting.length
  const unnoticed: string[] = []
  print(`${total} changes`)
  await inLanes(async () => {
    await using project = await copyProject(root, 'mutants')
    for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift()) {
      const startedAt = performance.now()
      const { path, text } = trial.changed
      await writeFile(join(project.path, path), text)
      let noticed = await trial.notice(project.path)
      if (noticed === undefined && (await isRejectedByCompiler(project.path))) noticed = 'the compiler'
      await writeFile(join(project.path, path), textOf.get(path) ?? '')
      if (noticed === undefined) unnoticed.push(trial.name)
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      print(`${trial.name} | ${noticed ?? 'NOT NOTICED'} | ${seconds} s`)
    }
  })
  print(`${total - unnoticed.length} of ${total} changes were noticed.`)
  for (const name of unnoticed) print(`  not noticed: ${name}`)
  process.exitCode = unnoticed.length === 0 ? 0 : 1
}
