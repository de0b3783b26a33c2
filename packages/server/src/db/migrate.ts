import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { packageVersion, versionText } from '../lib/program-version.ts'
import { retryUntilAvailable } from './connection/await-database.ts'
import type { Runner, Sql } from './connection/connect.ts'
import { connect } from './connection/connect.ts'
import { isDatabaseError } from './connection/errors.ts'
import { isPooled } from './connection/pooler.ts'
import { tryLock } from './connection/transaction.ts'
import type { IndexProgress } from './index-progress.ts'
import { readIndexProgress } from './index-progress.ts'
import type { Migration } from './migration-files.ts'
import { filesOf, readMigration } from './migration-files.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** The advisory lock of migrations. Only the process with this lock migrates. */
const LOCK = 7_204_661

/** The advisory lock of index builds. Other processes poll for it, because waiting would keep a snapshot open. */
export const BUILD_LOCK = 7_204_663

/** The advisory lock for retries: only one process at a time retries to lock a table that is in use. */
export const TURN_LOCK = 7_204_664

const POLL_MS = 250

/** How long a migration waits for a table lock. Calls that use the table wait behind the migration. */
const LOCK_TIMEOUT_MS = 50

/** The pause before a migration tries to lock a table again, so that calls can use the table. */
const RETRY_PAUSE_MS = 1_000

const MESSAGE_INTERVAL_MS = 30_000

const LOCK_NOT_AVAILABLE = '55P03'

const QUERY_CANCELED = '57014'

export type MigrationOptions = {
  /** Whether to leave out migrations that a role applies after its start, unless the database is new. */
  leavesBackground?: boolean
  pollMs?: number
  onWait?: ((line: string) => void) | undefined
  /** Called when a migration starts here, or runs in another process. `isNew`: the database was empty. */
  onStart?: ((name: string, progress: () => Promise<IndexProgress | undefined>, isNew: boolean) => void) | undefined
  onApplied?: ((name: string, durationMs: number) => void) | undefined
}

/**
 * Applies the missing migrations, and returns their names. Throws `OperatorError` if an applied file was changed, and
 * `SchemaTooNewError` if the schema is too new.
 */
export async function migrate(
  databaseUrl: string,
  folder: URL = FOLDER,
  options: MigrationOptions = {},
): Promise<string[]> {
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'mediamill migrate' })
  // The first connection holds the lock in a transaction, where an index build cannot run.
  const builder = connect(databaseUrl, { connections: 1, applicationName: 'mediamill index', patient: true })
  const watcher = connect(databaseUrl, { connections: 1, applicationName: 'mediamill progress' })
  const progress = () => readIndexProgress(watcher)
  const applying = { sql, builder, progress, isPooled: isPooled(databaseUrl), ...options }
  try {
    const migrations = await Promise.all((await filesOf(folder)).map((name) => readMigration(folder, name)))
    // If the connection is lost, the transaction has no effect, so it can be repeated.
    return await retryUntilAvailable(async () => {
      await checkReader(sql, migrations)
      const applied = await apply(applying, migrations)
      await recordSchema(sql, migrations)
      return applied
    })
  } finally {
    await Promise.all([sql, builder, watcher].map((pool) => pool.end({ timeout: 5 })))
  }
}

/**
 * A migration that is not applied yet. `inBackground`: it builds indexes or changes rows in batches. `isDeferred`: a
 * role starts without it.
 */
export type PlannedMigration = { name: string; inBackground: boolean; isDeferred: boolean }

/** Lists the missing migrations, or all migrations if `sql` is `undefined`. Throws like `migrate`. */
export async function plannedMigrations(sql: Sql | undefined): Promise<PlannedMigration[]> {
  const migrations = await Promise.all((await filesOf(FOLDER)).map((name) => readMigration(FOLDER, name)))
  if (sql !== undefined) await checkReader(sql, migrations)
  const recorded = sql === undefined ? new Map<string, string | null>() : await readRecord(sql)
  const changed = migrations.find(({ name, checksum }) => (recorded.get(name) ?? checksum) !== checksum)
  if (changed !== undefined) throw hasChanged(changed.name)
  return migrations
    .filter(({ name }) => !recorded.has(name))
    .map(({ name, statements, inBackground }) => ({
      name,
      inBackground: statements !== undefined,
      isDeferred: inBackground && recorded.size > 0,
    }))
}

export const schemaVersion = async (): Promise<number> => numberOf((await filesOf(FOLDER)).at(-1))

const numberOf = (name: string | undefined): number => Number.parseInt(name ?? '0', 10) || 0

const newestOf = (migrations: readonly Migration[]) => numberOf(migrations.at(-1)?.name)

type SchemaRow = { version: number; oldestReader: number; oldestProgram: string }

async function readSchema(sql: Sql): Promise<SchemaRow | undefined> {
  const [table] = await sql<{ exists: boolean }[]>`select to_regclass('schema_version') is not null as exists`
  if (table?.exists !== true) return undefined
  const [row] = await sql<SchemaRow[]>`
    select version, oldest_reader as "oldestReader", oldest_program as "oldestProgram" from schema_version`
  return row
}

export class SchemaTooNewError extends OperatorError {
  override name = 'SchemaTooNewError'
}

async function checkReader(sql: Sql, migrations: readonly Migration[]): Promise<void> {
  const schema = await readSchema(sql)
  const own = newestOf(migrations)
  if (schema === undefined || own >= schema.oldestReader) return
  throw new SchemaTooNewError(
    `This database requires Mediamill ${schema.oldestProgram} or newer (schema ${schema.oldestReader}); this is ${packageVersion()} (schema ${own}).`,
  )
}

async function recordSchema(sql: Sql, migrations: readonly Migration[]): Promise<void> {
  const schema = await readSchema(sql)
  const version = newestOf(migrations)
  if (schema === undefined || schema.version >= version) return
  await sql`update schema_version set version = ${version}, program = ${versionText()} where version < ${version}`
}

/** Maps applied migrations to checksums, or to `null` if they were applied before checksums existed. */
async function readRecord(sql: Sql): Promise<Map<string, string | null>> {
  const [table] = await sql<{ exists: boolean }[]>`select to_regclass('migrations') is not null as exists`
  if (table?.exists !== true) return new Map()
  const rows = await sql<{ name: string; checksum: string | null }[]>`
    select name, to_jsonb(migrations) ->> 'checksum' as checksum from migrations`
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

type Applying = MigrationOptions & {
  sql: Sql
  builder: Sql
  progress: () => Promise<IndexProgress | undefined>
  isPooled: boolean
}

async function apply(applying: Applying, migrations: readonly Migration[]): Promise<string[]> {
  const { sql, builder, onWait, leavesBackground = false, pollMs = POLL_MS } = applying
  const lockedFor = (subject: string) => (from: Sql, work: (tx: Runner) => Promise<void>) =>
    retryUntilLocked(() => locked(from, work), subject, onWait, inTurnOf(builder))
  const recorded = await readRecord(sql)
  const isLate = ({ inBackground }: Migration) => inBackground && recorded.size > 0
  const pending = migrations
    .filter(({ name, checksum }) => recorded.get(name) !== checksum)
    .filter((migration) => !(leavesBackground && isLate(migration) && !recorded.has(migration.name)))
    .sort((one, other) => Number(isLate(one)) - Number(isLate(other)))
  if (pending.length === 0) return []
  await lockedFor('the record of migrations')(sql, openRecord)
  const applied: string[] = []
  for (const migration of pending) {
    const { name, statements } = migration
    if (!recorded.has(name)) applying.onStart?.(name, applying.progress, recorded.size === 0)
    const inLock = statements === undefined ? lockedFor(`the migration ${name}`) : lockedToBuild(name, pollMs, onWait)
    await inLock(sql, async (tx) => {
      const startedAt = performance.now()
      if (!(await applyOne(applying, tx, migration))) return
      applied.push(name)
      applying.onApplied?.(name, performance.now() - startedAt)
    })
  }
  return applied
}

async function applyOne(applying: Applying, tx: Runner, migration: Migration): Promise<boolean> {
  const { name, checksum, text, statements } = migration
  const [recorded] = await tx<{ checksum: string | null }[]>`select checksum from migrations where name = ${name}`
  if (recorded?.checksum === checksum) return false
  if (recorded === undefined) {
    if (statements !== undefined) {
      // The last read keeps a snapshot open in this transaction. A simple query releases the snapshot.
      await tx.unsafe('select 1')
      // Only one process at a time runs these statements, because it holds the build lock.
      for (const statement of statements)
        await runAlone(applying, statement, (alone) =>
          retryUntilLocked(alone, `the migration ${name}`, applying.onWait, (retry) => retry()),
        ).catch((error: unknown) => {
          throw withDirectAddress(error, name, applying.isPooled)
        })
    }
    await tx`insert into migrations (name, checksum) values (${name}, ${checksum})`
    // Sends the commit in the same message, so that calls do not wait for the locks during a round trip.
    if (statements === undefined) await tx.unsafe(`${text}\n;commit`)
    return true
  }
  if (recorded.checksum === null) {
    await tx`update migrations set checksum = ${checksum} where name = ${name}`
    return false
  }
  throw hasChanged(name)
}

const hasChanged = (name: string) =>
  new OperatorError(
    `The migration ${name} has changed since it was applied: restore the file, and put changes into a new migration.`,
  )

/** Adds the fix to an error if an index build timed out through a pooler. A direct connection has no timeout. */
const withDirectAddress = (error: unknown, name: string, pooled: boolean): unknown =>
  pooled && isDatabaseError(error, QUERY_CANCELED)
    ? new OperatorError(
        `The migration ${name} was canceled (statement_timeout): set MIGRATE_DATABASE_URL to the address of PostgreSQL itself, past the pooler.`,
        { cause: error },
      )
    : error

const NO_TIMEOUT = 'set local statement_timeout = 0'

const locked = (sql: Sql, work: (tx: Runner) => Promise<void>) =>
  sql.begin(async (tx) => {
    await tx.unsafe(`${NO_TIMEOUT}; set local idle_in_transaction_session_timeout = 0`)
    await tx`select pg_advisory_xact_lock(${LOCK})`
    await tx.unsafe(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await work(tx)
  })

/**
 * Retries `work` until it gets its table lock. Attempts are short, because calls that use the table wait behind them.
 * `inTurn` admits one process at a time.
 */
async function retryUntilLocked(
  work: () => Promise<void>,
  subject: string,
  onWait: MigrationOptions['onWait'],
  inTurn: (work: () => Promise<boolean>) => Promise<boolean>,
): Promise<void> {
  const report = waitReports((waited) => {
    onWait?.(`${subject} waits for a transaction that uses its table, such as a backup (${waited}); calls continue`)
  })
  if (await isDone(work)) return
  for (;;) {
    report()
    const done = await inTurn(async () => {
      // Pauses first, because another process may have tried a moment ago.
      await delay(RETRY_PAUSE_MS)
      return await isDone(work)
    })
    if (done) return
  }
}

/** Returns a function that calls `report` with the time since the start, at most every 30 s. */
function waitReports(report: (waited: string) => void): () => void {
  const startedAt = performance.now()
  let reports = 0
  return () => {
    const waitedMs = performance.now() - startedAt
    if (waitedMs < reports * MESSAGE_INTERVAL_MS) return
    reports += 1
    report(`${Math.round(waitedMs / 1000)} s`)
  }
}

async function isDone(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (!isDatabaseError(error, LOCK_NOT_AVAILABLE)) throw error
    return false
  }
}

const inTurnOf = (turns: Sql) => async (work: () => Promise<boolean>) => {
  const done = await turns.begin(async (tx) => ((await tryLock(tx, TURN_LOCK)) ? await work() : undefined))
  if (done === undefined) await delay(POLL_MS)
  return done === true
}

/** Polls for the build lock. A process that waits for the lock would block a concurrent index build. */
const lockedToBuild =
  (name: string, pollMs: number, onWait: MigrationOptions['onWait']) =>
  async (sql: Sql, work: (tx: Runner) => Promise<void>): Promise<void> => {
    const report = waitReports((waited) => {
      onWait?.(`the migration ${name} waits for another process that builds indexes (${waited})`)
    })
    for (;;) {
      const isDone = await sql.begin(async (tx) => {
        await tx.unsafe('set local idle_in_transaction_session_timeout = 0')
        const isHeld = await tryLock(tx, BUILD_LOCK)
        if (isHeld) await work(tx)
        return isHeld
      })
      if (isDone) return
      report()
      await delay(pollMs)
    }
  }

/** Matches statements that lock a table. `create table` locks the tables that its foreign keys reference. */
const LOCKS_TABLE = /^(?:alter|create) table /

/** Matches a statement that changes a batch of rows. Such a statement is repeated until it changes no row. */
const IN_BATCHES = /^with batch as /

/** Runs a statement outside a transaction. Before an index build, drops the invalid index of an interrupted build. */
async function runAlone(
  { builder, isPooled, onWait }: Applying,
  statement: string,
  retry: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  // Only statements that lock a table are retried. A concurrent index build blocks no other statement.
  if (LOCKS_TABLE.test(statement)) {
    // PostgreSQL runs all statements of a message in one transaction. If a crash loses it, the migration runs again.
    const alone = `${NO_TIMEOUT}; set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local synchronous_commit = off; ${statement}`
    return await retry(async () => void (await builder.unsafe(alone)))
  }
  const [, index] = /^create (?:unique )?index concurrently if not exists (\w+)/.exec(statement) ?? []
  if (index !== undefined && (await isBroken(builder, index, onWait)))
    await builder.unsafe(`drop index concurrently if exists ${index}`)
  // A pooler may use another session for each message, so the timeout is in the same message. PostgreSQL runs such a
  // message as a transaction, where a concurrent index build is not allowed.
  const needsOwnMessage = !isPooled || / concurrently /.test(statement)
  const text = needsOwnMessage ? statement : `${NO_TIMEOUT}; ${statement}`
  let { count } = await builder.unsafe(text)
  // Each batch has its own transaction, so that calls wait for one batch at most.
  while (IN_BATCHES.test(statement) && count > 0) ({ count } = await builder.unsafe(text))
}

/**
 * Returns whether the index is invalid. First waits for the build of a killed process: PostgreSQL finishes it, and
 * `drop index` would deadlock with it.
 */
async function isBroken(builder: Sql, index: string, onWait: MigrationOptions['onWait']): Promise<boolean> {
  const report = waitReports((waited) => {
    onWait?.(`the index ${index} waits for its interrupted build to end (${waited})`)
  })
  for (;;) {
    const [found] = await builder<{ isRunning: boolean }[]>`
      select exists (
        select from pg_stat_progress_create_index p
        where p.datname = current_database() and p.index_relid = i.indexrelid
      ) as "isRunning"
      from pg_index i where i.indexrelid = to_regclass(${index}::text) and not i.indisvalid`
    if (found?.isRunning !== true) return found !== undefined
    report()
    await delay(POLL_MS)
  }
}

async function openRecord(tx: Runner): Promise<void> {
  await tx`
    create table if not exists migrations (
      name text primary key,
      applied_at timestamptz not null default now(),
      checksum text
    )`
  const [column] = await tx`
    select 1 from pg_attribute where attrelid = 'migrations'::regclass and attname = 'checksum' and not attisdropped`
  // `add column if not exists` would wait for all readers of the table, such as a backup.
  if (column === undefined) await tx`alter table migrations add column checksum text`
}
