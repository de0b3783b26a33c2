import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LONGEST_CELL, LONGEST_SENTENCE, RULES, SUBJECT } from './check-words/rules.ts'
import type { Text } from './check-words/texts.ts'
import { textsOf } from './check-words/texts.ts'

// Checks the English of documentation, messages, comments, test titles, and commit subjects against the rules in
// check-words/rules.ts. It fails if a file has more findings of a rule than its baseline allows.
//   npm run check:words -- PATH…      lists every finding of these files or folders
//   npm run check:words -- --update   lowers the baseline to the present counts
// To allow a sentence, write `words-ok: REASON` in a comment on its line or on the line before.

type Finding = { file: string; line: number; rule: string; found: string; fix: string }
type Counts = Record<string, Record<string, number>>

const root = join(import.meta.dirname, '..')
const BASELINE = join(import.meta.dirname, 'check-words/baseline')
const GENERATED = /^packages\/sdk\/(?:api\.md|src\/api-types\.ts)$|catalog\.json$|^scripts\/check-words\/|\.d\.ts$/
const READ = /\.(?:[jt]sx?|mjs|md|sh|ya?ml)$|(?:^|\/)Dockerfile$|^docs\/openapi\.json$|^\.ci\//

const asked = process.argv.slice(2)
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }).trim()

const files = git('ls-files', '--cached', '--others', '--exclude-standard')
  .split('\n')
  .filter((file) => READ.test(file) && !GENERATED.test(file) && existsSync(join(root, file)))
const findings = files.flatMap(findingsIn)

const grown = grownFindings(readBaseline())

if (asked.includes('--update') && (grown.length === 0 || !existsSync(BASELINE))) writeBaseline()
else if (asked.some((path) => !path.startsWith('-')))
  print(findings.filter(({ file }) => asked.some((path) => file.startsWith(path.replace(/^\.\//, '')))))
else check()

function check(): void {
  const subjects = newSubjects().filter((subject) => !SUBJECT.test(subject))
  for (const subject of subjects) {
    process.stderr.write(
      `commit: 10-subject: "${subject}": start with Add, Fix, Remove, Change, Rename, Move, Speed up, Simplify, Document, or Test\n`,
    )
  }
  print(grown)
  process.stdout.write(totals())
  if (grown.length + subjects.length > 0) process.exitCode = 1
}

function findingsIn(file: string): Finding[] {
  return textsOf(file, readFileSync(join(root, file), 'utf8')).flatMap((text) => [
    ...byRules(file, text),
    ...byLength(file, text),
  ])
}

function byRules(file: string, { kind, line, text }: Text): Finding[] {
  return RULES.filter(({ only }) => only === undefined || only.includes(kind)).flatMap((rule) =>
    [...text.matchAll(rule.pattern)]
      .filter(({ index }) => !(rule.isQuestionAllowed && isQuestion(text, index)))
      .map(({ 0: found, index }) => ({
        file,
        line: line + text.slice(0, index).split('\n').length - 1,
        rule: rule.id,
        found: text
          .slice(Math.max(0, index - 20), index + found.length + 25)
          .replaceAll(/\s+/g, ' ')
          .trim(),
        fix: rule.fix,
      })),
  )
}

/** Long table cells, and long sentences. A list or a code example in a text ends a sentence. */
function byLength(file: string, { kind, line, text }: Text): Finding[] {
  const count = (words: string) => words.split(/\s+/).filter((word) => /\p{L}|\d/u.test(word)).length
  if (kind === 'cell') {
    const length = count(text)
    return length <= LONGEST_CELL
      ? []
      : [
          {
            file,
            line,
            rule: '8-cell',
            found: `${length} words`,
            fix: `at most ${LONGEST_CELL} words; move the rest below the table`,
          },
        ]
  }
  let at = line
  return text.split(/(?<=[.!?:;]['")*]*)(?=\s)|\n(?=\s*(?:[-*|]|\n))/).flatMap((sentence) => {
    const start = at
    at += sentence.split('\n').length - 1
    const length = count(sentence)
    return length <= LONGEST_SENTENCE
      ? []
      : [
          {
            file,
            line: start,
            rule: '8-sentence',
            found: `${length} words`,
            fix: `at most ${LONGEST_SENTENCE} words; one idea per sentence`,
          },
        ]
  })
}

function isQuestion(text: string, index: number): boolean {
  return /^[^.!?]*\?/.test(text.slice(index))
}

/** Subjects of the commits that main does not have, or of the last commit. */
function newSubjects(): string[] {
  const bases = ['main', 'origin/main'].filter((name) => {
    try {
      return git('rev-parse', '--verify', '--quiet', name) !== ''
    } catch {
      return false
    }
  })
  const subjects = git('log', '--no-merges', '--format=%s', 'HEAD', '--not', ...bases)
  return (subjects || git('log', '--no-merges', '--format=%s', '-1')).split('\n')
}

/**
 * The findings of each file and rule that has more of them than the baseline allows. A new file may have the findings of
 * files that are gone, so that moving a file changes nothing.
 */
function grownFindings(baseline: Counts): Finding[] {
  const moved: Record<string, number> = {}
  for (const [file, counts] of Object.entries(baseline))
    if (!files.includes(file))
      for (const [rule, count] of Object.entries(counts)) moved[rule] = (moved[rule] ?? 0) + count
  const groups = Object.values(Object.groupBy(findings, ({ file, rule }) => `${file} ${rule}`)) as Finding[][]
  return groups.flatMap((group) => {
    const [{ file, rule }] = group as [Finding]
    const known = baseline[file]
    const allowed = known === undefined ? Math.max(0, moved[rule] ?? 0) : (known[rule] ?? 0)
    if (known === undefined) moved[rule] = allowed - group.length
    if (group.length <= allowed) return []
    process.stderr.write(`${file}: ${rule}: ${group.length} findings, of which the baseline allows ${allowed}\n`)
    return group
  })
}

function print(list: Finding[]): void {
  for (const { file, line, rule, found, fix } of list)
    process.stderr.write(`${file}:${line}: ${rule}: "${found}": ${fix}\n`)
}

function totals(): string {
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort()
  const packages = Object.entries(Object.groupBy(findings, ({ file }) => packageOf(file)))
  const rows = packages.map(([name, list = []]) => [
    name,
    ...rules.map((rule) => list.filter((one) => one.rule === rule).length),
    list.length,
  ])
  const sums = ['total', ...rules.map((rule) => findings.filter((one) => one.rule === rule).length), findings.length]
  const lines = [['', ...rules, 'all'], ...rows, sums].map((row) =>
    row
      .map((cell, index) =>
        index === 0 ? String(cell).padEnd(22) : String(cell).padStart(Math.max(8, (rules[index - 1]?.length ?? 0) + 1)),
      )
      .join(''),
  )
  return findings.length === 0 ? '' : `${lines.join('\n')}\n`
}

function packageOf(file: string): string {
  const [first = '', second = ''] = file.split('/')
  return first === 'packages' ? `packages-${second}` : file.includes('/') ? first.replace(/^\./, '') : 'root'
}

function readBaseline(): Counts {
  const parts = globSync('*.json', { cwd: BASELINE }).map(
    (name) => JSON.parse(readFileSync(join(BASELINE, name), 'utf8')) as Counts,
  )
  return Object.assign({}, ...parts) as Counts
}

/** Writes one file per package. A count only shrinks, except for a file that is new. */
function writeBaseline(): void {
  const before = readBaseline()
  mkdirSync(BASELINE, { recursive: true })
  for (const name of globSync('*.json', { cwd: BASELINE })) rmSync(join(BASELINE, name))
  for (const [name, list = []] of Object.entries(Object.groupBy(findings, ({ file }) => packageOf(file)))) {
    const lines = Object.entries(Object.groupBy(list, ({ file }) => file)).map(([file, own = []]) => {
      const counts = Object.entries(Object.groupBy(own, ({ rule }) => rule)).map(
        ([rule, { length = 0 } = []]): [string, number] => [
          rule,
          Math.min(length, before[file] === undefined ? length : (before[file][rule] ?? 0)),
        ],
      )
      return `${JSON.stringify(file)}: ${JSON.stringify(Object.fromEntries(counts.toSorted(byName)))}`
    })
    writeFileSync(join(BASELINE, `${name}.json`), `{\n${lines.toSorted().join(',\n')}\n}\n`)
  }
}

function byName([first]: [string, unknown], [second]: [string, unknown]): number {
  return first < second ? -1 : 1
}
