import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EQUIVALENT } from './equivalent.ts'
import { mutantsOf, sqlIn } from './make-mutants.ts'
import { journeysOf, reachedBy } from './reaching-tests.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => ({ path, text: readFileSync(join(root, path), 'utf8') })
const changesOf = (text: string) =>
  mutantsOf({ path: 'packages/x/src/a.ts', text }).map(({ fault, now }) => `${fault}: ${now}`)

test('faults are of code: bounds, operators, guards, calls, awaits, constants and answers', () => {
  assert.deepEqual(changesOf('const isOver = a >= b && c\n'), [
    'bound: const isOver = a > b && c',
    'logic: const isOver = a >= b || c',
  ])
  const guarded = 'function f(a?: string) {\n  if (a === undefined) return\n  say(a)\n}\n'
  assert.deepEqual(changesOf(guarded), ['equality: if (a !== undefined) return', 'guard dropped: ', 'call dropped: '])
  const waiting = 'async function f() {\n  await save(1)\n  return true\n}\n'
  assert.deepEqual(changesOf(waiting).toSorted(), [
    'answer dropped: return undefined as never',
    'await dropped: void save(1)',
    'call dropped: ',
    'constant: await save(2)',
    'constant: return false',
  ])
})

test('strings, comments, types, imports and what is said to the log stay as they are', () => {
  const text = [
    "import { a } from './a < b && c.ts'",
    '// a < b && !c',
    'type Small = 1 | 2 | true',
    "const text: Map<string, 1> = words('a < b && c')",
    'function f() {',
    "  log.info('done')",
    '}',
  ]
  assert.deepEqual(changesOf(text.join('\n')), [])
})

test('statements lose conditions, locks and their order, and what code puts into them stays', () => {
  const text =
    'const rows = await sql<Row[]>`\n  select id from a where b > ${b && c} and d < now() order by e for update`\n'
  assert.match(sqlIn(text), /where b > \$+ and d < now\(\)/)
  const found = changesOf(text)
  for (const now of [
    'condition dropped: select id from a where b > ${b && c} order by e for update`',
    'condition dropped: select id from a where d < now() order by e for update`',
    'bound: select id from a where b >= ${b && c} and d < now() order by e for update`',
    'order: select id from a where b > ${b && c} and d < now() order by e desc for update`',
    'lock dropped: select id from a where b > ${b && c} and d < now() order by e`',
    'logic: select id from a where b > ${b || c} and d < now() order by e for update`',
  ]) {
    assert.ok(found.includes(now), `${now} is not among ${found.join('\n')}`)
  }
  // Nobody meets the very microsecond of the clock.
  assert.ok(!found.some((one) => one.includes('d <= now()')))
})

test('tests that reach a place are the one beside its file, then those beside or naming what it is in or what calls that', () => {
  const files = [
    { path: 'packages/x/src/a/deep.ts', text: 'export function deep() {}\n\nexport function other() {}\n' },
    { path: 'packages/x/src/a/deep.test.ts', text: "import { other } from './deep.ts'\n" },
    {
      path: 'packages/x/src/b/door.ts',
      text: "import { deep } from '../a/deep.ts'\nexport function door() {\n  deep()\n}\n",
    },
    { path: 'packages/x/src/b/loud.test.ts', text: "import { open } from './door.ts'\n" },
    { path: 'packages/x/src/b/door.test.ts', text: "import { shut } from './door.ts'\n" },
    { path: 'packages/x/src/b/quiet.test.ts', text: "import { door } from './door.ts'\ndoor()\n" },
    { path: 'packages/x/src/c/types.test.ts', text: "import type { deep } from '../a/deep.ts'\n" },
    { path: 'packages/x/test/journeys/all.test.ts', text: "import { door } from '../../src/b/door.ts'\n" },
  ]
  const found = reachedBy(files)('packages/x/src/a/deep.ts', 1)
  assert.deepEqual(
    found.map(({ test, rank }) => [test, Math.floor(rank / 10)]),
    [
      ['packages/x/src/a/deep.test.ts', 0],
      ['packages/x/src/b/door.test.ts', 1],
      ['packages/x/src/b/quiet.test.ts', 2],
      ['packages/x/src/b/loud.test.ts', 5],
    ],
  )
})

test('every journey of the table is there, and every mutant that is called equivalent can still be made', () => {
  const paths = globSync('packages/*/src/**/*.ts', { cwd: root })
  const journeys = new Set(paths.flatMap(journeysOf))
  const there = new Set(globSync('packages/server/test/journeys/**/*.test.ts', { cwd: root }))
  assert.deepEqual(
    [...journeys].filter((path) => !there.has(path)),
    [],
  )
  for (const { path, was, now } of EQUIVALENT) {
    const made = mutantsOf(read(path)).some((mutant) => mutant.was === was && mutant.now === now)
    assert.ok(made, `${path} has no such mutant any more: ${now}`)
  }
})
