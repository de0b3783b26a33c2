import { connect } from '@mediamill/server/db/connection/connect'
import { migrate } from '@mediamill/server/db/migrate'

const EMPTY = 'migration_locks_empty'

type Schema = { tables: Set<string>; columns: Set<string>; indexes: Map<string, string>; functions: Set<string> }

/**
 * Reverts a filled database to the schema that the migrations in the folder `older` create. `names` are the names of
 * these migrations. Returns the executed statements.
 */
export async function takeBack(url: string, older: URL, names: readonly string[]): Promise<string[]> {
  const sql = connect(url, { connections: 1, applicationName: 'take back', patient: true })
  try {
    const then = await schemaOfRelease(url, older)
    const now = await schemaOf(url)
    const steps = [
      ...missing(now.functions, then.functions).map((name) => `drop function ${name} cascade`),
      ...missing(now.tables, then.tables).map((name) => `drop table ${name} cascade`),
      ...missing(now.columns, then.columns)
        .map((name) => name.split('.'))
        .filter(([table]) => then.tables.has(table ?? ''))
        .map(([table, column]) => `alter table ${table} drop column ${column} cascade`),
      ...missing(now.indexes.keys(), new Set(then.indexes.keys())).map((name) => `drop index if exists ${name}`),
      ...missing(then.indexes.keys(), new Set(now.indexes.keys())).map((name) => then.indexes.get(name) ?? ''),
    ]
    for (const step of steps) await sql.unsafe(step)
    await sql`delete from migrations where name <> all(${[...names]}::text[])`
    await sql`vacuum (analyze)`
    return steps
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const missing = (names: Iterable<string>, there: ReadonlySet<string>) => [...names].filter((name) => !there.has(name))

async function schemaOfRelease(url: string, older: URL): Promise<Schema> {
  const sql = connect(url, { connections: 1, applicationName: 'take back' })
  const beside = new URL(url)
  beside.pathname = `/${EMPTY}`
  await sql.unsafe(`drop database if exists ${EMPTY} with (force)`)
  await sql.unsafe(`create database ${EMPTY}`)
  try {
    await migrate(beside.href, older)
    return await schemaOf(beside.href)
  } finally {
    await sql.unsafe(`drop database ${EMPTY} with (force)`)
    await sql.end({ timeout: 5 })
  }
}

async function schemaOf(url: string): Promise<Schema> {
  const sql = connect(url, { connections: 1, applicationName: 'take back' })
  try {
    const columns = await sql<{ table: string; column: string }[]>`
      select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and c.relname not like 'bench%'`
    const indexes = await sql<{ name: string; making: string }[]>`
      select indexname as name, indexdef as making from pg_indexes
      where schemaname = 'public' and tablename not like 'bench%'
        and to_regclass('public.' || indexname) not in (select conindid from pg_constraint)`
    const functions = await sql<{ name: string }[]>`
      select oid::regprocedure::text as name from pg_proc where pronamespace = 'public'::regnamespace`
    return {
      tables: new Set(columns.map(({ table }) => table)),
      columns: new Set(columns.map(({ table, column }) => `${table}.${column}`)),
      indexes: new Map(indexes.map(({ name, making }) => [name, making])),
      functions: new Set(functions.map(({ name }) => name)),
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}
