/**
 * Puts one fault after the other into a copy of the project, and runs the tests that reach it:
 * `npm run mutants -- [--only PATTERN] [--count N] [--seed S] [--lines 1] [--tests 6] [--journeys 3] [--list]`.
 *
 * `PATTERN` is looked for in `path:line fault`. Exits with 1 when a fault survives that no one calls equivalent
 * (test/mutants/equivalent.ts), and says so of each. Decision 65 tells how to read the figures.
 */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { EQUIVALENT } from '../test/mutants/equivalent.ts'
import type { Mutant } from '../test/mutants/make-mutants.ts'
import { mutantsOf } from '../test/mutants/make-mutants.ts'
import { journeysOf, reachedBy } from '../test/mutants/reaching-tests.ts'
import { createDatabase } from '../test/support/database.ts'
import type { Verdict } from '../test/support/judge.ts'
import { judge } from '../test/support/judge.ts'
import { copyProject } from '../test/support/project-copy.ts'
import { createRandom } from '../test/support/random.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    count: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    lines: { type: 'string', default: '1' },
    tests: { type: 'string', default: '6' },
    journeys: { type: 'string', default: '3' },
    list: { type: 'boolean', default: false },
  },
})
const root = join(import.meta.dirname, '..')
const print = (line: string) => process.stdout.write(`${line}\n`)

/** The folders whose lines carry the service's promises about money, requests and files. */
const FOLDERS = ['requests', 'db', 'worker', 'outbound', 'webhooks', 'http', 'media/plan', 'operations']

/** How long a test file may take with a fault in it, as long as it was not seen green, and then at least. */
const PATIENCE_MS = 120_000
const LEAST_PATIENCE_MS = 20_000
/** A fault may slow a test down by so much before it counts as hanging: noticed, but badly. */
const TIMES_SLOWER = 5

const read = (path: string) => ({ path, text: readFileSync(join(root, path), 'utf8') })
const files = globSync('{src,test}/**/*.ts', { cwd: root }).map(read)
const testsReaching = reachedBy(files)
const textOf = new Map(files.map(({ path, text }) => [path, text]))
const folderOf = (path: string) => FOLDERS.find((folder) => path.startsWith(`src/${folder}/`)) ?? ''
const isEquivalent = (mutant: Mutant) =>
  EQUIVALENT.some(({ path, was, now }) => path === mutant.path && was === mutant.was && now === mutant.now)
const nameOf = ({ path, line, fault }: Mutant) => `${path}:${line} ${fault}`

function choose(): Mutant[] {
  const wanted = new RegExp(values.only)
  const made = files
    .filter(({ path }) => folderOf(path) !== '' && !/(?:\.test|-fixture)\.ts$/.test(path))
    .flatMap(mutantsOf)
    .filter((mutant) => wanted.test(nameOf(mutant)) && !isEquivalent(mutant))
  const random = createRandom(Number(values.seed))
  const shuffled = made.map((mutant) => ({ mutant, at: random.number() })).toSorted((a, b) => a.at - b.at)
  const chosen = shuffled.slice(0, Number(values.count)).map(({ mutant }) => mutant)
  print(`${chosen.length} of ${made.length} mutants, seed ${values.seed}.`)
  return chosen
}

type End = 'killed' | 'hung' | 'refused' | 'survived'
type Result = { mutant: Mutant; end: End; by: string }

/** Test files that are red without any fault: nothing they say counts. */
const red = new Map<string, Promise<boolean>>()
/** The test files that minded a fault of a file: the next one of that file is most likely theirs, too. */
const minded = new Map<string, string[]>()

/** The longest that each test file took while it was green. */
const greenMs = new Map<string, number>()

async function timed(project: string, file: string): Promise<Verdict> {
  const startedAt = performance.now()
  const known = greenMs.get(file)
  const patienceMs = known === undefined ? PATIENCE_MS : Math.max(LEAST_PATIENCE_MS, known * TIMES_SLOWER)
  const verdict = await judge(project, [file], patienceMs)
  if (verdict.is === 'green') greenMs.set(file, Math.max(known ?? 0, performance.now() - startedAt))
  return verdict
}

function testsFor({ path, line }: Mutant): string[] {
  const near = testsReaching(path, line).slice(0, Number(values.tests))
  const all = [...near, ...journeysOf(path).slice(0, Number(values.journeys))]
  return [...new Set([...(minded.get(path) ?? []).toReversed(), ...all])]
}

/** Runs the tests that reach a mutant, the likeliest first, until one minds. */
async function tryOut(mutant: Mutant, changed: string, clean: string): Promise<Omit<Result, 'mutant'>> {
  const { path } = mutant
  for (const file of testsFor(mutant)) {
    const verdict = await timed(changed, file)
    if (verdict.is === 'green') continue
    const isRed = red.get(file) ?? timed(clean, file).then(({ is }) => is !== 'green')
    red.set(file, isRed)
    if (await isRed) continue
    minded.set(path, [...(minded.get(path) ?? []), file])
    return { end: verdict.is === 'hanging' ? 'hung' : 'killed', by: `${file}: ${verdict.title}` }
  }
  return { end: 'survived', by: 'NO TEST MINDS' }
}

/** Tells which of these the compiler would never have let in: it looks at one fault of each file at a time. */
async function refuseByTypes(survived: readonly Result[], project: string): Promise<void> {
  const rounds: Result[][] = []
  for (const result of survived) {
    const free = rounds.find((round) => round.every(({ mutant }) => mutant.path !== result.mutant.path))
    if (free === undefined) rounds.push([result])
    else free.push(result)
  }
  for (const round of rounds) {
    for (const { mutant } of round) await writeFile(join(project, mutant.path), mutant.text)
    const said = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '--pretty', 'false'], {
      cwd: project,
    }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
    for (const result of round) if (said.includes(`${result.mutant.path}(`)) result.end = 'refused'
    for (const { mutant } of round) await writeFile(join(project, mutant.path), textOf.get(mutant.path) ?? '')
  }
}

const waiting = choose()
// Whoever stops a long run still reads what it has found.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => waiting.splice(0))
const results: Result[] = []

async function work(clean: string): Promise<void> {
  await using project = await copyProject(root, 'mutants')
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const startedAt = performance.now()
    await writeFile(join(project.path, mutant.path), mutant.text)
    const found = await tryOut(mutant, project.path, clean)
    await writeFile(join(project.path, mutant.path), textOf.get(mutant.path) ?? '')
    results.push({ mutant, ...found })
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    print(`${found.end} | ${nameOf(mutant)} | ${mutant.was} → ${mutant.now} | ${found.by} | ${seconds} s`)
  }
}

function printShares(): void {
  for (const folder of [...FOLDERS, '']) {
    const ended = results.filter(({ mutant }) => folder === '' || folderOf(mutant.path) === folder)
    const of = (end: End) => ended.filter((result) => result.end === end).length
    const counted = ended.length - of('refused')
    const share = counted === 0 ? '-' : `${Math.round((100 * (counted - of('survived'))) / counted)} %`
    print(
      `${folder || 'all'}: ${ended.length} mutants, ${of('killed')} killed, ${of('hung')} hung, ` +
        `${of('refused')} that only the compiler refuses, ${of('survived')} survived: ${share}`,
    )
  }
}

if (values.list) for (const mutant of waiting) print(`${nameOf(mutant)} | ${mutant.was} → ${mutant.now}`)
else {
  // The tests' PostgreSQL stays up while this holds a database on it.
  await using _database = await createDatabase()
  await using clean = await copyProject(root, 'mutants')
  await Promise.all(Array.from({ length: Math.max(1, Number(values.lines)) }, () => work(clean.path)))
  await refuseByTypes(
    results.filter(({ end }) => end === 'survived'),
    clean.path,
  )
  printShares()
  const survived = results.filter(({ end }) => end === 'survived')
  for (const { mutant } of survived) print(`  survived: ${nameOf(mutant)}: ${mutant.was} → ${mutant.now}`)
  process.exitCode = survived.length === 0 ? 0 : 1
}
