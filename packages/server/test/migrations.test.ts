import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createDatabase } from '@mediamill/lab/support/database'
import { schemaOf } from '@mediamill/lab/support/schema'
import { migrate } from '../src/db/migrate.ts'
import { filesOf, readMigration } from '../src/db/migration-files.ts'

const FOLDER = pathToFileURL(join(import.meta.dirname, '../migrations/'))
const names = await filesOf(FOLDER)

/** Tables that never have more than a few thousand rows, so that creating an index takes milliseconds. */
const SMALL = ['accounts']

/** Returns the statements of a migration. `own` lists the tables that the migration creates. */
function read(text: string): { statements: string[]; own: (string | undefined)[] } {
  const own = [...text.matchAll(/^create (?:unlogged )?table (?:if not exists )?(\w+)/gm)].map(([, table]) => table)
  const statements = text
    .replaceAll(/^--.*$/gm, '')
    .replaceAll(/\$\$[^]*?\$\$/g, '$$$$')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  return { statements, own }
}

/** Returns the statements that read or write a whole table while they block calls. */
function faultsOf(text: string): string[] {
  const { statements, own } = read(text)
  return statements.filter((statement) => {
    const [, altered] = /^alter table (\w+)/.exec(statement) ?? []
    if (altered !== undefined && !own.includes(altered)) {
      const isChecked =
        /\b(?:check|references|unique|primary key)\b/.test(statement) && !statement.endsWith('not valid')
      const isRewritten = /\b(?:type|set not null)\b|default \w+\(/.test(statement)
      return isChecked || isRewritten
    }
    const [, indexed] =
      /^create (?:unique )?index (?:if not exists )?(?!concurrently)\w+ on (\w+)/.exec(statement) ?? []
    return indexed !== undefined && !own.includes(indexed) && !SMALL.includes(indexed)
  })
}

test('no two new migrations have the same number, because the number is the version of the schema', () => {
  const numbers = names.map((name) => name.slice(0, 4))
  // Existing databases contain these two pairs of migrations, so their file names cannot change.
  const released = ['0062', '0070']
  const twice = numbers.filter((number, index) => numbers.indexOf(number) !== index)
  assert.deepEqual(twice, released)
})

test('no migration reads or writes all rows of a table while the migration blocks calls', async () => {
  for (const name of names) {
    const { text } = await readMigration(FOLDER, name)
    assert.deepEqual(faultsOf(text), [], name)
  }
})

test('the migration check detects statements that read or write all rows while calls are blocked', () => {
  const bad = [
    'alter table requests add column width integer check (width > 0)',
    'alter table requests add constraint one check (width > 0)',
    'alter table requests add column owner bigint references accounts',
    'alter table requests alter column width type bigint',
    'alter table requests alter column width set not null',
    'alter table requests add column at timestamptz default clock_timestamp()',
    'create unique index wide on requests (width)',
    'create index if not exists wide on requests (width)',
  ]
  assert.deepEqual(faultsOf(`-- Words.\n${bad.join(';\n')};\n`), bad)
  const good = [
    'alter table requests add column width integer',
    "alter table requests add column word text default 'a check of the type'",
    'alter table requests add constraint one check (width > 0) not valid',
    'create index concurrently if not exists wide on requests (width)',
    'create table pictures (width integer check (width > 0))',
    'create index pictures_wide on pictures (width)',
    'create table if not exists frames (width integer check (width > 0))',
    'create index if not exists frames_wide on frames (width)',
  ]
  assert.deepEqual(faultsOf(`${good.join(';\n')};\n`), [])
})

/** Migrations that are older than this test, and were fast enough when measured (lab/notes/migration-locks.md). */
const MEASURED = ['0020_uploads.sql', '0040_event_sequence.sql', '0045_stamps.sql', '0050_console.sql']

/** Returns the statements that run while a migration holds a lock on a table that an earlier migration created. */
function keptFor(text: string): string[] {
  const { statements, own } = read(text)
  const taken = (statement: string) =>
    new Set(
      [...statement.matchAll(/(?:^alter table|\breferences|^create [^(]*\bon) (\w+)/g)]
        .map(([, table]) => table)
        .filter((table) => !own.includes(table)),
    ).size
  // If a statement locks two tables, a call that has locked the second table waits for the first until its timeout.
  const both = statements.filter((statement) => taken(statement) > 1)
  if (/^-- (?:Outside a transaction|In the background)/.test(text)) return both
  const taking = statements.findIndex((statement) => taken(statement) > 0)
  const later =
    taking === -1 ? [] : statements.slice(taking + 1).filter((statement) => !statement.startsWith('comment '))
  return [...both, ...later]
}

test('no migration holds a lock on a table that calls use while the migration creates or alters another object', async () => {
  for (const name of names.filter((name) => !MEASURED.includes(name))) {
    const { text } = await readMigration(FOLDER, name)
    assert.deepEqual(keptFor(text), [], name)
  }
})

test('the migration check detects statements that run while a migration holds a lock on a table that calls use', () => {
  const after = ['create table frames (width integer)', 'create index frames_wide on frames (width)']
  for (const taking of [
    'alter table requests add column width integer',
    'create table pictures (request_id bigint references requests)',
    'create index accounts_wide on accounts (width)',
    'create trigger wide before insert on requests for each row execute function wide()',
  ]) {
    const words = "comment on table requests is 'Words; more of them.'"
    assert.deepEqual(keptFor([taking, words, ...after, ''].join(';\n')), after, taking)
    assert.deepEqual(keptFor([...after, taking, words, ''].join(';\n')), [], taking)
    assert.deepEqual(keptFor(`-- Outside a transaction\n${[taking, ...after, ''].join(';\n')}`), [], taking)
  }
  const both = 'create table pictures (request_id bigint references requests, account_id bigint references accounts)'
  assert.deepEqual(keptFor(`-- Outside a transaction\n${both};\n`), [both])
  assert.deepEqual(keptFor(`${both};\n`), [both])
})

/** Returns the forbidden statements of a background migration, and of later startup migrations that use its indexes. */
function backgroundFaults(text: string, later: readonly { text: string; inBackground: boolean }[]): string[] {
  const build = /^create index concurrently if not exists (\w+)/
  const { statements } = read(text)
  const built = statements.flatMap((statement) => build.exec(statement)?.[1] ?? [])
  // A built index can replace another index. The other index must exist until the build is complete.
  const isReplaced = (statement: string, at: number) =>
    at > 0 && /^drop index concurrently if exists \w+$/.test(statement)
  const uses = later.filter((other) => !other.inBackground).flatMap((other) => read(other.text).statements)
  return [
    ...statements.filter((statement, at) => !build.test(statement) && !isReplaced(statement, at)),
    ...uses.filter((statement) => built.some((index) => new RegExp(`\\b${index}\\b`).test(statement))),
  ]
}

test('a background migration only builds non-unique indexes and drops the indexes that they replace, and no later startup migration uses the built indexes', async () => {
  const migrations = await Promise.all(names.map((name) => readMigration(FOLDER, name)))
  const faults = migrations.flatMap(({ text, inBackground }, at) =>
    inBackground ? backgroundFaults(text, migrations.slice(at + 1)) : [],
  )
  assert.deepEqual(faults, [])
  assert.ok(migrations.some(({ inBackground }) => inBackground))
  const unique = 'create unique index concurrently if not exists wide on requests (width)'
  assert.deepEqual(backgroundFaults(`${unique};\n`, []), [unique])
  const drop = { text: 'drop index concurrently if exists wide;\n', inBackground: false }
  const wide = 'create index concurrently if not exists wide on requests (width);\n'
  assert.deepEqual(backgroundFaults(wide, [drop]), ['drop index concurrently if exists wide'])
  assert.deepEqual(backgroundFaults(wide, [{ ...drop, inBackground: true }]), [])
  const narrow = 'drop index concurrently if exists narrow'
  assert.deepEqual(backgroundFaults(`${wide}${narrow};\n`, []), [])
  assert.deepEqual(backgroundFaults(`${narrow};\n${wide}`, []), [narrow])
})

test('the replacement file of a migration produces the same schema as the original file, and is recorded with the checksum of the original file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-migrations-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const name of names) await cp(new URL(name, FOLDER), join(folder, name))
  await using asLanded = await createDatabase()
  await using asRun = await createDatabase()
  for (const { sql } of [asLanded, asRun]) {
    await sql`drop schema public cascade`
    await sql`create schema public`
  }
  assert.deepEqual(await migrate(asLanded.url, pathToFileURL(`${folder}/`)), names)
  assert.deepEqual(await migrate(asRun.url), names)
  assert.deepEqual(await schemaOf(asRun.sql), await schemaOf(asLanded.sql))
  const recorded = ({ sql }: typeof asRun) => sql`select name, checksum from migrations order by name`
  assert.deepEqual([...(await recorded(asRun))], [...(await recorded(asLanded))])
  const instead = await readdir(new URL('instead/', FOLDER))
  assert.ok(instead.every((name) => names.includes(name)))

  // Pretend that the process died before it recorded these migrations.
  await asRun.sql`delete from migrations where name = any(${instead}::text[])`
  assert.deepEqual((await migrate(asRun.url)).sort(), instead.sort())
  assert.deepEqual(await schemaOf(asRun.sql), await schemaOf(asLanded.sql))
})
