/**
 * Puts one fault after the other into a copy of the project, and runs the tests that reach it:
 * `npm run mutants -- [--only PATTERN] [--count N] [--each N] [--seed S] [--lines 2] [--tests 8] [--journeys 3]
 * [--seconds 30] [--list]`.
 *
 * `PATTERN` is looked for in `path:line fault`; `--each` takes so many of each folder. `--map` runs each file of tests
 * once and keeps what it reaches, so that later runs try only those that run the changed place. `--minutes` ends a run
 * early, and with `--keep FILE` the next one goes on behind it (`--again`: it tries survivors anew). Exits with 1 when a fault survives that no one calls
 * equivalent (test/mutants/equivalent.ts), and says so of each. Decision 65 tells how to read the figures.
 */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { EQUIVALENT } from '../test/mutants/equivalent.ts'
import type { Mutant } from '../test/mutants/make-mutants.ts'
import { mutantsOf } from '../test/mutants/make-mutants.ts'
import { hashOf, reaches, reachOf, readMap, writeMap } from '../test/mutants/reach-map.ts'
import { journeysOf, reachedBy } from '../test/mutants/reaching-tests.ts'
import { createDatabase } from '../test/support/database.ts'
import type { Verdict } from '../test/support/judge.ts'
import { judge } from '../test/support/judge.ts'
import { copyProject } from '../test/support/project-copy.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    count: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    each: { type: 'string', default: 'Infinity' },
    lines: { type: 'string', default: '2' },
    tests: { type: 'string', default: '8' },
    journeys: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '30' },
    minutes: { type: 'string', default: 'Infinity' },
    keep: { type: 'string' },
    again: { type: 'boolean', default: false },
    map: { type: 'boolean', default: false },
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
/** Where a place is in its file counts for nothing: code above it may change. */
const idOf = ({ path, was, now }: Mutant) => `${path} ${was} → ${now}`
const nameOf = ({ path, line, fault }: Mutant) => `${path}:${line} ${fault}`
const endsAt = performance.now() + Number(values.minutes) * 60_000

const MAP = join(root, '.mutants/reach.json')
const map = await readMap(MAP)

function choose(): Mutant[] {
  const wanted = new RegExp(values.only)
  const made = files
    .filter(({ path }) => folderOf(path) !== '' && !/(?:\.test|-fixture)\.ts$/.test(path))
    .flatMap(mutantsOf)
    .filter((mutant) => wanted.test(nameOf(mutant)) && !isEquivalent(mutant))
  // By what each is, so that a change elsewhere leaves the sample as it is.
  const placeOf = (mutant: Mutant) => hashOf(`${values.seed} ${idOf(mutant)}`)
  const shuffled = made
    .map((mutant) => ({ mutant, place: placeOf(mutant) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
  const taken = new Map<string, number>()
  const chosen = shuffled
    .map(({ mutant }) => mutant)
    .filter(({ path }) => {
      const before = taken.get(folderOf(path)) ?? 0
      taken.set(folderOf(path), before + 1)
      return before < Number(values.each)
    })
    .slice(0, Number(values.count))
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

/** Those that run the place, the likeliest first; a test that is not in the map is taken for one. */
function testsFor({ path, line, at }: Mutant): string[] {
  const text = textOf.get(path) ?? ''
  const runs = (test: string) => reaches(map, test, path, text, at) ?? true
  const near = testsReaching(path, line).filter(runs).slice(0, Number(values.tests))
  const known = Object.keys(map).filter((test) => test.startsWith('test/journeys/') && runs(test))
  const quick = known.toSorted((a, b) => (map[a]?.ms ?? 0) - (map[b]?.ms ?? 0))
  const journeys = [...new Set([...journeysOf(path).filter(runs), ...quick])].slice(0, Number(values.journeys))
  const before = (minded.get(path) ?? []).filter(runs).toReversed()
  return affordable([...new Set([...before, ...near, ...journeys])])
}

/** As many of these tests as take `--seconds` together, and three at least, whatever they take. */
function affordable(tests: readonly string[]): string[] {
  let left = Number(values.seconds) * 1000
  return tests.filter((test, index) => {
    const isTaken = index < 3 || left > (map[test]?.ms ?? 0)
    if (isTaken) left -= map[test]?.ms ?? 0
    return isTaken
  })
}

/** Runs every file of tests that is not in the map yet, two at a time. */
async function makeMap(): Promise<void> {
  const isWanted = (path: string) => folderOf(path) !== ''
  // Of the journeys those that are asked at all; they take longest, and come last.
  const tests = [
    ...globSync(['src/**/*.test.ts'], { cwd: root }),
    ...new Set(files.flatMap(({ path }) => journeysOf(path))),
  ]
  const left = tests.filter((test) => map[test] === undefined && new RegExp(values.only).test(test))
  async function run(): Promise<void> {
    for (let test = left.shift(); test !== undefined && performance.now() < endsAt; test = left.shift()) {
      const found = await reachOf(root, test, isWanted)
      map[test] = found
      print(`${found.isGreen ? 'green' : 'RED'} | ${test} | ${found.ms} ms | ${left.length} left`)
      await writeMap(MAP, map)
    }
  }
  await Promise.all(Array.from({ length: Number(values.lines) }, run))
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

/** What earlier runs have found, of the same mutants of the same text. */
async function readKept(): Promise<Map<string, Kept>> {
  const text = values.keep === undefined ? '' : await readFile(values.keep, 'utf8').catch(() => '')
  const kept = text
    .split('\n')
    .filter(Boolean)
    .map((line): Kept => JSON.parse(line))
  return new Map(kept.map((one) => [one.id, one]))
}

type Kept = { id: string; end: End; by: string }

const waiting = values.map ? [] : choose()
// Whoever stops a long run still reads what it has found.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => waiting.splice(0))
const kept = await readKept()
const results: Result[] = []
for (const mutant of waiting.splice(0)) {
  const found = kept.get(idOf(mutant))
  if (found === undefined || (values.again && found.end === 'survived')) waiting.push(mutant)
  else results.push({ mutant, end: found.end, by: found.by })
}

const next = () => (performance.now() < endsAt ? waiting.shift() : undefined)

async function work(clean: string): Promise<void> {
  await using project = await copyProject(root, 'mutants')
  for (let mutant = next(); mutant !== undefined; mutant = next()) {
    const startedAt = performance.now()
    await writeFile(join(project.path, mutant.path), mutant.text)
    const found = await tryOut(mutant, project.path, clean)
    await writeFile(join(project.path, mutant.path), textOf.get(mutant.path) ?? '')
    results.push({ mutant, ...found })
    if (values.keep !== undefined) await appendFile(values.keep, `${JSON.stringify({ id: idOf(mutant), ...found })}\n`)
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

if (values.map) {
  await using _database = await createDatabase()
  await makeMap()
} else if (values.list) for (const mutant of waiting) print(`${nameOf(mutant)} | ${mutant.was} → ${mutant.now}`)
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
