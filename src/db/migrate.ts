import { readdir, readFile } from 'node:fs/promises'
import { whenThere } from './await-database.ts'
import { connect, type Sql } from './connect.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** Any number that no other program locks: many processes may start at once, one migrates. */
const LOCK = 7_204_661

/**
 * Brings the database to this version of the program: every file of `migrations/` that it has not seen, in order,
 * each in a transaction of its own. Safe when many processes start at once, and when the database goes away meanwhile.
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'mediamill migrate' })
  try {
    const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort()
    // A transaction that broke off left nothing: it is made again.
    return await whenThere(() => apply(sql, files))
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function apply(sql: Sql, files: string[]): Promise<string[]> {
  const applied: string[] = []
  for (const file of files) {
    const text = await readFile(new URL(file, FOLDER), 'utf8')
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${LOCK})`
      await tx`
        create table if not exists migrations (
          name text primary key,
          applied_at timestamptz not null default now()
        )`
      const [seen] = await tx`select 1 from migrations where name = ${file}`
      if (seen !== undefined) return
      await tx.unsafe(text)
      await tx`insert into migrations (name) values (${file})`
      applied.push(file)
    })
  }
  return applied
}
