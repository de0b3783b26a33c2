import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { packageVersion, versionText } from '../lib/program-version.ts'
import { whenThere } from './connection/await-database.ts'
import type { Runner, Sql } from './connection/connect.ts'
import { connect, isDatabaseError } from './connection/connect.ts'
import { isPooled } from './connection/pooler.ts'
import type { IndexProgress } from './index-progress.ts'
import { readIndexProgress } from './index-progress.ts'
import type { Migration } from './migration-files.ts'
import { filesOf, readMigration } from './migration-files.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** Any number that no other program locks: many processes may start at once, one migrates. */
const LOCK = 7_204_661

/** Another one: who builds indexes holds it, and everyone else asks for it now and then, without a snapshot in between. */
export const BUILD_LOCK = 7_204_663

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

/** The SQLSTATE of a statement that a limit or an operator canceled. */
const QUERY_CANCELED = '57014'

/** Callbacks for the progress of `migrate`. */
export type MigrationEvents = {
  /** Called with a sentence while a migration waits for a table or for another process. */
  onWait?: ((line: string) => void) | undefined
  /**
   * Called before a migration runs, or before it waits for another process that runs it. Until `migrate` settles,
   * `progress` reads how far an index build is; it resolves to undefined if none runs.
   */
  onStart?: ((name: string, progress: () => Promise<IndexProgress | undefined>) => void) | undefined
  onApplied?: ((name: string, durationMs: number) => void) | undefined
}

/**
 * Brings the database to this version of the program. It runs every file of `migrations/` that the database has not
 * seen, in order, each in a transaction of its own, or each of its statements alone where it says so. Safe when many
 * processes start at once, and when the database goes away meanwhile. A table that a long transaction has, as a back-up
 * does, is asked for again and again, and calls go on in between.
 *
 * Throws `OperatorError`, and applies nothing after it, when a file that the database has seen says something else now:
 * what its tables are like is then not what this version takes them for. Throws `SchemaTooNewError`, and changes nothing,
 * if the database belongs to a newer program, and this program cannot use its schema.
 */
export async function migrate(
  databaseUrl: string,
  folder: URL = FOLDER,
  events: MigrationEvents = {},
): Promise<string[]> {
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'mediamill migrate' })
  // Whoever builds indexes keeps a transaction open beside it, for the lock.
  const builder = connect(databaseUrl, { connections: 1, applicationName: 'mediamill index', patient: true })
  // It connects only when progress is read: the other two connections are busy then.
  const watcher = connect(databaseUrl, { connections: 1, applicationName: 'mediamill progress' })
  const progress = () => readIndexProgress(watcher)
  const applying = { sql, builder, progress, isPooled: isPooled(databaseUrl), ...events }
  try {
    const migrations = await Promise.all((await filesOf(folder)).map((name) => readMigration(folder, name)))
    // A transaction that broke off left nothing: it is made again.
    return await whenThere(async () => {
      await checkReader(sql, migrations)
      const applied = await apply(applying, migrations)
      await recordSchema(sql, migrations)
      return applied
    })
  } finally {
    await Promise.all([sql, builder, watcher].map((pool) => pool.end({ timeout: 5 })))
  }
}

/** A migration that the database lacks. A migration in the background builds indexes or fills rows in batches. */
export type PlannedMigration = { name: string; inBackground: boolean }

/**
 * Lists the migrations that the database has not applied. An empty database lacks all of them, and so does `undefined`,
 * a database that does not exist yet. Changes nothing. Throws `SchemaTooNewError`.
 */
export async function plannedMigrations(sql: Sql | undefined): Promise<PlannedMigration[]> {
  const migrations = await Promise.all((await filesOf(FOLDER)).map((name) => readMigration(FOLDER, name)))
  if (sql !== undefined) await checkReader(sql, migrations)
  const recorded = sql === undefined ? new Map() : await readRecord(sql)
  return migrations
    .filter(({ name }) => !recorded.has(name))
    .map(({ name, statements }) => ({ name, inBackground: statements !== undefined }))
}

/** Returns the version of the schema that this program makes: the number of its newest migration. */
export const schemaVersion = async (): Promise<number> => numberOf((await filesOf(FOLDER)).at(-1))

const numberOf = (name: string | undefined): number => Number.parseInt(name ?? '0', 10) || 0

const newestOf = (migrations: readonly Migration[]) => numberOf(migrations.at(-1)?.name)

type SchemaRow = { version: number; oldestReader: number; oldestProgram: string }

/** Reads the version of the database's schema. A database that is older than versions has none. */
async function readSchema(sql: Sql): Promise<SchemaRow | undefined> {
  const [table] = await sql<{ exists: boolean }[]>`select to_regclass('schema_version') is not null as exists`
  if (table?.exists !== true) return undefined
  const [row] = await sql<SchemaRow[]>`
    select version, oldest_reader as "oldestReader", oldest_program as "oldestProgram" from schema_version`
  return row
}

/** The schema is newer than this program can use. */
export class SchemaTooNewError extends OperatorError {
  override name = 'SchemaTooNewError'
}

/** Throws `SchemaTooNewError` if the schema is newer than this program can use. */
async function checkReader(sql: Sql, migrations: readonly Migration[]): Promise<void> {
  const schema = await readSchema(sql)
  const own = newestOf(migrations)
  if (schema === undefined || own >= schema.oldestReader) return
  throw new SchemaTooNewError(
    `This database requires Mediamill ${schema.oldestProgram} or newer (schema ${schema.oldestReader}); this is ${packageVersion()} (schema ${own}).`,
  )
}

/** Notes the version of the schema after the migrations, unless a newer program has noted its own. */
async function recordSchema(sql: Sql, migrations: readonly Migration[]): Promise<void> {
  const schema = await readSchema(sql)
  const version = newestOf(migrations)
  if (schema === undefined || schema.version >= version) return
  await sql`update schema_version set version = ${version}, program = ${versionText()} where version < ${version}`
}

/** Reads the checksums of the applied migrations by name. A database older than checksums has null. */
async function readRecord(sql: Sql): Promise<Map<string, string | null>> {
  const [table] = await sql<{ exists: boolean }[]>`select to_regclass('migrations') is not null as exists`
  if (table?.exists !== true) return new Map()
  const rows = await sql<{ name: string; checksum: string | null }[]>`
    select name, to_jsonb(migrations) ->> 'checksum' as checksum from migrations`
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

type Applying = MigrationEvents & {
  sql: Sql
  builder: Sql
  progress: () => Promise<IndexProgress | undefined>
  isPooled: boolean
}

async function apply(applying: Applying, migrations: readonly Migration[]): Promise<string[]> {
  const { sql, builder, onWait } = applying
  const lockedFor = (what: string) => (from: Sql, work: (tx: Runner) => Promise<void>) =>
    askingAgain(() => locked(from, work), what, onWait, inTurnOf(builder))
  const recorded = await readRecord(sql)
  const pending = migrations.filter(({ name, checksum }) => recorded.get(name) !== checksum)
  if (pending.length === 0) return []
  await lockedFor('the record of migrations')(sql, openRecord)
  const applied: string[] = []
  for (const migration of pending) {
    const { name, statements } = migration
    if (!recorded.has(name)) applying.onStart?.(name, applying.progress)
    const inLock = statements === undefined ? lockedFor(`the migration ${name}`) : lockedToBuild(name, onWait)
    await inLock(sql, async (tx) => {
      const startedAt = performance.now()
      if (!(await applyOne(applying, tx, migration))) return
      applied.push(name)
      applying.onApplied?.(name, performance.now() - startedAt)
    })
  }
  return applied
}

/** Applies one migration unless another process has applied it. Returns whether it did. */
async function applyOne(applying: Applying, tx: Runner, migration: Migration): Promise<boolean> {
  const { name, checksum, text, statements } = migration
  const [seen] = await tx<{ checksum: string | null }[]>`select checksum from migrations where name = ${name}`
  if (seen?.checksum === checksum) return false
  if (seen === undefined) {
    if (statements !== undefined) {
      // What a transaction read last keeps its snapshot until the next portal; this one, of the simple protocol, keeps none.
      await tx.unsafe('select 1')
      // One process has the lock to build, so that it is its turn.
      for (const statement of statements)
        await runAlone(applying, statement, (alone) =>
          askingAgain(alone, `the migration ${name}`, applying.onWait, (again) => again()),
        ).catch((error: unknown) => {
          throw withDirectAddress(error, name, applying.isPooled)
        })
    }
    await tx`insert into migrations (name, checksum) values (${name}, ${checksum})`
    // With the commit in the same message: calls wait for what it locks, and PostgreSQL does not wait for us.
    if (statements === undefined) await tx.unsafe(`${text}\n;commit`)
    return true
  }
  if (seen.checksum === null) {
    await tx`update migrations set checksum = ${checksum} where name = ${name}`
    return false
  }
  throw new OperatorError(
    `The migration ${name} is not what it was when it made this database: put the file back, and write changes into a new one.`,
  )
}

/** Names the fix if a limit of the database canceled an index build: a pooled session cannot lift that limit. */
const withDirectAddress = (error: unknown, name: string, pooled: boolean): unknown =>
  pooled && isDatabaseError(error, QUERY_CANCELED)
    ? new OperatorError(
        `The migration ${name} was canceled (statement_timeout): set MIGRATE_DATABASE_URL to the address of PostgreSQL itself, past the pooler.`,
        { cause: error },
      )
    : error

/** Migrations take as long as they need, whatever limits the role or the database has. */
const NO_TIMEOUT = 'set local statement_timeout = 0'

const locked = (sql: Sql, work: (tx: Runner) => Promise<void>) =>
  sql.begin(async (tx) => {
    await tx.unsafe(`${NO_TIMEOUT}; set local idle_in_transaction_session_timeout = 0`)
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
  onWait: MigrationEvents['onWait'],
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
const lockedToBuild =
  (name: string, onWait: MigrationEvents['onWait']) =>
  async (sql: Sql, work: (tx: Runner) => Promise<void>): Promise<void> => {
    const startedAt = performance.now()
    for (let reports = 0; ; ) {
      const isDone = await sql.begin(async (tx) => {
        await tx.unsafe('set local idle_in_transaction_session_timeout = 0')
        const [lock] = await tx<{ isHeld: boolean }[]>`select pg_try_advisory_xact_lock(${BUILD_LOCK}) as "isHeld"`
        if (lock?.isHeld === true) await work(tx)
        return lock?.isHeld === true
      })
      if (isDone) return
      const waitedMs = performance.now() - startedAt
      if (waitedMs >= reports * TELL_MS) {
        reports += 1
        onWait?.(
          `the migration ${name} waits for another process that builds indexes (${Math.round(waitedMs / 1000)} s)`,
        )
      }
      await delay(ASK_AGAIN_MS)
    }
  }

/** What takes a table for itself, or one that its new table refers to. */
const KEEPS_OUT = /^(?:alter|create) table /

/** A statement that changes one batch of rows, and is repeated until it changes none. */
const IN_BATCHES = /^with batch as /

/** Runs one statement; an index that a process began and did not finish is in its way, and is dropped before. */
async function runAlone(
  { builder, isPooled }: Applying,
  statement: string,
  again: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  // An index is built while all others go on, and waits for who is at its table without keeping anyone out.
  if (KEEPS_OUT.test(statement)) {
    // One message, and so a transaction of its own that PostgreSQL ends without hearing from us: calls wait for that end.
    // Nor for its disk or a standby: what is lost with a crash was not recorded yet either, and is done again.
    const alone = `${NO_TIMEOUT}; set local lock_timeout = ${LOCK_PATIENCE_MS}; set local synchronous_commit = off; ${statement}`
    return await again(async () => void (await builder.unsafe(alone)))
  }
  const [, index] = /^create (?:unique )?index concurrently if not exists (\w+)/.exec(statement) ?? []
  if (index !== undefined) {
    const broken = await builder`
      select 1 from pg_index where indexrelid = to_regclass(${index}::text) and not indisvalid`
    if (broken.length > 0) await builder.unsafe(`drop index concurrently if exists ${index}`)
  }
  // A pooler may run each statement on another session. So the limit is lifted in the same transaction as the statement,
  // which a statement about a concurrent index does not allow.
  const needsOwnMessage = !isPooled || / concurrently /.test(statement)
  const text = needsOwnMessage ? statement : `${NO_TIMEOUT}; ${statement}`
  let { count } = await builder.unsafe(text)
  // Each batch is a transaction of its own, so that calls wait for no more than one of them.
  while (IN_BATCHES.test(statement) && count > 0) ({ count } = await builder.unsafe(text))
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
