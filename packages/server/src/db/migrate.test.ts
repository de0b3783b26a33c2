import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { openCuttableDatabase } from '@mediamill/lab/support/cuttable-database'
import type { TestDatabase } from '@mediamill/lab/support/database'
import { createDatabase } from '@mediamill/lab/support/database'
import { startPgBouncer } from '@mediamill/lab/support/pgbouncer'
import { until } from '@mediamill/lab/support/process'
import { whyNo } from '@mediamill/lab/support/skip-reason'
import { connect } from './connection/connect.ts'
import { throughPooler } from './connection/pooler.ts'
import { migrate, plannedMigrations, SchemaTooNewError, schemaVersion, TURN_LOCK } from './migrate.ts'

const FOLDER = join(import.meta.dirname, '../../migrations')
const FILES = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
const CHECKSUMS = await Promise.all(
  FILES.map(async (name) => ({
    name,
    checksum: createHash('sha256')
      .update(await readFile(join(FOLDER, name)))
      .digest('hex'),
  })),
)

const databases: TestDatabase[] = []
after(() => Promise.all(databases.map((database) => database[Symbol.asyncDispose]())))

async function createEmpty(): Promise<TestDatabase> {
  const database = await createDatabase()
  databases.push(database)
  await database.sql`drop schema public cascade`
  await database.sql`create schema public`
  return database
}

const recorded = ({ sql }: TestDatabase) => sql`select name, checksum from migrations order by name`

test('processes that start together on an empty database apply each migration once, and record its checksum', async () => {
  const database = await createEmpty()
  const applied = await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)])
  assert.deepEqual(applied.flat().sort(), FILES)
  assert.deepEqual([...(await recorded(database))], CHECKSUMS)
  assert.deepEqual(await migrate(database.url), [])
})

test('a migration waits for a database that is unavailable when it begins', async () => {
  const database = await createEmpty()
  await using way = await openCuttableDatabase(database.url)
  await way.cut()
  const sql = connect(way.url, { connections: 1, applicationName: 'test' })
  const migrated = migrate(way.url)
  migrated.catch(() => undefined)
  // When two other connections have failed, the migration's connection has failed too.
  for (const _ of [1, 2]) await assert.rejects(sql`select 1`)
  await way.mend()
  assert.deepEqual((await migrated).toSorted(), FILES)
  await sql.end({ timeout: 1 })
})

test('a migration closes its connections, whether the migration succeeds or fails', async () => {
  const database = await createEmpty()
  const open = async () =>
    (
      await database.sql`
        select from pg_stat_activity
        where datname = current_database() and application_name in ('mediamill migrate', 'mediamill index')`
    ).length
  await migrate(database.url)
  await until(async () => (await open()) === 0)
  await database.sql`update migrations set checksum = ${'0'.repeat(64)}`
  await assert.rejects(migrate(database.url))
  await until(async () => (await open()) === 0)
})

test('a process rejects a migration file that changed after the migration was applied, and the error names the file', async () => {
  const database = await createEmpty()
  await migrate(database.url)
  await database.sql`update migrations set checksum = ${'0'.repeat(64)} where name = ${FILES[0] ?? ''}`
  await assert.rejects(migrate(database.url), (error) => {
    assert(error instanceof OperatorError)
    assert.match(error.message, new RegExp(`^The migration ${FILES[0]} has changed since it was applied.*[^\n]$`))
    return true
  })
})

test('a database without recorded checksums of migrations gets the checksums of the current files, which later starts check', async () => {
  const database = await createEmpty()
  await migrate(database.url)
  await database.sql`alter table migrations drop column checksum`
  assert.deepEqual(await migrate(database.url), [])
  assert.deepEqual([...(await recorded(database))], CHECKSUMS)
})

test('a process starts without waiting for a long transaction that reads the migrations table, such as a backup', {
  timeout: 60_000,
}, async () => {
  const database = await createEmpty()
  await migrate(database.url)
  await database.sql.begin(async (tx) => {
    await tx`lock table migrations in access share mode`
    assert.deepEqual(await migrate(database.url), [])
  })
})

const WANTS = {
  'a migration adds a column to a table': 'alter table pictures add column width integer;',
  'a statement outside a transaction adds a column to a table':
    '-- Outside a transaction\nalter table pictures add column if not exists width integer;',
  'a migration creates a table that refers to a table': 'create table frames (picture_id bigint references pictures);',
  'a statement outside a transaction creates a table that refers to a table':
    '-- Outside a transaction\ncreate table if not exists frames (picture_id bigint references pictures);',
}

for (const [what, text] of Object.entries(WANTS)) {
  test(`calls continue while ${what} that a long transaction has written to`, (t) => keepsNobodyWaiting(t, text))
}

async function keepsNobodyWaiting(t: TestContext, text: string): Promise<void> {
  const database = await createEmpty()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-migrations-'))
  t.after(() => rm(folder, { recursive: true }))
  const from = pathToFileURL(`${folder}/`)
  await writeFile(join(folder, '0001_pictures.sql'), 'create table pictures (id bigint primary key);')
  await migrate(database.url, from)
  await writeFile(join(folder, '0002_width.sql'), text)

  const backUp = await database.sql.reserve()
  t.after(async () => {
    await backUp`rollback`
    backUp.release()
  })
  await backUp`begin`
  await backUp`insert into pictures (id) values (2)`
  const lines: string[] = []
  const migrated = migrate(database.url, from, { onWait: (line) => void lines.push(line) })
  await until(async () => {
    const waiting = await database.sql`select from pg_locks where not granted and relation = 'pictures'::regclass`
    return waiting.length > 0
  })
  // With a long lock wait, this insert would wait for the migration, and the migration for the backup.
  await database.sql`insert into pictures (id) values (1)`
  await until(() => lines.length > 0)
  assert.match(lines[0] ?? '', /^the migration 0002_width\.sql waits for a transaction /)
  await backUp`commit`
  assert.deepEqual(await migrated, ['0002_width.sql'])
  assert.deepEqual([...(await database.sql`select id from pictures order by id`)], [{ id: 1 }, { id: 2 }])
}

const SLOW = {
  'in a transaction': 'select slow(1);',
  'outside a transaction':
    '-- Outside a transaction\nselect slow(1);\ncreate table if not exists slowly as select slow(1);\n',
}

const SLOW_INDEX = `-- Outside a transaction
create index concurrently if not exists pictures_slow on pictures (slow(id));
`

async function createLimited(t: TestContext) {
  const database = await createEmpty()
  const { pathname } = new URL(database.url)
  await database.sql.unsafe(`alter database ${pathname.slice(1)} set statement_timeout = '500ms'`)
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-migrations-'))
  t.after(() => rm(folder, { recursive: true }))
  const slow = `create function slow(id bigint) returns bigint language plpgsql immutable as
    'begin perform pg_sleep(1); return id; end'`
  await writeFile(
    join(folder, '0001_pictures.sql'),
    `create table pictures (id bigint); insert into pictures values (1); ${slow};`,
  )
  return { database, folder, from: pathToFileURL(`${folder}/`) }
}

for (const [where, text] of Object.entries(SLOW)) {
  for (const pooled of [false, true]) {
    test(`a migration statement that runs ${where} can take longer than statement_timeout, ${pooled ? 'behind PgBouncer' : 'on a direct connection'}`, {
      skip: pooled ? (whyNo('pgbouncer') ?? false) : false,
    }, async (t) => {
      const { database, folder, from } = await createLimited(t)
      await using bouncer = pooled ? await startPgBouncer(database.url) : undefined
      await writeFile(join(folder, '0002_slow.sql'), text)
      const url = bouncer === undefined ? database.url : throughPooler(bouncer.url)
      assert.deepEqual(await migrate(url, from), ['0001_pictures.sql', '0002_slow.sql'])
    })
  }
}

test('an index build can take longer than statement_timeout on a direct connection', async (t) => {
  const { database, folder, from } = await createLimited(t)
  await writeFile(join(folder, '0002_index.sql'), SLOW_INDEX)
  assert.deepEqual(await migrate(database.url, from), ['0001_pictures.sql', '0002_index.sql'])
})

test('the error for an index build canceled by statement_timeout behind PgBouncer names MIGRATE_DATABASE_URL', {
  skip: whyNo('pgbouncer') ?? false,
}, async (t) => {
  const { database, folder, from } = await createLimited(t)
  await using bouncer = await startPgBouncer(database.url)
  await writeFile(join(folder, '0002_index.sql'), SLOW_INDEX)
  await assert.rejects(migrate(throughPooler(bouncer.url), from), (error) => {
    assert(error instanceof OperatorError)
    assert.match(error.message, /^The migration 0002_index\.sql was canceled .* MIGRATE_DATABASE_URL /)
    return true
  })
  assert.deepEqual(
    await migrate(database.url, from),
    ['0002_index.sql'],
    'the direct address replaces the broken index',
  )
})

test('a migration waits for an index build that a killed process left running in the database', async (t) => {
  const database = await createEmpty()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-migrations-'))
  t.after(() => rm(folder, { recursive: true }))
  const from = pathToFileURL(`${folder}/`)
  await writeFile(join(folder, '0001_pictures.sql'), 'create table pictures (id bigint);')
  await migrate(database.url, from)
  const build = 'create index concurrently if not exists pictures_id on pictures (id)'
  await writeFile(join(folder, '0002_index.sql'), `-- Outside a transaction\n${build};\n`)
  const writer = await database.sql.reserve()
  await writer`begin`
  await writer`insert into pictures values (1)`
  // This client ends during the build. PostgreSQL detects that only when it sends the response, after the build.
  const left = connect(database.url, { connections: 1, applicationName: 'left', patient: true })
  t.after(() => left.end({ timeout: 5 }))
  const built = left.unsafe(build)
  built.catch(() => undefined)
  const indexes = () => database.sql<{ oid: number }[]>`select oid from pg_class where relname = 'pictures_id'`
  await until(async () => (await indexes()).length > 0)
  const [begun] = await indexes()
  const reports: string[] = []
  const migrated = migrate(database.url, from, { onWait: (line) => void reports.push(line) })
  await until(async () => {
    const [seen] = await database.sql`
      select from pg_stat_activity where datname = current_database() and application_name = 'mediamill index'
        and (query like 'drop index%' or query like '%pg_stat_progress_create_index%')`
    return seen !== undefined
  })
  await writer`commit`
  writer.release()
  await built
  assert.deepEqual(await migrated, ['0002_index.sql'])
  assert.deepEqual(await indexes(), [begun], 'the index is the one that the killed process began')
  assert.deepEqual(reports, ['the index pictures_id waits for its interrupted build to end (0 s)'])
})

test('a migration does not wait for an index build in another database, even if both indexes have the same object id', async (t) => {
  const database = await createEmpty()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-migrations-'))
  t.after(() => rm(folder, { recursive: true }))
  const from = pathToFileURL(`${folder}/`)
  await writeFile(
    join(folder, '0001_pictures.sql'),
    `create table pictures (id bigint);
    insert into pictures values (1);
    create function waits_for_lock(id bigint) returns bigint language plpgsql immutable as
      $$ begin perform pg_advisory_xact_lock(id); return id; end $$;
    create index pictures_id on pictures (waits_for_lock(id));`,
  )
  await migrate(database.url, from)
  await database.sql`update pg_index set indisvalid = false where indexrelid = 'pictures_id'::regclass`
  const [{ name } = assert.fail()] = await database.sql<{ name: string }[]>`select current_database() as name`
  const copy = `${name}_copy`
  const connectTo = (target: string) =>
    connect(Object.assign(new URL(database.url), { pathname: `/${target}` }).href, {
      connections: 2,
      applicationName: 'test',
    })
  const outside = connectTo('postgres')
  // PostgreSQL cannot copy a database that has open connections.
  await database.sql.end()
  await outside.unsafe(`create database ${copy} template ${name}`)
  const other = connectTo(copy)
  t.after(async () => {
    await other.end({ timeout: 5 })
    await outside.unsafe(`drop database ${copy} with (force)`)
    await outside.end()
  })
  const holder = await other.reserve()
  await holder`select pg_advisory_lock(1)`
  const built = other`reindex index pictures_id`
  built.catch(() => undefined)
  await until(async () => (await outside`select from pg_stat_progress_create_index where datname = ${copy}`).length > 0)
  await writeFile(
    join(folder, '0002_index.sql'),
    '-- Outside a transaction\ncreate index concurrently if not exists pictures_id on pictures (id);\n',
  )
  assert.deepEqual(await migrate(database.url, from), ['0002_index.sql'])
  await holder`select pg_advisory_unlock(1)`
  holder.release()
  await built
})

test('migrate reports the start and the end of each migration', async (t) => {
  const { database, folder, from } = await createLimited(t)
  await writeFile(join(folder, '0002_more.sql'), 'create table more (id bigint);')
  const events: string[] = []
  const report = {
    onStart: (name: string) => void events.push(`start ${name}`),
    onApplied: (name: string) => void events.push(`applied ${name}`),
  }
  await migrate(database.url, from, report)
  assert.deepEqual(events, [
    'start 0001_pictures.sql',
    'applied 0001_pictures.sql',
    'start 0002_more.sql',
    'applied 0002_more.sql',
  ])
  await migrate(database.url, from, report)
  assert.equal(events.length, 4)
})

test('if many processes wait for a table lock, one process at a time requests the lock, with a pause between attempts', async (t) => {
  const database = await createEmpty()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-migrations-'))
  t.after(() => rm(folder, { recursive: true }))
  const from = pathToFileURL(`${folder}/`)
  await writeFile(join(folder, '0001_pictures.sql'), 'create table pictures (id bigint); create sequence asked;')
  await migrate(database.url, from)
  // A rollback does not undo `nextval`, so the sequence counts the attempts.
  const text = "select nextval('asked'); alter table pictures add column width integer;"
  await writeFile(join(folder, '0002_width.sql'), text)
  const other = await database.sql.reserve()
  t.after(async () => {
    await other`rollback`
    other.release()
  })
  await other`select pg_advisory_lock(${TURN_LOCK})`
  await other`begin`
  await other`select from pictures`
  const migrated = migrate(database.url, from)
  const asked = async () => Number((await database.sql`select last_value from asked`)[0]?.['last_value'])
  // Each attempt to get the lock for retries ends with a commit, after which the connection is idle for a moment.
  const turnsAskedFor = new Set<string>()
  await until(async () => {
    const [seen] = await database.sql<{ at: Date }[]>`
      select query_start as at from pg_stat_activity
      where datname = current_database() and application_name = 'mediamill index' and query like 'commit%'`
    if (seen !== undefined) turnsAskedFor.add(seen.at.toISOString())
    return turnsAskedFor.size > 1 || (await asked()) > 1
  })
  assert.equal(await asked(), 1, 'it asked out of its turn')
  await other`select pg_advisory_unlock(${TURN_LOCK})`
  await until(async () => (await asked()) > 1)
  await other`commit`
  assert.deepEqual(await migrated, ['0002_width.sql'])
})

test('the database stores its schema version and the program version that created the schema', async () => {
  const database = await createEmpty()
  await migrate(database.url)
  const [row] = await database.sql`select version, oldest_reader <= version as readable from schema_version`
  assert.deepEqual(row, { version: await schemaVersion(), readable: true })
  // Simulates a process that died after its last migration, before it recorded the version.
  await database.sql`update schema_version set version = 1`
  await migrate(database.url)
  assert.equal((await database.sql`select version from schema_version`)[0]?.['version'], await schemaVersion())
  // Simulates a newer program that recorded its version.
  await database.sql`update schema_version set version = 9999`
  await migrate(database.url)
  assert.equal((await database.sql`select version from schema_version`)[0]?.['version'], 9999)
})

test('a program that is too old for the schema applies nothing and reports the required version', async () => {
  const database = await createEmpty()
  await migrate(database.url)
  await database.sql`delete from migrations where name = ${FILES.at(-1) ?? ''}`
  await database.sql`update schema_version set oldest_reader = 9999, oldest_program = '7.0.0'`
  const isTooOld = (error: unknown) => {
    assert(error instanceof SchemaTooNewError)
    assert.match(error.message, /^This database requires Mediamill 7\.0\.0 or newer \(schema 9999\); this is .*[^\n]$/)
    return true
  }
  await assert.rejects(migrate(database.url), isTooOld)
  await assert.rejects(plannedMigrations(database.sql), isTooOld)
  assert.equal((await recorded(database)).length, FILES.length - 1)
})
