import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newCommits } from '../scripts/check-words/commits.ts'
import { RULES, SUBJECT } from '../scripts/check-words/rules.ts'
import { textsOf } from '../scripts/check-words/texts.ts'

const found = (file: string, source: string) =>
  textsOf(file, source).flatMap(({ kind, line, text }) =>
    RULES.filter(({ only }) => only === undefined || only.includes(kind)).flatMap(({ id, pattern }) =>
      [...text.matchAll(pattern)].map(({ 0: words, index }) => ({
        id,
        words,
        line: line + text.slice(0, index).split('\n').length - 1,
      })),
    ),
  )

const idsOf = (sentence: string) => found('page.md', `${sentence}\n`).map(({ id }) => id)

test('the word check reports each pattern of the style guide', () => {
  assert.deepEqual(idsOf('Of several aborts exactly one wins.'), ['2-opening'])
  assert.deepEqual(
    found('a.ts', '/** What the page has. */').map(({ id }) => id),
    ['2-opening'],
  )
  assert.deepEqual(idsOf('The service keeps what came.'), ['3-noun-clause'])
  assert.deepEqual(idsOf('The page tells the status.'), ['4-software-speaks'])
  assert.deepEqual(idsOf('Call the door.'), ['5-word'])
  assert.deepEqual(idsOf('It starts anew.'), ['5-dialect'])
  assert.deepEqual(idsOf('The worker takes a job, and none is lost.'), ['6-pronoun'])
  assert.deepEqual(idsOf('The colour of the canvas.'), ['1-spelling'])
  assert.deepEqual(
    found('a.ts', '// As fast as before.').map(({ id }) => id),
    ['9-history'],
  )
})

test('the word check reports each word that the style guide lists under "Not"', () => {
  for (const phrase of [
    'Call the interface.',
    'Use the door.',
    'The API gives an answer.',
    'Calls are refused.',
    'The page tells the status.',
    'Read the facts.',
    'Save the picture.',
    'Change the sound.',
    'Draw a stamp.',
    'Open a held call.',
    'Wait for the end of a request.',
    'Run behind the wall.',
    'Wait for a free place.',
    'Requests wait in line.',
    'There is room for ten.',
    'Its patience is 30 s.',
    'Pay a toll.',
    'Find a way out.',
    'Process videos in one piece.',
    'Process videos in parts.',
    'Start tidying up.',
    'Send a beat.',
    'After each look, wait.',
    'Send a bait.',
    'Try it patiently.',
    'Rows are gathered.',
    'The price grows.',
    'Open the developer area.',
    'Some calls are dear.',
    'Clients are dripping.',
    'Bodies are sent in crumbs.',
    'Each fault is fixed.',
    'Send us a wish.',
    'Use the desk.',
  ])
    assert.notDeepEqual(idsOf(phrase), [], phrase)
})

test('the word check accepts plain English that resembles a pattern', () => {
  for (const sentence of [
    'By default, the server listens on port 8080.',
    'The message includes what to do next.',
    'RFC 9110 says that a proxy may retry.',
    'JPEG stands for a file format.',
    'Use the standard firewall and set the timestamp.',
    'The fault injector stops a worker.',
    'Each format is one of those in the table.',
    'Watch the heap, because memory grows.',
    'Draw a Stamp annotation with the stamp command.',
    'Send the file as the part `source`, and read to the end of the line.',
    'The filter changes the pixels in place.',
  ])
    assert.deepEqual(idsOf(sentence), [], sentence)
})

test('the word check checks comments, titles, and product strings of TypeScript, but no code', () => {
  const source = [
    '// The first line',
    '// ends anew.',
    'const door = `select anew from door`',
    "export const MESSAGE = 'The service refuses the file.'",
    "test('goes on after an error', () => run('is anew for the data'))",
    'sql`select what from refused`',
  ].join('\n')
  assert.deepEqual(
    found('src/a.ts', source)
      .map(({ line, words }) => [line, words])
      .toSorted(([a], [b]) => Number(a) - Number(b)),
    [
      [2, 'anew'],
      [4, 'refuses'],
      [5, 'goes on'],
      [5, 'anew'],
    ],
  )
})

test('the word check ignores code and links of a page, and reports the line of a paragraph', () => {
  const source = '# Title\n\nSee [this](anew.md) and `anew`.\nIt starts\nanew.\n\n```\nanew\n```\n'
  assert.deepEqual(found('page.md', source), [{ id: '5-dialect', words: 'anew', line: 5 }])
})

test('the word check checks labels of the text modules of the console', () => {
  const source = "export const text = { open: 'Open door', held: 'Held' }"
  assert.deepEqual(found('console/src/pages/keys/text.ts', source), [{ id: '5-word', words: 'door', line: 1 }])
  assert.deepEqual(found('console/src/pages/keys/keys.ts', "const a = 'door'"), [])
})

test('a disable comment with a reason turns the word check off for the next line', () => {
  assert.deepEqual(found('a.ts', '// words-ok: the API has this name\n// It is anew.\n'), [])
  assert.equal(found('a.ts', '// words-ok\n// It is anew.\n').length, 1)
})

test('the word check reads all commits after the first one, or only the last commit in a shallow clone', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'words-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  git('init', '-q')
  for (const subject of ['One', 'Two', 'Three']) git('commit', '-q', '--allow-empty', '-m', subject)
  const subjects = (first: string) => newCommits(folder, first).map((commit) => commit.replace(/^\w+ /, ''))
  assert.deepEqual(subjects(git('rev-parse', 'HEAD~2').trim()), ['Three', 'Two'])
  assert.deepEqual(subjects(git('rev-parse', 'HEAD').trim()), [])
  assert.deepEqual(subjects('0'.repeat(40)), ['Three'])
})

test('a commit subject starts with one of the listed verbs', () => {
  assert.ok(SUBJECT.test('Fix the frame rate of split videos'))
  assert.ok(!SUBJECT.test('Take in one rate for videos with uneven frames'))
})
