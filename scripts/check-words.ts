import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newCommits } from './check-words/commits.ts'
import { FIRST_CHECKED, LONGEST_CELL, LONGEST_SENTENCE, RULES, SUBJECT, SUBJECT_FIX } from './check-words/rules.ts'
import type { Text } from './check-words/texts.ts'
import { textsOf } from './check-words/texts.ts'

// Checks the English of documentation, messages, comments, test titles, and commit subjects against the rules in
// check-words/rules.ts, and fails on each finding. `npm run check:words -- PATH…` checks only these files or folders.
// To allow a sentence, write `words-ok: REASON` in a comment on its line or on the line before.

type Finding = { file: string; line: number; rule: string; found: string; fix: string }

const root = join(import.meta.dirname, '..')
const GENERATED =
  /^packages\/sdk\/(?:api\.md|src\/api-types\.ts)$|^docs\/(?:errors|reference\/calls)\.md$|catalog\.json$|^scripts\/check-words\/|\.d\.ts$/
const READ = /\.(?:[jt]sx?|mjs|css|md|sh|ya?ml|cfg|service|toml|env)$|(?:^|\/)Dockerfile$|^docs\/openapi\.json$|^\.ci\//

const asked = process.argv.slice(2)
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }).trim()

const files = git('ls-files', '--cached', '--others', '--exclude-standard')
  .split('\n')
  .filter((file) => READ.test(file) && !GENERATED.test(file) && existsSync(join(root, file)))
const isAsked = (file: string) => asked.length === 0 || asked.some((path) => file.startsWith(path.replace(/^\.\//, '')))
const findings = files.filter(isAsked).flatMap(findingsIn)
if (asked.length === 0) findings.push(...newCommits(root, FIRST_CHECKED).flatMap(findingsInCommit))
for (const { file, line, rule, found, fix } of findings)
  process.stderr.write(`${file}:${line}: ${rule}: "${found}": ${fix}\n`)
if (findings.length > 0) process.exitCode = 1

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

/** Finds sentences and table cells with too many words. Within a text, a list or a code example ends a sentence. */
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

function findingsInCommit(commit: string): Finding[] {
  const [id = '', subject = ''] = commit.split(/ (.*)/)
  const file = `commit ${id}`
  const found = textsOf('subject.md', subject).flatMap((text) => byRules(file, text))
  return SUBJECT.test(subject)
    ? found
    : [...found, { file, line: 1, rule: '10-subject', found: subject, fix: SUBJECT_FIX }]
}
