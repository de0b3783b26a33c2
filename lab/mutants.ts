/**
 * Puts one fault after the other into a copy of the project, and runs the tests that reach it:
 * `npm run mutants -- [--only PATTERN] [--count N] [--each N] [--seed S] [--lines 2] [--tests 8] [--journeys 3]
 * [--seconds 30] [--list]`.
 *
 * `PATTERN` is looked for in `path:line fault`; `--each` takes so many of each folder. `--map` runs each file of tests
 * once and keeps what it reaches, so that later runs try only those that run the changed place. `--minutes` ends a run
 * early, and with `--keep FILE` the next one goes on behind it (`--again`: it tries survivors anew). `--compile` shows all
 * to the compiler alone: those that it refuses are not tried any more, and do not count.
 *
 * Exits with 1 when a fault survives that no one calls equivalent (lab/mutants/equivalent.ts), and says so of each.
 * docs/contributing/testing.md explains the options.
 */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { EQUIVALENT } from './mutants/equivalent.ts'
import type { Kept } from './mutants/kept-results.ts'
import { idOf, mindedBy, readKept } from './mutants/kept-results.ts'
import type { Mutant } from './mutants/make-mutants.ts'
import { mutantsOf } from './mutants/make-mutants.ts'
import { hashOf, reaches, reachOf, readMap, writeMap } from './mutants/reach-map.ts'
import { journeysOf, reachedBy } from './mutants/reaching-tests.ts'
import { TestRuns } from './mutants/test-runs.ts'
import { createDatabase } from './support/database.ts'
import { copyProject } from './support/project-copy.ts'

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
    compile: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})
const root = join(import.meta.dirname, '..')
// Most of the time of a small file of tests goes into loading what it imports.
process.env['NODE_COMPILE_CACHE'] = join(root, '.mutants/compiled')
const print = (line: string) => process.stdout.write(`${line}\n`)

/** The folders whose lines carry the service's promises about money, requests and files. */
const FOLDERS = [
  ...['requests', 'uploads', 'db', 'worker', 'outbound', 'webhooks', 'http'].map(
    (name) => `packages/server/src/${name}/`,
  ),
  'packages/media/src/plan/',
  'packages/contract/src/operations/',
]

const read = (path: string) => ({ path, text: readFileSync(join(root, path), 'utf8') })
const files = globSync(['packages/*/{src,test}/**/*.ts', 'lab/**/*.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
}).map(read)
const testsReaching = reachedBy(files)
const textOf = new Map(files.map(({ path, text }) => [path, text]))
const folderOf = (path: string) => FOLDERS.find((folder) => path.startsWith(folder)) ?? ''
const isEquivalent = (mutant: Mutant) =>
  EQUIVALENT.some(({ path, was, now }) => path === mutant.path && was === mutant.was && now === mutant.now)
const nameOf = ({ path, line, fault }: Mutant) => `${path}:${line} ${fault}`
/** Aborted when the time is up, or whoever started this wants it to end: what is being tried then is not counted. */
const over = new AbortController()
if (values.minutes !== 'Infinity') setTimeout(() => over.abort(), Number(values.minutes) * 60_000).unref()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => over.abort())

const MAP = join(root, '.mutants/reach.json')
/** What a test that was never timed is taken to last. */
const UNKNOWN_MS = 5000
const map = await readMap(MAP)

function choose(): Mutant[] {
  const wanted = new RegExp(values.only)
  const made = files
    .filter(({ path }) => folderOf(path) !== '' && !/(?:\.test|-fixture)\.ts$/.test(path))
    .flatMap(mutantsOf)
    .filter((mutant) => wanted.test(nameOf(mutant)))
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
  // They keep their places, so that naming one does not bring another into the sample.
  const counted = chosen.filter((mutant) => !isEquivalent(mutant))
  const left = chosen.length - counted.length
  print(`${counted.length} of ${made.length} mutants, seed ${values.seed}; ${left} more are called equivalent.`)
  return counted
}

type Result = { mutant: Mutant } & Omit<Kept, 'id'>

const kept = await readKept(values.keep)
/** The test files that minded a fault of a file: the next one of that file is most likely theirs, too. */
const minded = mindedBy(kept.values())

/** A change of any source may turn a test red, one of another test does not. */
const sources = hashOf(files.map(({ path, text }) => (path.endsWith('.test.ts') ? '' : text)).join('\0'))
const runs = await TestRuns.open(
  join(root, '.mutants/seen.json'),
  (test) => hashOf(`${sources}${textOf.get(test) ?? ''}`),
  new Map(Object.entries(map).map(([test, { ms }]) => [test, ms])),
)

/** Those that run the place, the likeliest and quickest first; a test that is not in the map is taken for one. */
function testsFor({ path, line, at }: Mutant): string[] {
  const text = textOf.get(path) ?? ''
  const isRun = (test: string) =>
    reaches(map, { test, own: textOf.get(test) ?? '' }, { path, text, at }) ?? textOf.has(test)
  const near = testsReaching(path, line).filter(({ test }) => isRun(test))
  const known = Object.keys(map).filter((test) => test.startsWith('packages/server/test/journeys/') && isRun(test))
  const quick = known.toSorted((a, b) => msOf(a) - msOf(b))
  const named = journeysOf(path).filter(isRun)
  const journeys = [...new Set([...named, ...quick])].slice(0, Number(values.journeys))
  const before = (minded.get(path) ?? []).filter((test) => textOf.has(test) && isRun(test))
  const odds = new Map([
    ...journeys.map((test) => [test, named.includes(test) ? LIKELY : FAR] as const),
    ...near.slice(0, Number(values.tests)).map(({ test, rank }) => [test, rank < 50 ? 10 / (10 + rank) : FAR] as const),
    ...before.map((test) => [test, LIKELY] as const),
  ])
  const costs = new Map([...odds].map(([test, likely]) => [test, msOf(test) / likely]))
  return affordable([...costs].toSorted((a, b) => a[1] - b[1]).map(([test]) => test))
}

/** How likely a test minds that minded a fault of the same file, or whose story the file is of; and one that only reaches it. */
const [LIKELY, FAR] = [0.6, 0.05]

const msOf = (test: string) => runs.leastMs(test) ?? UNKNOWN_MS

/** As many of these tests as take `--seconds` together, and one at least, whatever it takes. */
function affordable(tests: readonly string[]): string[] {
  let left = Number(values.seconds) * 1000
  return tests.filter((test, index) => {
    const isTaken = index < 1 || left > msOf(test)
    if (isTaken) left -= msOf(test)
    return isTaken
  })
}

/** Runs every file of tests that is not in the map yet, two at a time. */
async function makeMap(): Promise<void> {
  const isWanted = (path: string) => folderOf(path) !== ''
  // Of the journeys those that are asked at all; they take longest, and come last.
  const tests = [
    ...globSync(['packages/*/src/**/*.test.ts'], { cwd: root }),
    ...new Set(files.flatMap(({ path }) => journeysOf(path))),
  ]
  const left = tests.filter((test) => map[test] === undefined && new RegExp(values.only).test(test))
  async function run(): Promise<void> {
    for (let test = left.shift(); test !== undefined && !over.signal.aborted; test = left.shift()) {
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
    const verdict = await runs.run(changed, file, over.signal)
    if (verdict.is === 'green' || (await runs.isRed(clean, file, over.signal))) continue
    minded.set(path, [...(minded.get(path) ?? []), file])
    return { end: verdict.is === 'hanging' ? 'hung' : 'killed', by: `${file}: ${verdict.title}` }
  }
  return { end: 'survived', by: 'NO TEST MINDS' }
}

/** A name that is used no more is no refusal: whoever leaves a line out leaves that out as well. */
const TSC = ['--noEmit', '--pretty', 'false', '--noUnusedLocals', 'false', '--noUnusedParameters', 'false']

/** Tells which of these the compiler would never have let in: it looks at one fault of each file at a time. */
async function refuseByTypes(asked: readonly Mutant[], project: string): Promise<void> {
  const rounds: Mutant[][] = []
  for (const mutant of asked) {
    const free = rounds.find((round) => round.every(({ path }) => mutant.path !== path))
    if (free === undefined) rounds.push([mutant])
    else free.push(mutant)
  }
  for (const round of rounds) {
    if (over.signal.aborted) return
    for (const { path, text } of round) await writeFile(join(project, path), text)
    const said = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), TSC, { cwd: project }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
    for (const mutant of round) {
      if (said.includes(`${mutant.path}(`)) await note({ mutant, end: 'refused', by: 'the compiler' })
      await writeFile(join(project, mutant.path), textOf.get(mutant.path) ?? '')
    }
    print(`${round.length} of ${asked.length} shown to the compiler`)
  }
}

/** Keeps what was found last of a mutant, here and in the file of `--keep`. */
async function note(result: Result): Promise<void> {
  const { mutant, end, by } = result
  results.set(idOf(mutant), result)
  if (values.keep !== undefined) await appendFile(values.keep, `${JSON.stringify({ id: idOf(mutant), end, by })}\n`)
}

const waiting = values.map ? [] : choose()
const results = new Map<string, Result>()
for (const mutant of waiting.splice(0)) {
  const found = kept.get(idOf(mutant))
  if (found === undefined || (values.again && found.end === 'survived')) waiting.push(mutant)
  else results.set(idOf(mutant), { mutant, end: found.end, by: found.by })
}

// Whoever has only minutes learns most from quick tests.
const costs = new Map(waiting.map((mutant) => [mutant, msOf(testsFor(mutant)[0] ?? '')]))
waiting.sort((a, b) => (costs.get(a) ?? 0) - (costs.get(b) ?? 0))

const next = () => (over.signal.aborted ? undefined : waiting.shift())

async function work(clean: string): Promise<void> {
  await using project = await copyProject(root, 'mutants')
  for (let mutant = next(); mutant !== undefined; mutant = next()) {
    const startedAt = performance.now()
    await writeFile(join(project.path, mutant.path), mutant.text)
    const found = await tryOut(mutant, project.path, clean).catch((error: unknown) => {
      if (!over.signal.aborted) throw error
    })
    if (found === undefined) return
    await writeFile(join(project.path, mutant.path), textOf.get(mutant.path) ?? '')
    await note({ mutant, ...found })
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    print(`${found.end} | ${nameOf(mutant)} | ${mutant.was} → ${mutant.now} | ${found.by} | ${seconds} s`)
  }
}

function printShares(): void {
  for (const folder of [...FOLDERS, '']) {
    const ended = [...results.values()].filter(({ mutant }) => folder === '' || folderOf(mutant.path) === folder)
    const of = (end: Kept['end']) => ended.filter((result) => result.end === end).length
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
} else if (values.list) {
  const tests = (mutant: Mutant) => testsFor(mutant).map((test) => `${test} (${Math.round(msOf(test) / 1000)} s)`)
  for (const mutant of waiting) print(`${nameOf(mutant)} | ${mutant.was} → ${mutant.now} | ${tests(mutant).join(', ')}`)
} else if (values.compile) {
  await using copy = await copyProject(root, 'mutants')
  await refuseByTypes([...waiting, ...[...results.values()].map(({ mutant }) => mutant)], copy.path)
} else {
  // The tests' PostgreSQL stays up while this holds a database on it.
  await using _database = await createDatabase()
  await using clean = await copyProject(root, 'mutants')
  await Promise.all(Array.from({ length: Math.max(1, Number(values.lines)) }, () => work(clean.path)))
  const survived = () => [...results.values()].filter(({ end }) => end === 'survived')
  // A run that is ended early leaves the compiler to the last one.
  if (!over.signal.aborted)
    await refuseByTypes(
      survived().map(({ mutant }) => mutant),
      clean.path,
    )
  printShares()
  for (const { mutant } of survived()) print(`  survived: ${nameOf(mutant)}: ${mutant.was} → ${mutant.now}`)
  process.exitCode = survived().length === 0 ? 0 : 1
}
