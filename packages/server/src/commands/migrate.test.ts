import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { schemaVersion } from '../db/migrate.ts'

const database = await sharedDatabase()

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const env = { DATABASE_URL: database.url, SECRET_KEY, DATA_DIR: '/nowhere', PATH: '' }

/** A migration that can run while the API serves calls. The test applies it a second time, which is harmless. */
const IN_BACKGROUND = '0053_kinds.sql'

function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

test('mediamill migrate --plan lists missing migrations and changes nothing; mediamill migrate applies them', async () => {
  const schema = await schemaVersion()
  await database.sql`delete from migrations where name = ${IN_BACKGROUND}`
  const missing = [{ name: IN_BACKGROUND, in_background: true, after_start: true }]
  for (const _ of [1, 2]) {
    const { code, stdout } = await run('migrate', '--plan', '--json')
    assert.deepEqual([code, JSON.parse(stdout)], [0, { schema, missing }])
  }
  assert.match(
    (await run('migrate', '--plan')).stdout,
    /^0053_kinds\.sql +during calls: index builds, after the start/m,
  )
  const applied = await run('migrate', '--json')
  assert.deepEqual([applied.code, JSON.parse(applied.stdout)], [0, { schema, applied: [IN_BACKGROUND] }])
  assert.match(applied.stderr, /^0053_kinds\.sql started\n0053_kinds\.sql applied in \d+\.\d s\n$/)
  const again = await run('migrate')
  assert.equal(again.stdout, `The database has schema ${schema} already: no migration is missing.\n`)
})

test('migrate and migrate --plan fail with a one-line error if the file of an applied migration has changed', async (t) => {
  const [row] = await database.sql<
    { checksum: string }[]
  >`select checksum from migrations where name = ${IN_BACKGROUND}`
  await database.sql`update migrations set checksum = 'changed' where name = ${IN_BACKGROUND}`
  t.after(() => database.sql`update migrations set checksum = ${row?.checksum ?? null} where name = ${IN_BACKGROUND}`)
  for (const command of [['migrate'], ['migrate', '--plan'], ['migrate', '--plan', '--json']]) {
    const { code, stdout, stderr } = await run(...command)
    assert.deepEqual([code, stdout], [1, ''], stderr)
    assert.match(stderr, /^mediamill: The migration 0053_kinds\.sql has changed since it was applied: [^\n]*\n$/)
  }
})

test('migrate fails with a one-line error if the program is older than the database schema', async (t) => {
  await database.sql`update schema_version set oldest_reader = 9999, oldest_program = '7.0.0'`
  t.after(() => database.sql`update schema_version set oldest_reader = 1`)
  for (const command of [['api'], ['migrate', '--plan'], ['account', 'list']]) {
    const { code, stderr } = await run(...command)
    assert.equal(code, 1, stderr)
    assert.match(stderr, /^mediamill: This database requires Mediamill 7\.0\.0 or newer \(schema 9999\); [^\n]*\n$/)
  }
})
