import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../domain/errors.ts'
import { whenThere } from './connection/await-database.ts'
import type { Runner, Sql } from './connection/connect.ts'
import { connect, isDatabaseError } from './connection/connect.ts'
import type { Migration } from './migration-files.ts'
import { filesOf, readMigration } from './migration-files.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** Any number that no other program locks: many processes may start at once, one migrates. */
const LOCK = 7_204_661

/** Another one: who builds indexes holds it, and everyone else asks for it now and then, without a snapshot in between. */
const BUILD_LOCK = 7_204_663

/** Another one: who asks again for a table that was in use holds it. So one process asks at a time, after a pause. */
export const TURN_LOCK = 7_204_664

/** How often those ask who wait for an index that another process builds. */
const ASK_AGAIN_MS = 250

/** How long a migration may wait for a table that is in use: whoever calls meanwhile waits behind it. */
const LOCK_PATIENCE_MS = 50

/** How long calls have the table to themselves before the migration asks for it again. */
const LET_THROUGH_MS = 1_000

/** How often it is told that a migration waits. */
const TELL_MS = 30_000

/** What PostgreSQL says when a lock was not to be had in time. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Brings the database to this version of the program. It runs every file of `migrations/` that the database has not
 * seen, in order, each in a transaction of its own, or each of its statements alone where it says so. Safe when many
 * processes start at once, and when the database goes away meanwhile. A table that a long transaction has, as a back-up
 * does, is asked for again and again, and calls go on in between.
 *
 * Throws `OperatorError`, and applies nothing after it, when a file that the database has seen says something else now:
 * what its tables are like is then not what this version takes them for.
 */
export async function migrate(
  databaseUrl: string,
  folder: URL = FOLDER,
  onWait?: (line: string) => void,
): Promise<string[]> {
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'mediamill migrate' })
  // Whoever builds indexes keeps a transaction open beside it, for the lock.
  const builder = connect(databaseUrl, { connections: 1, applicationName: 'mediamill index', patient: true })
  try {
    const migrations = await Promise.all((await filesOf(folder)).map((name) => readMigration(folder, name)))
    // A transaction that broke off left nothing: it is made again.
    return await whenThere(() => apply({ sql, builder, onWait }, migrations))
  } finally {
    await Promise.all([sql.end({ timeout: 5 }), builder.end({ timeout: 5 })])
  }
}

/** Counts the migrations that the database has not seen. It counts all of them when it is empty. Changes nothing. */
export async function missingMigrations(sql: Sql): Promise<number> {
  const files = await filesOf(FOLDER)
  const [record] = await sql<{ there: boolean }[]>`select to_regclass('migrations') is not null as there`
  if (record?.there !== true) return files.length
  const seen = new Set((await sql<{ name: string }[]>`select name from migrations`).map(({ name }) => name))
  return files.filter((file) => !seen.has(file)).length
}

type Applying = { sql: Sql; builder: Sql; onWait: ((line: string) => void) | undefined }

async function apply({ sql, builder, onWait }: Applying, migrations: readonly Migration[]): Promise<string[]> {
  const lockedFor = (what: string) => (from: Sql, work: (tx: Runner) => Promise<void>) =>
    askingAgain(() => locked(from, work), what, onWait, inTurnOf(builder))
  await lockedFor('the record of migrations')(sql, openRecord)
  const applied: string[] = []
  for (const { name, checksum, text, statements } of migrations) {
    await (statements !== undefined ? lockedToBuild : lockedFor(`the migration ${name}`))(sql, async (tx) => {
      const [seen] = await tx<{ checksum: string | null }[]>`select checksum from migrations where name = ${name}`
      if (seen?.checksum === checksum) return
      if (seen === undefined) {
        if (statements !== undefined) {
          // What a transaction read last keeps its snapshot until the next portal; this one, of the simple protocol, keeps none.
          await tx.unsafe('select 1')
          // One process has the lock to build, so that it is its turn.
          for (const statement of statements)
            await runAlone(builder, statement, (alone) =>
              askingAgain(alone, `the migration ${name}`, onWait, (again) => again()),
            )
        }
        await tx`insert into migrations (name, checksum) values (${name}, ${checksum})`
        // With the commit in the same message: calls wait for what it locks, and PostgreSQL does not wait for us.
        if (statements === undefined) await tx.unsafe(`${text}\n;commit`)
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
    await tx.unsafe(`set local lock_timeout = ${LOCK_PATIENCE_MS}`)
    await work(tx)
  })

/**
 * Does work that wants tables for itself. Whoever asks for one in use keeps everyone behind it waiting, so it asks for a
 * moment, and again later: a back-up or a report may hold the table for an hour. `inTurn` has one process do so at a time.
 */
async function askingAgain(
  work: () => Promise<void>,
  what: string,
  onWait: Applying['onWait'],
  inTurn: (work: () => Promise<boolean>) => Promise<boolean>,
): Promise<void> {
  const startedAt = performance.now()
  if (await isDone(work)) return
  for (let told = 0; ; ) {
    const waitedMs = performance.now() - startedAt
    if (waitedMs >= told * TELL_MS) {
      told += 1
      const seconds = Math.round(waitedMs / 1000)
      onWait?.(`${what} waits for a transaction that uses its table, as a back-up does (${seconds} s); calls go on`)
    }
    const done = await inTurn(async () => {
      // Before it asks: who had the turn before may just have asked.
      await delay(LET_THROUGH_MS)
      return await isDone(work)
    })
    if (done) return
  }
}

/** Tells whether the work had the tables that it wants in time. */
async function isDone(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (!isDatabaseError(error, LOCK_NOT_AVAILABLE)) throw error
    return false
  }
}

/** Does work while no other process does any in its turn; else it does none, and waits for a moment. */
const inTurnOf = (turns: Sql) => async (work: () => Promise<boolean>) => {
  const done = await turns.begin(async (tx) => {
    const [turn] = await tx<{ isHeld: boolean }[]>`select pg_try_advisory_xact_lock(${TURN_LOCK}) as "isHeld"`
    return turn?.isHeld === true ? await work() : undefined
  })
  if (done === undefined) await delay(ASK_AGAIN_MS)
  return done === true
}

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

/** What takes a table for itself, or one that its new table refers to. */
const KEEPS_OUT = /^(?:alter|create) table /

/** Runs one statement; an index that a process began and did not finish is in its way, and is dropped before. */
async function runAlone(
  builder: Sql,
  statement: string,
  again: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  // An index is built while all others go on, and waits for who is at its table without keeping anyone out.
  if (KEEPS_OUT.test(statement)) {
    // One message, and so a transaction of its own that PostgreSQL ends without hearing from us: calls wait for that end.
    // Nor for its disk or a standby: what is lost with a crash was not recorded yet either, and is done again.
    const alone = `set local lock_timeout = ${LOCK_PATIENCE_MS}; set local synchronous_commit = off; ${statement}`
    return await again(async () => void (await builder.unsafe(alone)))
  }
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
