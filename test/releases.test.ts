import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Release } from '../scripts/release/migrations.ts'
import { checksumOf } from '../scripts/release/migrations.ts'
import type { Sql } from '../src/db/connection/connect.ts'
import { migrate } from '../src/db/migrate.ts'
import { createDatabase } from './support/database.ts'

const MIGRATIONS = join(import.meta.dirname, '../migrations')
const releases = JSON.parse(await readFile(join(import.meta.dirname, 'releases.json'), 'utf8')) as Release[]

/** Everything that statements meet: columns, constraints, indexes, functions and triggers, but not their order. */
async function schemaOf(sql: Sql): Promise<string[]> {
  const rows = await sql<{ what: string }[]>`
    select format('%s.%s %s %s default %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then 'not null' else '' end || a.attidentity::text || a.attgenerated::text, pg_get_expr(d.adbin, d.adrelid)) as what
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
    union all
    select format('%s has %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
    where connamespace = 'public'::regnamespace
    union all
    select format('%s %s', pg_get_indexdef(indexrelid), case when indisvalid then '' else 'INVALID' end) from pg_index
    where indexrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    union all
    select format('%s stores %s', relname, reloptions) from pg_class where relnamespace = 'public'::regnamespace
    union all
    select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
    union all
    select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal
    order by 1`
  return rows.map(({ what }) => what)
}

async function emptied(sql: Sql): Promise<void> {
  await sql`drop schema public cascade`
  await sql`create schema public`
}

for (const { name, migrations } of releases) {
  test(`the migrations that ${name} came with say what they said then`, async () => {
    for (const [file, checksum] of Object.entries(migrations))
      assert.equal(checksumOf(await readFile(join(MIGRATIONS, file), 'utf8')), checksum, file)
  })

  test(`a database of ${name} becomes what a new one is`, async (t) => {
    await using fresh = await createDatabase()
    await using old = await createDatabase()
    await emptied(old.sql)
    const folder = await mkdtemp(join(tmpdir(), 'mediamill-release-'))
    t.after(() => rm(folder, { recursive: true }))
    for (const file of Object.keys(migrations)) await copyFile(join(MIGRATIONS, file), join(folder, file))
    const then = await migrate(old.url, pathToFileURL(`${folder}/`))
    assert.deepEqual(then, Object.keys(migrations))
    await migrate(old.url)
    assert.deepEqual(await schemaOf(old.sql), await schemaOf(fresh.sql))
  })
}
