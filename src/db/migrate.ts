import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../domain/errors.ts'
import { whenThere } from './connection/await-database.ts'
import type { Runner, Sql } from './connection/connect.ts'
import { connect } from './connection/connect.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** Any number that no other program locks: many processes may start at once, one migrates. */
const LOCK = 7_204_661

type Migration = { name: string; text: string; checksum: string }

/** Another one: who builds indexes holds it, and everyone else asks for it now and then, without a snapshot in between. */
const BUILD_LOCK = 7_204_663

/** How often those ask who wait for an index that another process builds. */
const ASK_AGAIN_MS = 250

/** A migration of which each statement runs by itself, in no transaction: it begins with these words. */
const ALONE = '-- Outside a transaction'

/**
 * Brings the database to this version of the program. It runs every file of `migrations/` that the database has not
 * seen, in order, each in a transaction of its own, or each of its statements alone where it says so. Safe when many
 * processes start at once, and when the database goes away meanwhile.
 *
 * Throws `OperatorError`, and applies nothing after it, when a file that the database has seen says something else now:
 * what its tables are like is then not what this version takes them for.
 */
export async function migrate(databaseUrl: string, folder: URL = FOLDER): Promise<string[]> {
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'mediamill migrate' })
  // Whoever builds indexes keeps a transaction open beside it, for the lock.
  const builder = connect(databaseUrl, { connections: 1, applicationName: 'mediamill index', patient: true })
  try {
    const migrations = await Promise.all((await filesOf(folder)).map((name) => readMigration(folder, name)))
    // A transaction that broke off left nothing: it is made again.
    return await whenThere(() => apply(sql, builder, migrations))
  } finally {
    await Promise.all([sql.end({ timeout: 5 }), builder.end({ timeout: 5 })])
  }
}

const filesOf = async (folder: URL) => (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()

/** Counts the migrations that the database has not seen. It counts all of them when it is empty. Changes nothing. */
export async function missingMigrations(sql: Sql): Promise<number> {
  const files = await filesOf(FOLDER)
  const [record] = await sql<{ there: boolean }[]>`select to_regclass('migrations') is not null as there`
  if (record?.there !== true) return files.length
  const seen = new Set((await sql<{ name: string }[]>`select name from migrations`).map(({ name }) => name))
  return files.filter((file) => !seen.has(file)).length
}

async function readMigration(folder: URL, name: string): Promise<Migration> {
  // Git may write other line ends into a checkout: they change nothing.
  const text = (await readFile(new URL(name, folder), 'utf8')).replaceAll('\r\n', '\n')
  return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
}

async function apply(sql: Sql, builder: Sql, migrations: readonly Migration[]): Promise<string[]> {
  await locked(sql, openRecord)
  const applied: string[] = []
  for (const { name, text, checksum } of migrations) {
    const inTurn = text.startsWith(ALONE) ? lockedToBuild : locked
    await inTurn(sql, async (tx) => {
      const [seen] = await tx<{ checksum: string | null }[]>`select checksum from migrations where name = ${name}`
      if (seen?.checksum === checksum) return
      if (seen === undefined) {
        if (inTurn === locked) await tx.unsafe(text)
        else {
          // What a transaction read last keeps its snapshot until the next portal; this one, of the simple protocol, keeps none.
          await tx.unsafe('select 1')
          for (const statement of statementsOf(text)) await runAlone(builder, statement)
        }
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

/**
 * The same for work outside the transaction. Nobody waits in the statement for this lock: an index that is built
 * concurrently waits for every statement before it, and would wait for that one for good.
 */
async function lockedToBuild(sql: Sql, work: (tx: Runner) => Promise<void>): Promise<void> {
  for (;;) {
    const isDone = await sql.begin(async (tx) => {
      const [lock] = await tx<{ isHeld: boolean }[]>`select pg_try_advisory_xact_lock(${BUILD_LOCK}) as "isHeld"`
      if (lock?.isHeld === true) await work(tx)
      return lock?.isHeld === true
    })
    if (isDone) return
    await delay(ASK_AGAIN_MS)
  }
}

/** The statements of a file without functions: semicolons stand at the ends of lines alone. */
const statementsOf = (text: string) =>
  text
    .replaceAll(/^--.*\n/gm, '')
    .split(/;\n/)
    .filter((statement) => statement.trim() !== '')

/** Runs one statement; an index that a process began and did not finish is in its way, and is dropped before. */
async function runAlone(builder: Sql, statement: string): Promise<void> {
  const [, index] = /^create (?:unique )?index concurrently if not exists (\w+)/.exec(statement) ?? []
  if (index !== undefined) {
    const broken = await builder`
      select 1 from pg_index where indexrelid = to_regclass(${index}::text) and not indisvalid`
    if (broken.length > 0) await builder.unsafe(`drop index concurrently if exists ${index}`)
  }
  await builder.unsafe(statement)
}

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
