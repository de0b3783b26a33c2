import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { OperatorError } from '../domain/errors.ts'
import { whenThere } from './connection/await-database.ts'
import type { Runner, Sql } from './connection/connect.ts'
import { connect } from './connection/connect.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** Any number that no other program locks: many processes may start at once, one migrates. */
const LOCK = 7_204_661

type Migration = { name: string; text: string; checksum: string }

/**
 * Brings the database to this version of the program: every file of `migrations/` that it has not seen, in order,
 * each in a transaction of its own. Safe when many processes start at once, and when the database goes away meanwhile.
 *
 * Throws `OperatorError`, and applies nothing after it, when a file that the database has seen says something else now:
 * what its tables are like is then not what this version takes them for.
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'mediamill migrate' })
  try {
    const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort()
    const migrations = await Promise.all(files.map(readMigration))
    // A transaction that broke off left nothing: it is made again.
    return await whenThere(() => apply(sql, migrations))
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function readMigration(name: string): Promise<Migration> {
  // Git may write other line ends into a checkout: they change nothing.
  const text = (await readFile(new URL(name, FOLDER), 'utf8')).replaceAll('\r\n', '\n')
  return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
}

async function apply(sql: Sql, migrations: readonly Migration[]): Promise<string[]> {
  await locked(sql, openRecord)
  const applied: string[] = []
  for (const { name, text, checksum } of migrations) {
    await locked(sql, async (tx) => {
      const [seen] = await tx<{ checksum: string | null }[]>`select checksum from migrations where name = ${name}`
      if (seen?.checksum === checksum) return
      if (seen === undefined) {
        await tx.unsafe(text)
        await tx`insert into migrations (name, checksum) values (${name}, ${checksum})`
        applied.push(name)
      } else if (seen.checksum === null) {
        await tx`update migrations set checksum = ${checksum} where name = ${name}`
      } else {
        throw new OperatorError(
          `The migration ${name} is not what it was when it made this database: put the file back, and write changes into a new one.`,
        )
      }
    })
  }
  return applied
}

const locked = (sql: Sql, work: (tx: Runner) => Promise<void>) =>
  sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    await work(tx)
  })

/** The table of what was applied; databases that are older than checksums take over those of today's files. */
async function openRecord(tx: Runner): Promise<void> {
  await tx`
    create table if not exists migrations (
      name text primary key,
      applied_at timestamptz not null default now(),
      checksum text
    )`
  const [column] = await tx`
    select 1 from pg_attribute where attrelid = 'migrations'::regclass and attname = 'checksum' and not attisdropped`
  // Not "if not exists" alone: to find that out it waits for all who read the table, as a long back-up does.
  if (column === undefined) await tx`alter table migrations add column checksum text`
}
