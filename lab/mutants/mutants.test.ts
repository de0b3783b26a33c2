import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mutantsOf, sqlIn } from './make-mutants.ts'

const changesOf = (text: string) =>
  mutantsOf({ path: 'packages/x/src/a.ts', text }).map(({ fault, now }) => `${fault}: ${now}`)

test('the mutation tool mutates bounds, operators, guards, calls, awaits, constants, and returned values', () => {
  assert.deepEqual(changesOf('const isOver = a >= b && c\n'), [
    'bound: const isOver = a > b && c',
    'logic: const isOver = a >= b || c',
  ])
  const guarded = 'function f(a?: string) {\n  if (a === undefined) return\n  say(a)\n}\n'
  assert.deepEqual(changesOf(guarded), ['equality: if (a !== undefined) return', 'guard removed: ', 'call removed: '])
  const waiting = 'async function f() {\n  await save(1)\n  return true\n}\n'
  assert.deepEqual(changesOf(waiting).toSorted(), [
    'await removed: void save(1)',
    'call removed: ',
    'constant: await save(2)',
    'constant: return false',
    'returned value removed: return undefined as never',
  ])
})

test('the mutation tool leaves strings, comments, types, imports, and log calls unchanged', () => {
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

test('the mutation tool mutates SQL by removing conditions, locks, and ORDER BY, but never parameters', () => {
  const text =
    'const rows = await sql<Row[]>`\n  select id from a where b > ${b && c} and d < now() order by e for update`\n'
  assert.match(sqlIn(text), /where b > \$+ and d < now\(\)/)
  const found = changesOf(text)
  for (const now of [
    'condition removed: select id from a where b > ${b && c} order by e for update`',
    'condition removed: select id from a where d < now() order by e for update`',
    'bound: select id from a where b >= ${b && c} and d < now() order by e for update`',
    'order: select id from a where b > ${b && c} and d < now() order by e desc for update`',
    'lock removed: select id from a where b > ${b && c} and d < now() order by e`',
    'logic: select id from a where b > ${b || c} and d < now() order by e for update`',
  ]) {
    assert.ok(found.includes(now), `${now} is not among ${found.join('\n')}`)
  }
  // No test can hit the exact microsecond, so this comparison is never changed.
  assert.ok(!found.some((one) => one.includes('d <= now()')))
})
