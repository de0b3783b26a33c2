import type { Sql } from '@mediamill/server/db/connection/connect'

const TABLES = ['requests', 'request_metadata', 'ledger', 'events', 'delivery_attempts', 'idempotency_keys']

/** The indexes that `dropIndexes` keeps. Without them, each block of inserts would read all earlier rows. */
const KEPT = ['requests_pkey', 'events_request_id_key']

/** Drops indexes and foreign keys. First saves their definitions in the table `bench_indexes`. */
export async function dropIndexes(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`create table bench_indexes (name text primary key, making text not null)`
    // Drop constraints before indexes, and foreign keys before the primary keys that they refer to.
    await tx`
      insert into bench_indexes
      select 'constraint ' || c.conname, format('alter table %I add constraint %I %s', t.relname, c.conname, pg_get_constraintdef(c.oid))
      from pg_constraint c join pg_class t on t.oid = c.conrelid
      where c.contype in ('p', 'u', 'f') and c.conname <> all(${KEPT}::text[]) and (t.relname = any(${TABLES}::text[]) or c.confrelid::regclass::text = any(${TABLES}::text[]))`
    for (const { name, table } of await tx<{ name: string; table: string }[]>`
      select conname as name, conrelid::regclass::text as table from pg_constraint
      where 'constraint ' || conname in (select name from bench_indexes) order by contype = 'f' desc`)
      await tx.unsafe(`alter table ${table} drop constraint ${name}`)
    await tx`
      insert into bench_indexes
      select indexname, indexdef from pg_indexes where schemaname = 'public' and tablename = any(${TABLES}::text[]) and indexname <> all(${KEPT}::text[])`
    for (const { name } of await tx<{ name: string }[]>`
      select name from bench_indexes where name not like 'constraint %'`)
      await tx.unsafe(`drop index ${name}`)
  })
}

/** Creates the dropped indexes and foreign keys again, without checking rows. Returns `false` if time runs out. */
export async function makeIndexes(
  sql: Sql,
  options: { say: (line: string) => void; hasTime: () => boolean },
): Promise<boolean> {
  const wanted = await sql<{ name: string; making: string }[]>`
    select name, making from bench_indexes
    order by making like '%FOREIGN KEY%', making !~* '(on|table) (public\\.)?(requests|request_metadata) ', name`
  const work = async () => {
    for (let one = wanted.shift(); one !== undefined; one = wanted.shift()) {
      if (!options.hasTime()) return
      const { name, making } = one
      const unchecked = making.includes('FOREIGN KEY') ? `${making} not valid` : making
      await sql.begin(async (tx) => {
        await tx`set local maintenance_work_mem = '1GB'`
        await tx.unsafe(unchecked)
        await tx`delete from bench_indexes where name = ${name}`
      })
      options.say(`created ${name}`)
    }
  }
  await work()
  const [left] = await sql`select from bench_indexes`
  return left === undefined
}
